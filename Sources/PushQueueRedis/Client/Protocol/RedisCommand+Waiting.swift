extension RedisCommand {
    /// How long the server may wait before it answers, by the command's own words.
    var ownWait: Duration {
        guard let name = words.first, let milliseconds = waitWord(of: Self.upper(name)) else { return .zero }
        return .milliseconds(milliseconds)
    }

    /// Whether it waits for replicas, and does nothing else.
    var isWait: Bool { words.first.map { Self.upper($0) == "WAIT" } ?? false }

    private func waitWord(of name: String) -> Int? {
        switch name {
        case "XREAD", "XREADGROUP":
            // Options come before the keys: a key may be called BLOCK, too.
            for (word, next) in zip(words, words.dropFirst()) {
                let word = Self.upper(word)
                if word == "STREAMS" { return nil }
                if word == "BLOCK" { return Self.number(next) }
            }
            return nil
        case "WAIT": return words.count == 3 ? Self.number(words[2]) : nil
        default: return nil
        }
    }

    /// Only short words can be options.
    private static func upper(_ word: [UInt8]) -> String {
        word.count > 16 ? "" : String(decoding: word, as: UTF8.self).uppercased()
    }

    private static func number(_ word: [UInt8]) -> Int? {
        guard word.count <= 10 else { return nil }
        return Int(String(decoding: word, as: UTF8.self)).map { max(0, $0) }
    }
}
