import PushSQLite

/// What files of earlier programs lack. A file that may only be read stays without it.
enum QueueAddition: CaseIterable {
    /// The limit of outcomes, the times of outcomes, and the notes of workers.
    case notes
    /// The pause and the rate of a queue.
    case steering
    /// The campaigns, and which entry belongs to which.
    case campaigns
    /// The lanes, and which entry is in which; the rates of campaigns.
    case lanes

    /// A column that came with it, and its table.
    private var mark: (column: String, table: String) {
        switch self {
        case .notes: ("max_outcomes", "queues")
        case .steering: ("paused", "queues")
        case .campaigns: ("campaign", "entries")
        case .lanes: ("urgent", "entries")
        }
    }

    private var sql: String {
        switch self {
        case .notes:
            """
            ALTER TABLE queues ADD COLUMN max_outcomes INTEGER;
            ALTER TABLE outcomes ADD COLUMN stored INTEGER;
            ALTER TABLE workers ADD COLUMN note TEXT;
            """
        case .steering:
            """
            ALTER TABLE queues ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE queues ADD COLUMN rate REAL;
            ALTER TABLE queues ADD COLUMN burst INTEGER;
            """
        case .campaigns:
            """
            ALTER TABLE entries ADD COLUMN campaign TEXT;
            CREATE TABLE campaigns (
                queue INTEGER NOT NULL, name TEXT NOT NULL, record TEXT NOT NULL, hold TEXT,
                PRIMARY KEY (queue, name)) WITHOUT ROWID;
            CREATE INDEX campaigns_hold ON campaigns (queue, name, hold) WHERE hold IS NOT NULL;
            CREATE TABLE campaign_outcomes (
                queue INTEGER NOT NULL, name TEXT NOT NULL, word TEXT NOT NULL, count INTEGER NOT NULL,
                PRIMARY KEY (queue, name, word)) WITHOUT ROWID;
            """
        case .lanes:
            """
            ALTER TABLE entries ADD COLUMN urgent TEXT;
            ALTER TABLE later ADD COLUMN urgent INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE queues ADD COLUMN debt INTEGER NOT NULL DEFAULT 0;
            ALTER TABLE campaigns ADD COLUMN rate TEXT;
            ALTER TABLE campaigns ADD COLUMN aside INTEGER;
            ALTER TABLE campaigns ADD COLUMN charged INTEGER NOT NULL DEFAULT 0;
            CREATE INDEX campaigns_rate ON campaigns (queue, name) WHERE rate IS NOT NULL;
            DROP INDEX later_due;
            CREATE INDEX later_due ON later (queue, urgent, due);
            PRAGMA user_version = \(QueueSchema.version);
            """
        }
    }

    /// Whether a file has it.
    func isIn(_ database: Database) throws -> Bool {
        let (column, table) = mark
        return try database.integer("SELECT count(*) FROM pragma_table_info('\(table)') WHERE name = '\(column)'") == 1
    }

    /// Adds what a file lacks. Several processes may come here at the same time.
    static func addAll(to database: Database) throws {
        if try allCases.allSatisfy({ try $0.isIn(database) }) { return }
        try database.atomically {
            for addition in allCases where try !addition.isIn(database) { try database.execute(addition.sql) }
        }
    }
}
