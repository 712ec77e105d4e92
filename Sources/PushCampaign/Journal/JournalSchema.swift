import PushSQLite

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
