import PushQueue
import PushSQLite

/// An entry to be stored.
struct StoredEntry: Sendable {
    let fields: [EntryField]
    let count: Int
    /// From when it may be taken, in UNIX milliseconds, or ``QueueSchema/urgent``; nil for at once.
    var due: Int64?
    var campaign: CampaignName?
}

/// An entry as it is read: its values are decoded by the caller's task, outside of the transaction.
struct ReadEntry: Sendable {
    let number: Int64
    let fields: [EntryField]
    /// How many tokens it has, if it was taken before.
    var count = 0
    var offered = 0
    var settled = ""
    var doubts = 0
    var retries = 0
    var hold: QueueCampaign.Hold?

    var isInDoubt: Bool { doubts > 0 || offered > 0 }

    /// The name of its campaign; nil if it has none.
    var campaign: String? {
        fields.first { $0.name == EntryField.Name.campaign.rawValue }.map { String(decoding: $0.value, as: UTF8.self) }
    }

    var key: TakenEntry.Key { TakenEntry.Key(UInt64(clamping: number)) }

    var decoded: Result<QueueEntry, QueueError> {
        Result { () throws(QueueError) in
            try EntryFields.decode(fields, fallback: EntryID(high: 0, low: UInt64(bitPattern: number)))
        }
    }

    var taken: TakenEntry {
        TakenEntry(
            key, decoded, offered: offered, settled: TokenSet(settled) ?? TokenSet(),
            doubts: doubts, retries: retries, hold: hold)
    }
}

extension QueueFile {
    /// The number of an entry of this queue; nil for a key that it never gave out.
    func number(of key: TakenEntry.Key) -> Int64? {
        guard let number = key.number.flatMap(Int64.init(exactly:)), number >> QueueSchema.sequenceBits == queue
        else { return nil }
        return number
    }

    /// The runs of numbers that follow each other, of sorted ones.
    static func runs(_ numbers: [Int64]) -> [ClosedRange<Int64>] {
        var runs: [ClosedRange<Int64>] = []
        guard var first = numbers.first else { return runs }
        var last = first
        for number in numbers.dropFirst() {
            if number != last + 1 {
                runs.append(first...last)
                first = number
            }
            last = number
        }
        runs.append(first...last)
        return runs
    }

    /// What is stored of an entry. An entry that is missing, because the file is damaged, has no values.
    func fields(of number: Int64) throws -> [EntryField] {
        try sql.entry.bind(1, number)
        defer { sql.entry.reset() }
        return try sql.entry.step() ? Self.fields(sql.entry, from: 0) : []
    }

    /// The values of an entry in the present row, whose columns begin at `first`.
    static func fields(_ row: Statement, from first: Int32) -> [EntryField] {
        var fields: [EntryField] = []
        fields.reserveCapacity(4)
        var column = first
        for name in QueueSchema.columns {
            if !row.isNull(column) { fields.append(EntryField(name, row.withBytes(column) { Array($0) })) }
            column += 1
        }
        return fields
    }

    /// How many tokens an entry still has to be pushed to.
    static func open(_ count: Int, settled: String) -> Int {
        settled.isEmpty ? count : count - (TokenSet(settled)?.count ?? 0)
    }
}

extension Statement {
    func int(_ column: Int32) -> Int { Int(integer(column)) }

    /// The tokens that have an outcome. Most entries have none until their end.
    func tokens(_ column: Int32) -> TokenSet {
        withBytes(column) { $0.isEmpty } ? TokenSet() : TokenSet(string(column)) ?? TokenSet()
    }

    /// The text of a column that is never null.
    func string(_ column: Int32) -> String { text(column) ?? "" }

    /// The first column of all rows.
    func strings() throws -> [String] {
        var strings: [String] = []
        while try step() { strings.append(string(0)) }
        return strings
    }

    /// Binds the value, and runs it. A list of any length would be an array that each call makes.
    func run(_ first: Int64) throws(SQLiteError) {
        try bind(1, first)
        try run()
    }

    /// Binds the values in their order, and runs it.
    func run(_ first: Int64, _ second: Int64) throws(SQLiteError) {
        try bind(2, second)
        try run(first)
    }

    /// Binds the values in their order, and runs it.
    func run(_ first: Int64, _ second: Int64, then third: Int64) throws(SQLiteError) {
        try bind(3, third)
        try run(first, second)
    }

    /// Binds the values in their order, and runs it.
    func run(_ first: Int64, _ second: Int64, then third: Int64, then fourth: Int64) throws(SQLiteError) {
        try bind(4, fourth)
        try run(first, second, then: third)
    }
}
