import CPushSQLite

/// What SQLite reports, in its own words.
package struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The extended result code, such as 5 (`SQLITE_BUSY`) or 13 (`SQLITE_FULL`).
    package let code: Int32
    package let message: String

    package init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    /// Another connection holds the lock that is needed, and held it for the whole busy timeout.
    package var isBusy: Bool { code & 0xFF == SQLITE_BUSY }

    /// The disk is full, or the file is as large as it may be.
    package var isFull: Bool { code & 0xFF == SQLITE_FULL }

    package var description: String { "\(message) (SQLite \(code))" }
}
