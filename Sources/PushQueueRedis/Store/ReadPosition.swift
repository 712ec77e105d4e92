import PushQueue

/// How far a list of outcomes was read: the id of an entry of its stream, and how many of its rows, or nil for all.
struct ReadPosition: CustomStringConvertible {
    let id: String
    let rows: Int?

    init(id: String, rows: Int?) {
        self.id = id
        self.rows = rows
    }

    /// Parses `MS-SEQ` and `MS-SEQ/ROWS`.
    init(text: String) throws(QueueError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, Self.isID(parts[0]),
            parts.count == 1 || UInt32(parts[1]) != nil
        else {
            throw .invalidPosition
        }
        id = String(parts[0])
        rows = parts.count == 2 ? Int(parts[1]) : nil
    }

    /// Whether a text is the id of an entry of a stream.
    static func isID(_ text: some StringProtocol) -> Bool {
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false)
        return numbers.count == 2 && numbers.allSatisfy { UInt64($0) != nil }
    }

    var description: String { rows.map { "\(id)/\($0)" } ?? id }
}
