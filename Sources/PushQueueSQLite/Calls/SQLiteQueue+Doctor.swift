import FoundationEssentials
import Glibc
import PushQueue
import PushSQLite

/// What an examination of a queue's file has found. Nothing was changed.
package struct SQLiteQueueFacts: Sendable {
    /// The rights of the file, as `stat` shows them, without its kind.
    package var mode: UInt32 = 0
    /// Whether it has no tables yet.
    package var isEmpty = false
    /// Whether this process may write the file and its folder.
    package var isWritable = false
    /// The bytes of the file, of its write-ahead log, and those that are free on its file system for this user.
    package var bytes: Int64 = 0
    package var logBytes: Int64 = 0
    package var freeBytes: Int64 = 0
    /// The version of the SQLite library.
    package var library = ""
    /// The version of the format, which is known.
    package var version: Int64 = 0
    package var journalMode = ""
    /// The names of the queues in it.
    package var names: [String] = []
    /// What `quick_check` complains about, at most five sentences.
    package var problems: [String] = []

    package init() {}
}

extension SQLiteQueue {
    /// The names of the queues in a file, sorted. It makes no file and no queue, and blocks for a moment.
    ///
    /// - Throws: `refused` if the file is another program's, of a later version, or cannot be read; `failed` if there is
    ///   no such file, or it is damaged.
    package static func names(in path: String) throws(QueueError) -> [String] {
        try examining(path) { database in
            try QueueFile.isOurs(database, at: path) ? QueueFile.names(database) : []
        }
    }

    /// Examines a file. It reads all of it, so it may take seconds. It blocks; call it on a thread of its own.
    ///
    /// - Throws: As ``names(in:)`` does.
    package static func examine(_ path: String) throws(QueueError) -> SQLiteQueueFacts {
        try examining(path) { database in
            var facts = SQLiteQueueFacts()
            facts.isEmpty = try !QueueFile.isOurs(database, at: path)
            facts.version = try database.integer("PRAGMA user_version") ?? 0
            facts.library = try database.prepare("SELECT sqlite_version()").strings().first ?? ""
            facts.journalMode = try database.prepare("PRAGMA journal_mode").strings().first ?? ""
            if !facts.isEmpty { facts.names = try QueueFile.names(database) }
            facts.problems = try database.prepare("PRAGMA quick_check(5)").strings().filter { $0 != "ok" }
            measure(path, into: &facts)
            return facts
        }
    }

    private static func examining<Result>(
        _ path: String, _ body: (Database) throws -> Result
    ) throws(QueueError) -> Result {
        do {
            let isAlone = try FileAccess(path) == .readAlone
            return try body(try Database(path, isAlone ? .unchanging : .readOnly))
        } catch {
            throw QueueFailure.translate(error, at: path, configuration: SQLiteQueue.Configuration())
        }
    }

    private static func measure(_ path: String, into facts: inout SQLiteQueueFacts) {
        var status = stat()
        if stat(path, &status) == 0 { (facts.bytes, facts.mode) = (Int64(status.st_size), status.st_mode & 0o7777) }
        if stat(path + "-wal", &status) == 0 { facts.logBytes = Int64(status.st_size) }
        let place = FileAccess.folder(of: path)
        facts.isWritable = access(path, W_OK) == 0 && access(place, W_OK | X_OK) == 0
        facts.freeBytes = Int64(clamping: FreeSpace.bytes(at: place) ?? 0)
    }
}
