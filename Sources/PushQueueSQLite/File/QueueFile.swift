import FoundationEssentials
import Glibc
import PushQueue
import PushSQLite

/// One queue in an open file. It is used only on the queue of its ``SQLiteQueue``.
final class QueueFile {
    let path: String
    let configuration: SQLiteQueue.Configuration
    let database: Database
    let sql: QueueStatements
    /// The number of the queue in this file.
    let queue: Int64
    /// The time of this machine, in UNIX milliseconds.
    let now: () -> Int64
    /// The same clock in UNIX nanoseconds.
    let nanoseconds: () -> Int64
    /// Up to which number no entry is fresh. `queues.taken_to` is at least as far once a worker has taken.
    var passed: Int64 = 0
    private let access: FileAccess
    private let identity: FileIdentity
    private let state: FileState

    /// The highest number that an entry of this queue can have.
    var highest: Int64 { (queue + 1) << QueueSchema.sequenceBits - 1 }

    /// Opens the file, or makes it, readable only by its owner. A file that may only be read is opened for reading.
    init(_ path: String, name: String, configuration: SQLiteQueue.Configuration, now: @escaping () -> Date) throws {
        guard !path.isEmpty, path != ":memory:" else { throw QueueFailure.isNoFile }
        if configuration.creates { try Self.makeIfMissing(path) }
        access = try FileAccess(path)
        state = FileState(path)
        let database = try Self.database(at: path, access: access, configuration: configuration)
        try Self.prepare(database, at: path, configuration: configuration)
        guard let identity = FileIdentity(path) else { throw QueueFailure.isGone(path) }
        self.identity = identity
        self.path = path
        self.configuration = configuration
        self.database = database
        self.now = { unixMilliseconds(now(), rounded: .down) }
        nanoseconds = { unixNanoseconds(now()) }
        queue = try Self.number(of: name, in: database, at: path, configuration: configuration)
        sql = try QueueStatements(database)
    }

    /// Whether the path still leads to this file.
    var isCurrent: Bool { FileIdentity(path) == identity }

    /// Whether it can only be read.
    var isReadOnly: Bool { database.isReadOnly }

    /// Whether it was opened without locks, so that it is only for one look.
    var isForOneLook: Bool { access == .readAlone }

    /// Whether no process has opened or changed the file since it was opened here.
    var isUnchanged: Bool { FileState(path) == state }

    private static func database(at path: String, access: FileAccess, configuration: SQLiteQueue.Configuration)
        throws -> Database
    {
        let kind: Database.Access =
            switch access {
            case .write: .readWrite
            case .read: .readOnly
            case .readAlone: .unchanging
            }
        let busy = max(0, min(configuration.busyTimeout / .milliseconds(1), 86_400_000))
        return try Database(path, kind, busyMilliseconds: Int32(busy))
    }

    private static func makeIfMissing(_ path: String) throws {
        // SQLite gives the files beside it the same rights. Closing any descriptor of the file would release the locks
        // of this process, so it happens before SQLite takes one, and only if there is no file.
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            throw QueueFailure.cannotOpen(path, code: errno)
        }
    }

    private static func prepare(_ database: Database, at path: String, configuration: SQLiteQueue.Configuration) throws
    {
        // Several processes may come here at the same time, so each look is one transaction.
        if try !database.reading({ try isOurs(database, at: path) }) {
            guard configuration.creates, !database.isReadOnly else { throw QueueFailure.isEmpty(path) }
            // SQLite takes the page size only before the first table; later it ignores this.
            try database.execute("PRAGMA page_size = \(QueueSchema.pageSize)")
            try database.atomically { if try !isOurs(database, at: path) { try database.execute(QueueSchema.tables) } }
        }
        if database.isReadOnly { return }
        try useLog(in: database, configuration: configuration)
        try QueueAddition.addAll(to: database)
        // With NORMAL, a commit survives the end of the process; with FULL, that of the machine.
        try database.execute("PRAGMA synchronous = \(configuration.durability == .machine ? "FULL" : "NORMAL")")
        // Zeros over what is deleted, where that writes no further page: some builds of SQLite write all of them.
        _ = try database.integer("PRAGMA secure_delete = FAST")
        if let pages = configuration.maxPages { _ = try database.integer("PRAGMA max_page_count = \(pages)") }
    }

    /// Turns the write-ahead log on. The file remembers that, so only the first process has to do it.
    private static func useLog(in database: Database, configuration: SQLiteQueue.Configuration) throws {
        // SQLite does not wait for a lock when it changes this, so several processes that start together may meet.
        let end = ContinuousClock.now + configuration.busyTimeout
        while true {
            do { return try database.execute("PRAGMA journal_mode = WAL") } catch {
                guard error.isBusy, ContinuousClock.now < end else { throw error }
                // SQLite has no event for a lock that is free again. Only the queue's own thread waits, up to
                // `busyTimeout`.
                usleep(2_000)
            }
        }
    }

    /// False if the file has no tables: the first call of a queue makes them.
    static func isOurs(_ database: Database, at path: String) throws -> Bool {
        let id = try database.integer("PRAGMA application_id") ?? 0
        if id == 0, try database.integer("SELECT count(*) FROM sqlite_schema") == 0 { return false }
        guard id == QueueSchema.applicationID else { throw QueueFailure.isForeign(path) }
        let version = try database.integer("PRAGMA user_version") ?? 0
        guard version <= QueueSchema.version else { throw QueueFailure.isLater(path, version: version) }
        return true
    }

    private static func number(
        of name: String, in database: Database, at path: String, configuration: SQLiteQueue.Configuration
    ) throws -> Int64 {
        if let known = try database.reading({ try find(name, in: database) }) { return known }
        guard configuration.creates, !database.isReadOnly else {
            throw QueueFailure.hasNoQueue(path, named: name, among: try names(database, atMost: 10))
        }
        return try database.atomically { try find(name, in: database) ?? make(name, in: database) }
    }

    private static func find(_ name: String, in database: Database) throws -> Int64? {
        let find = try database.prepare("SELECT queue FROM queues WHERE name = ?")
        try find.bind(1, name)
        defer { find.reset() }
        return try find.step() ? find.integer(0) : nil
    }

    /// The names of the queues in the file, sorted. A negative limit is none.
    static func names(_ database: Database, atMost limit: Int64 = -1) throws -> [String] {
        let names = try database.prepare("SELECT name FROM queues ORDER BY name LIMIT ?")
        try names.bind(1, limit)
        return try names.strings()
    }

    private static func make(_ name: String, in database: Database) throws -> Int64 {
        let queue = 1 + (try database.integer("SELECT max(queue) FROM queues") ?? 0)
        // Late answers to entries of a file that was lost must not settle entries of this one. Half of the numbers are
        // left.
        let start = queue << QueueSchema.sequenceBits + Int64.random(in: 0..<(1 << (QueueSchema.sequenceBits - 1)))
        let insert = try database.prepare(
            "INSERT INTO queues (queue, name, last, taken_to, entries) VALUES (?1, ?2, \(start), \(start), 0)")
        try insert.bind(1, queue)
        try insert.bind(2, name)
        try insert.run()
        for list in OutcomeList.allCases {
            try database.execute("INSERT INTO lists (queue, list) VALUES (\(queue), '\(list.rawValue)')")
        }
        return queue
    }
}

/// UNIX milliseconds of any date, also one that no integer can express.
func unixMilliseconds(_ date: Date, rounded rule: FloatingPointRoundingRule) -> Int64 {
    let value = (date.timeIntervalSince1970 * 1_000).rounded(rule)
    return value.isNaN ? 0 : Int64(max(-1e15, min(1e15, value)))
}

/// UNIX nanoseconds of a date up to the year 2200.
func unixNanoseconds(_ date: Date) -> Int64 {
    let value = date.timeIntervalSince1970 * 1_000_000_000
    return value.isNaN ? 0 : Int64(max(0, min(7e18, value)))
}
