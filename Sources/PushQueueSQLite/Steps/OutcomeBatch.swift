import PushQueue
import SupervisedPush

/// The outcomes that one call stores, as lines of JSON.
struct OutcomeBatch {
    /// How many rows one record of the table has at most: a reader gets none of them alone.
    static let rowsInRecord = 256

    /// Lines, each with a line feed.
    struct Lines {
        private(set) var records: [(count: Int, rows: [UInt8])] = []

        mutating func append(_ outcome: QueueOutcome) {
            if records.last.map({ $0.count == rowsInRecord }) ?? true { records.append((0, [])) }
            let last = records.count - 1
            records[last].count += 1
            outcome.appendRow(to: &records[last].rows)
            records[last].rows.append(UInt8(ascii: "\n"))
        }
    }

    private(set) var count = 0
    private(set) var all = Lines()
    private(set) var feedback = Lines()

    mutating func append(_ outcome: QueueOutcome) {
        all.append(outcome)
        if outcome.isFeedback { feedback.append(outcome) }
        count += 1
    }
}

/// Where a reader of outcomes is: the number of a record, and how many of its rows it has read.
struct OutcomePosition: CustomStringConvertible, Comparable {
    var number: Int64 = 0
    var rows = 0

    init() {}

    init(number: Int64, rows: Int) { (self.number, self.rows) = (number, rows) }

    /// - Throws: `invalidEntry` if the text was not returned by an earlier call.
    init(_ text: String?) throws(QueueError) {
        guard let text else { return }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int64(parts[0]), let rows = Int(parts[1]), number >= 0, rows >= 0 else {
            throw .invalidPosition
        }
        (self.number, self.rows) = (number, rows)
    }

    var description: String { "\(number).\(rows)" }

    static func < (left: Self, right: Self) -> Bool { (left.number, left.rows) < (right.number, right.rows) }
}
