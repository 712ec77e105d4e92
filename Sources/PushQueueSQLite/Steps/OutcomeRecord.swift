import PushQueue

/// A record of the table of outcomes, without its rows.
struct OutcomeRecord {
    let number: Int64
    /// How many rows it has.
    let count: Int
    /// UNIX milliseconds; nil if an earlier program stored it.
    let stored: Int64?

    /// How many of its rows a reader has that came to this position.
    func seen(at read: OutcomePosition) -> Int {
        number < read.number ? count : number == read.number ? min(count, read.rows) : 0
    }
}

/// A stored row, and the position behind it.
struct StoredRow: Sendable {
    let line: [UInt8]
    let end: OutcomePosition
}

/// Which records are trimmed.
enum RecordBound: Sendable {
    case upTo(OutcomePosition)
    /// UNIX milliseconds.
    case before(Int64)

    /// - Throws: `invalidEntry` if the position was not returned by an earlier call.
    init(_ bound: OutcomeBound) throws(QueueError) {
        switch bound {
        case .upTo(let position): self = .upTo(try OutcomePosition(position))
        case .before(let time): self = .before(unixMilliseconds(time, rounded: .down))
        }
    }

    func contains(_ record: OutcomeRecord) -> Bool {
        switch self {
        case .upTo(let position): record.seen(at: position) == record.count
        case .before(let time): record.stored.map { $0 < time } ?? true
        }
    }
}
