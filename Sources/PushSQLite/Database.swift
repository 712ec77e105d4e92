import CPushSQLite

#if os(Linux)
    import Glibc
#else
    #error("supervised-push runs on Linux: see docs/support.md")
#endif

/// A connection to an SQLite database. It is closed when nothing refers to it or its statements.
///
/// Use it on one thread at a time. Several processes may use one file.
package final class Database {
    package enum Access: Sendable {
        case readOnly
        case readWrite
        /// Reads a file that no process changes meanwhile: it takes no locks, and neither reads nor makes files beside
        /// it.
        case unchanging
        /// Makes the file if it does not exist, with the rights that the process gives to new files.
        case create

        fileprivate var flags: Int32 {
            switch self {
            case .readOnly: SQLITE_OPEN_READONLY
            case .unchanging: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            case .readWrite: SQLITE_OPEN_READWRITE
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            }
        }
    }

    let handle: OpaquePointer
    private let guardian: AnyObject?

    /// - Parameters:
    ///   - path: A file. A database in memory has the name `:memory:`.
    ///   - busyMilliseconds: How long to wait for a lock that another connection holds.
    ///   - guardian: What must live until the database is closed, such as a lock of the file.
    package init(
        _ path: String, _ access: Access = .create, busyMilliseconds: Int32 = 5_000, guardian: AnyObject? = nil
    ) throws(SQLiteError) {
        var opened: OpaquePointer?
        let name = access == .unchanging ? "file:\(Self.escaped(path))?immutable=1" : path
        let code = sqlite3_open_v2(name, &opened, access.flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            // A connection that failed to open has the message, and must be closed.
            defer { sqlite3_close_v2(opened) }
            throw opened.map { Self.error($0, code) } ?? SQLiteError(code: code, message: "out of memory")
        }
        handle = opened
        self.guardian = guardian
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, busyMilliseconds)
    }

    deinit { sqlite3_close_v2(handle) }

    /// A path as a part of a URI.
    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"):
                String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }.joined()
    }

    /// Whether nothing can be written, because it was opened so or because this process may not.
    package var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Runs statements that have no parameters, and ignores their rows.
    package func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Prepares one statement, to be used many times.
    package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK else { throw error(code) }
        guard let prepared else { throw SQLiteError(code: SQLITE_MISUSE, message: "there is no statement in the text") }
        return Statement(prepared, self)
    }

    /// The first column of the first row; nil if there is no row, or its value is null.
    package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try prepare(sql)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.integer(0)
    }

    /// Runs `body` in a transaction that may write from its beginning. An error takes back everything.
    package func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // After some errors, such as a full disk, SQLite has taken everything back already.
            if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Runs `body` like ``transaction(_:)``; it may also throw other errors than SQLite's.
    package func atomically<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN IMMEDIATE")
        return try finishing(body)
    }

    /// Runs `body` in a transaction that only reads, and sees one state of the database.
    package func reading<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN")
        return try finishing(body)
    }

    private func finishing<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// How many rows the latest INSERT, UPDATE or DELETE has changed.
    package var changedRows: Int { Int(sqlite3_changes(handle)) }

    /// The row id of the latest insertion.
    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    func error(_ code: Int32) -> SQLiteError { Self.error(handle, code) }

    private static func error(_ handle: OpaquePointer, _ code: Int32) -> SQLiteError {
        // An error of the file system has its cause in the system's number.
        let system = code & 0xFF == SQLITE_IOERR || code & 0xFF == SQLITE_CANTOPEN ? sqlite3_system_errno(handle) : 0
        let message = String(cString: sqlite3_errmsg(handle))
        let cause = system == 0 ? "" : ": " + String(cString: strerror(system)).lowercased()
        return SQLiteError(code: code, message: message + cause)
    }
}
