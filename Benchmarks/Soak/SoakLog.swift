import SupervisedPush

/// What the connections told.
enum SoakLog {
    static func count(_ mailbox: Mailbox<LifecycleMessage>) async -> String {
        var counts: [String: Int] = [:]
        for await message in mailbox { counts[message.word, default: 0] += 1 }
        return counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    /// `trouble 12 RST` as `RST 12`.
    static func trouble(_ line: String) -> String? {
        let words = line.split(separator: " ", maxSplits: 2)
        return words.count == 3 ? "\(words[2]) \(words[1])" : nil
    }
}
