import PushSQLite

/// What files of earlier programs lack. They have the same version, because those programs can go on with a file that has
/// it. A file that may only be read stays without it.
enum QueueAddition: CaseIterable {
    /// The limit of outcomes, the times of outcomes, and the notes of workers.
    case notes
    /// The pause and the rate of a queue.
    case steering

    /// A column of the table `queues` that came with it.
    private var column: String {
        switch self {
        case .notes: "max_outcomes"
        case .steering: "paused"
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
        }
    }

    /// Whether a file has it.
    func isIn(_ database: Database) throws -> Bool {
        try database.integer("SELECT count(*) FROM pragma_table_info('queues') WHERE name = '\(column)'") == 1
    }

    /// Adds what a file lacks. Several processes may come here at the same time.
    static func addAll(to database: Database) throws {
        if try allCases.allSatisfy({ try $0.isIn(database) }) { return }
        try database.atomically {
            for addition in allCases where try !addition.isIn(database) { try database.execute(addition.sql) }
        }
    }
}
