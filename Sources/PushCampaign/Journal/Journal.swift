import PushSQLite
import PushTerminal
import SupervisedPush

/// The journal of a campaign, an SQLite database: which pushes were about to be sent, and which have their outcome.
///
/// The rows themselves are in the outcomes file; the journal says how much of it counts.
package final class Journal {
    /// What the journal is bound to.
    package struct Campaign: Equatable, Sendable {
        package var input: InputBinding
        /// The absolute path of the outcomes file.
        package var outcomes: String
        /// How many bytes of it were there at the latest commit.
        package var outcomesSize: UInt64
        /// How many records the input has, once a run has reached its end.
        package var records: Int?
    }

    package let path: String
    private let database: Database
    private let statements: Statements?
    private var latest: (row: Int64, intents: [Intent])?

    /// Opens a journal to write it, or makes a new one.
    ///
    /// - Parameter isDurable: Each commit is on the disk before it returns.
    package init(_ path: String, inputs: NamedFiles, isDurable: Bool) throws(CommandError) {
        let file = try JournalFile(path, inputs: inputs)
        do throws(SQLiteError) {
            let database = try Database(path, .readWrite, guardian: file)
            try JournalSchema.prepare(database, isDurable: isDurable)
            (self.path, self.database) = (path, database)
            statements = try Statements(database)
        } catch { throw Self.failure(path, error, .configuration) }
    }

    /// Opens a journal to read it.
    package init(reading path: String) throws(CommandError) {
        do throws(SQLiteError) {
            (self.path, database) = (path, try Database(path, .readOnly))
        } catch { throw Self.failure(path, error, .input) }
        statements = nil
    }

    // MARK: Reading

    /// Whether a run with this journal has begun. An empty file may be left by one that could not begin.
    package static func hasBegun(_ path: String) throws(CommandError) -> Bool {
        guard FileIdentity(at: path) != nil else { return false }
        _ = try JournalFile.inspect(path)
        return try Journal(reading: path).campaign() != nil
    }

    /// Nil if no run has begun.
    package func campaign() throws(CommandError) -> Campaign? {
        try attempt(.configuration) { () throws(SQLiteError) in
            guard try database.integer("SELECT count(*) FROM sqlite_master WHERE name = 'campaign'") == 1 else {
                return nil
            }
            let row = try database.prepare(
                "SELECT input, input_size, input_sha256, outcomes, outcomes_size, records FROM campaign")
            guard try row.step() else { return nil }
            return Campaign(
                input: InputBinding(
                    name: row.text(0) ?? "", size: UInt64(clamping: row.integer(1)), sha256: row.text(2) ?? ""),
                outcomes: row.text(3) ?? "", outcomesSize: UInt64(clamping: row.integer(4)),
                records: row.isNull(5) ? nil : Int(clamping: row.integer(5)))
        }
    }

    /// The outcomes of all runs, and the pushes that have none.
    package func state() throws(CommandError) -> State {
        var state = State()
        var isWhole = true
        try attempt(.configuration) { () throws(SQLiteError) in
            let results = try database.prepare("SELECT outcome, reason, lines FROM results ORDER BY id")
            while try results.step() {
                guard let kind = PushOutcome.Kind(rawValue: results.text(0) ?? "") else { continue }
                let key = JournalResults.Key(kind: kind, reason: results.text(1))
                let isArray = results.withBytes(2) { JournalText.forEachLine($0) { state.settle($0, key) } }
                isWhole = isWhole && isArray
            }
            let batches = try database.prepare("SELECT intents FROM batches ORDER BY id")
            while try batches.step() {
                let isObject = batches.withBytes(0) { text in
                    JournalText.forEachIntent(text) { line, id in state.intend(line) { APNSID(utf8: id) } }
                }
                isWhole = isWhole && isObject
            }
        }
        guard isWhole else { throw .configuration("the journal \(path) is damaged: a batch can't be read") }
        return state
    }

    // MARK: Writing

    /// Binds a new journal to its campaign.
    package func begin(_ campaign: Campaign) throws(CommandError) {
        try attempt { () throws(SQLiteError) in
            let insert = try database.prepare("INSERT INTO campaign VALUES (1, ?, ?, ?, ?, ?, NULL)")
            try insert.bind(1, campaign.input.name)
            try insert.bind(2, Int64(clamping: campaign.input.size))
            try insert.bind(3, campaign.input.sha256)
            try insert.bind(4, campaign.outcomes)
            try insert.bind(5, Int64(clamping: campaign.outcomesSize))
            try insert.run()
        }
    }

    /// Stores intents, results, and the size of the outcomes file that has the rows of these results: all or nothing.
    func commit(_ intents: [Intent], _ results: inout JournalResults, outcomesSize: UInt64) throws(CommandError) {
        guard let statements else { return }
        try attempt { () throws(SQLiteError) in
            try database.transaction { () throws(SQLiteError) in
                if !intents.isEmpty { latest = (try statements.insert(intents), intents) }
                for (key, group) in results.takeAll() { try statements.insert(key, group) }
                try statements.setOutcomesSize(outcomesSize)
            }
        }
    }

    /// Takes back the last intents of the latest batch: these pushes were not offered.
    func retract(_ count: Int) throws(CommandError) {
        guard count > 0, let statements, let latest else { return }
        try attempt { () throws(SQLiteError) in
            try statements.replace(latest.row, latest.intents.dropLast(count))
        }
    }

    /// Stores how many records the input has.
    package func finish(records: Int) throws(CommandError) {
        try attempt { () throws(SQLiteError) in
            let update = try database.prepare("UPDATE campaign SET records = ?")
            try update.bind(1, Int64(records))
            try update.run()
        }
    }

    /// - Parameter status: If it fails. What cannot be written makes outcomes unknown.
    private func attempt<Result>(
        _ status: ExitStatus = .unknown, _ body: () throws(SQLiteError) -> Result
    ) throws(CommandError) -> Result {
        do throws(SQLiteError) { return try body() } catch { throw Self.failure(path, error, status) }
    }

    private static func failure(_ path: String, _ error: SQLiteError, _ status: ExitStatus) -> CommandError {
        CommandError(status, "the journal \(path) can't be used: \(error)")
    }
}

extension Journal {
    /// The statements of a run.
    private struct Statements {
        private let insertBatch: Statement
        private let replaceBatch: Statement
        private let insertResult: Statement
        private let setSize: Statement
        private let database: Database

        init(_ database: Database) throws(SQLiteError) {
            self.database = database
            insertBatch = try database.prepare("INSERT INTO batches (count, intents) VALUES (?, ?)")
            replaceBatch = try database.prepare("REPLACE INTO batches (count, intents, id) VALUES (?, ?, ?)")
            insertResult = try database.prepare(
                "INSERT INTO results (outcome, reason, count, lines) VALUES (?, ?, ?, ?)")
            setSize = try database.prepare("UPDATE campaign SET outcomes_size = ?")
        }

        /// Returns the row of the batch.
        func insert(_ intents: [Intent]) throws(SQLiteError) -> Int64 {
            try insertBatch.bind(1, Int64(intents.count))
            try insertBatch.bind(2, utf8: JournalText.intents(intents))
            try insertBatch.run()
            return database.lastInsertedRow
        }

        func replace(_ row: Int64, _ intents: ArraySlice<Intent>) throws(SQLiteError) {
            guard !intents.isEmpty else { return try database.execute("DELETE FROM batches WHERE id = \(row)") }
            try replaceBatch.bind(1, Int64(intents.count))
            try replaceBatch.bind(2, utf8: JournalText.intents(intents))
            try replaceBatch.bind(3, row)
            try replaceBatch.run()
        }

        func insert(_ key: JournalResults.Key, _ group: JournalResults.Group) throws(SQLiteError) {
            try insertResult.bind(1, key.kind.rawValue)
            try insertResult.bind(2, key.reason)
            try insertResult.bind(3, Int64(group.count))
            try insertResult.bind(4, utf8: group.lines)
            try insertResult.run()
        }

        func setOutcomesSize(_ size: UInt64) throws(SQLiteError) {
            try setSize.bind(1, Int64(clamping: size))
            try setSize.run()
        }
    }
}

/// The tables of a journal, and the views through which a person reads it.
enum JournalSchema {
    private static let version: Int64 = 1

    static func prepare(_ database: Database, isDurable: Bool) throws(SQLiteError) {
        let known = try database.integer("PRAGMA user_version") ?? 0
        guard known <= version else {
            throw SQLiteError(code: 0, message: "a newer pushctl made it (version \(known)); use that one")
        }
        if known < version {
            try database.transaction { () throws(SQLiteError) in try database.execute(tables) }
        }
        try database.execute("PRAGMA journal_mode = WAL")
        // With NORMAL, a commit survives the end of the process; with FULL, that of the machine.
        try database.execute("PRAGMA synchronous = \(isDurable ? "FULL" : "NORMAL")")
    }

    private static let tables = """
        PRAGMA application_id = \(JournalFile.applicationID);
        PRAGMA user_version = \(version);
        CREATE TABLE campaign (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            input TEXT NOT NULL, input_size INTEGER NOT NULL, input_sha256 TEXT NOT NULL,
            outcomes TEXT NOT NULL, outcomes_size INTEGER NOT NULL, records INTEGER);
        CREATE TABLE batches (id INTEGER PRIMARY KEY, count INTEGER NOT NULL, intents TEXT NOT NULL);
        CREATE TABLE results (
            id INTEGER PRIMARY KEY, outcome TEXT NOT NULL, reason TEXT, count INTEGER NOT NULL, lines TEXT NOT NULL);
        CREATE VIEW intents AS
            SELECT CAST(e.key AS INTEGER) AS line, e.value AS apns_id FROM batches, json_each(intents) AS e;
        CREATE VIEW outcomes AS
            SELECT e.value AS line, outcome, reason FROM results, json_each(lines) AS e;
        CREATE VIEW open AS
            SELECT line, apns_id FROM intents WHERE line NOT IN (SELECT line FROM outcomes);
        """
}
