import CPushSQLite

/// A prepared statement. Parameters count from 1, columns from 0, as in SQLite.
///
/// A statement that changes something runs with ``run()``; one with rows is stepped through. Bindings stay until they
/// are replaced.
package final class Statement {
    private let handle: OpaquePointer
    /// A statement ends before its connection.
    private let database: Database

    init(_ handle: OpaquePointer, _ database: Database) {
        self.handle = handle
        self.database = database
    }

    deinit { sqlite3_finalize(handle) }

    // MARK: Parameters

    package func bind(_ index: Int32, _ value: Int64?) throws(SQLiteError) {
        guard let value else { return try check(sqlite3_bind_null(handle, index)) }
        try check(sqlite3_bind_int64(handle, index, value))
    }

    package func bind(_ index: Int32, _ text: String?) throws(SQLiteError) {
        guard var text else { return try check(sqlite3_bind_null(handle, index)) }
        try check(text.withUTF8 { bindText(index, UnsafeRawBufferPointer($0)) })
    }

    /// Binds text that is UTF-8 already.
    package func bind(_ index: Int32, utf8 bytes: [UInt8]) throws(SQLiteError) {
        try check(bytes.withUnsafeBytes { bindText(index, $0) })
    }

    /// Sets all parameters to null.
    package func clearBindings() { sqlite3_clear_bindings(handle) }

    package func bind(_ index: Int32, blob bytes: [UInt8]) throws(SQLiteError) {
        try check(
            bytes.withUnsafeBytes { bytes in
                guard let count = Int32(exactly: bytes.count) else { return SQLITE_TOOBIG }
                // Without an address SQLite would bind null.
                return bytes.isEmpty
                    ? sqlite3_bind_zeroblob(handle, index, 0) : cpush_bind_blob(handle, index, bytes.baseAddress, count)
            })
    }

    private func bindText(_ index: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32 {
        guard let count = Int32(exactly: bytes.count) else { return SQLITE_TOOBIG }
        guard let base = bytes.baseAddress else { return cpush_bind_text(handle, index, "", 0) }
        return cpush_bind_text(handle, index, base.assumingMemoryBound(to: CChar.self), count)
    }

    // MARK: Running

    /// Runs it to its end, and makes it ready to run again.
    package func run() throws(SQLiteError) {
        defer { reset() }
        while try step() {}
    }

    /// Runs it with text that is UTF-8 already. SQLite makes no copy of its own: the parameter is null again afterwards.
    package func run(_ index: Int32, utf8 bytes: [UInt8]) throws(SQLiteError) {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(SQLiteError) in
                defer { sqlite3_bind_null(handle, index) }
                guard let base = bytes.baseAddress, let count = Int32(exactly: bytes.count) else {
                    try check(bindText(index, bytes))
                    return try run()
                }
                // Without a destructor the bytes only have to outlive the run.
                try check(sqlite3_bind_text(handle, index, base.assumingMemoryBound(to: CChar.self), count, nil))
                try run()
            }
        }
        try result.get()
    }

    /// Goes to the next row; false after the last one. Then, and after an error, the next call starts again.
    package func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        // Resetting would change the connection's message.
        let error = code == SQLITE_DONE ? nil : database.error(code)
        reset()
        if let error { throw error }
        return false
    }

    /// Leaves the present row, and releases the locks of reading.
    package func reset() { sqlite3_reset(handle) }

    // MARK: Looking at it

    /// Its text, with the parameters as they were written.
    package var text: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }

    /// How many steps of SQLite's own machine it took since ``resetSteps()``.
    package var steps: Int { Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 0)) }

    package func resetSteps() { _ = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1) }

    // MARK: Columns of the present row

    package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    package func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// Nil if the value is null. Bytes that are not UTF-8 are replaced.
    package func text(_ column: Int32) -> String? {
        isNull(column) ? nil : withBytes(column) { String(decoding: $0, as: UTF8.self) }
    }

    /// Passes the bytes of a text or a blob to `body`; they are valid only there.
    package func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let bytes = sqlite3_column_blob(handle, column)
        return body(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, column))))
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw database.error(code) }
    }
}
