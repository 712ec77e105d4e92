/// Compares both ledgers, push by push.
struct Verdict {
    private(set) var lines: [String] = []
    private(set) var violations: [String] = []
    private(set) var pushed = 0

    mutating func require(_ holds: Bool, _ sentence: @autoclosure () -> String) {
        if !holds { violations.append(sentence()) }
    }

    mutating func note(_ line: String) { lines.append(line) }

    mutating func compare(_ lanes: [SoakLane], _ server: ServerLedger, counted: Int) {
        var (delivered, rejected, spared, unknown) = (0, 0, 0, 0)
        var errors: [String: Int] = [:]
        for (number, lane) in lanes.enumerated() {
            let book = lane.book
            pushed += book.pushed
            delivered += book.delivered.count
            rejected += book.rejected.count
            spared += book.spared.count
            unknown += book.unknown
            errors.merge(book.errors, uniquingKeysWith: +)
            require(book.ended.count == book.pushed, "\(lane.name): \(book.pushed - book.ended.count) never ended")
            require(book.endedTwice == 0, "\(lane.name): \(book.endedTwice) ended twice")
            compare(lane.name, book, server.accepted[number], server.refused[number])
        }
        let processed = server.processed
        require(server.twice == 0, "\(server.twice) were processed twice")
        require(server.strange == 0, "\(server.strange) reached the server under another apns-id")
        require(counted == processed, "the server counted \(counted) pushes and wrote down \(processed)")
        require(
            (delivered + rejected...delivered + rejected + unknown).contains(processed),
            "\(processed) processed do not fit \(delivered + rejected) answered and \(unknown) unknown")
        lines += [
            "pushes: \(pushed) = \(delivered) delivered + \(rejected) rejected + \(spared) certainly not processed"
                + " + \(unknown) unknown",
            "server: \(processed) processed, \(server.twice) twice;"
                + " of the unknown it had processed \(processed - delivered - rejected)",
            "errors: " + errors.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "),
        ]
    }

    /// What the client says of each push against what the server wrote down.
    private mutating func compare(_ name: String, _ book: SoakLane.Book, _ accepted: BitSet, _ refused: BitSet) {
        var (invented, denied, silent) = (0, 0, 0)
        for sequence in 0..<book.pushed {
            let isProcessed = accepted[sequence] || refused[sequence]
            if book.delivered[sequence] {
                if !accepted[sequence] { invented += 1 }
            } else if book.rejected[sequence] {
                if !refused[sequence] { invented += 1 }
            } else if book.spared[sequence] {
                if isProcessed { denied += 1 }
            } else if !book.ended[sequence] {
                silent += 1
            }
        }
        require(invented == 0, "\(name): \(invented) answers that the server never gave")
        require(denied == 0, "\(name): \(denied) called not processed that were")
        require(silent == 0, "\(name): \(silent) silent")
    }
}
