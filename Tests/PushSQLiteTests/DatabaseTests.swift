import Foundation
import PushSQLite
import Testing

@Suite final class DatabaseTests {
    private let path = NSTemporaryDirectory() + "/push-sqlite-\(UUID().uuidString).db"

    deinit {
        for suffix in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    private func table() throws -> Database {
        let database = try Database(path)
        try database.execute("CREATE TABLE t (number INTEGER PRIMARY KEY, text TEXT, bytes BLOB)")
        return database
    }

    @Test func valuesComeBackAsTheyWere() throws {
        let database = try table()
        let insert = try database.prepare("INSERT INTO t VALUES (?, ?, ?)")
        let rows: [(Int64, String?, [UInt8])] = [
            (.min, "", []), (0, "é,😀", [0, 255]), (1, nil, [1]), (.max, "a\u{0}b", Array(repeating: 7, count: 9000)),
        ]
        for (number, text, bytes) in rows {
            try insert.bind(1, number)
            try insert.bind(2, text)
            try insert.bind(3, blob: bytes)
            try insert.run()
        }
        let select = try database.prepare("SELECT number, text, bytes FROM t ORDER BY number")
        for (number, text, bytes) in rows {
            #expect(try select.step())
            #expect(select.integer(0) == number && select.text(1) == text)
            #expect(select.withBytes(2) { Array($0) } == bytes && !select.isNull(2))
        }
        #expect(try !select.step())
    }

    @Test func anEmptyTextIsNotNull() throws {
        let database = try table()
        let insert = try database.prepare("INSERT INTO t VALUES (1, ?, NULL)")
        try insert.bind(1, utf8: [])
        try insert.run()
        #expect(try database.integer("SELECT count(*) FROM t WHERE text = ''") == 1)
        #expect(try database.integer("SELECT bytes FROM t") == nil)
        #expect(try database.integer("SELECT number FROM t WHERE number = 2") == nil)
    }

    @Test func textOfOneRunIsBoundOnlyForIt() throws {
        let database = try table()
        let insert = try database.prepare("INSERT INTO t (bytes) VALUES (?)")
        let large = [UInt8](repeating: UInt8(ascii: "x"), count: 20_000)
        for bytes in [large, [], Array("é".utf8)] { try insert.run(1, utf8: bytes) }
        try insert.run()
        let select = try database.prepare("SELECT bytes FROM t ORDER BY rowid")
        for text in [String(decoding: large, as: UTF8.self), "", "é", nil] {
            #expect(try select.step() && select.text(0) == text)
        }
    }

    @Test func anErrorSaysWhatSQLiteSays() throws {
        let database = try table()
        let error = #expect(throws: SQLiteError.self) { try database.execute("SELECT * FROM nowhere") }
        #expect(error?.description == "no such table: nowhere (SQLite 1)")
        #expect(throws: SQLiteError.self) { try database.prepare("") }
        #expect(throws: SQLiteError.self) { try Database("/nowhere/at/all.db") }
        #expect(throws: SQLiteError.self) { try Database(path + ".none", .readOnly) }
    }

    @Test func aTransactionThatFailsLeavesNothing() throws {
        let database = try table()
        let insert = try database.prepare("INSERT INTO t (number) VALUES (1)")
        #expect(throws: SQLiteError.self) {
            try database.transaction { () throws(SQLiteError) in
                try insert.run()
                try insert.run()
            }
        }
        #expect(try database.integer("SELECT count(*) FROM t") == 0)
        try database.transaction { () throws(SQLiteError) in try insert.run() }
        #expect(try database.integer("SELECT count(*) FROM t") == 1)
        #expect(database.lastInsertedRow == 1)
    }

    @Test func aTransactionMayFailForOtherReasons() throws {
        struct Refused: Error {}
        let database = try table()
        #expect(throws: Refused.self) {
            try database.atomically {
                try database.execute("INSERT INTO t (number) VALUES (1)")
                throw Refused()
            }
        }
        #expect(try database.integer("SELECT count(*) FROM t") == 0)
        try database.atomically { try database.execute("INSERT INTO t (number) VALUES (1)") }
        #expect(try database.integer("SELECT count(*) FROM t") == 1)
    }

    @Test func readingSeesOneStateOfTheDatabase() throws {
        let database = try table()
        try database.execute("PRAGMA journal_mode = WAL")
        let other = try Database(path, .readWrite)
        try database.reading {
            #expect(try database.integer("SELECT count(*) FROM t") == 0)
            try other.execute("INSERT INTO t (number) VALUES (1)")
            #expect(try database.integer("SELECT count(*) FROM t") == 0)
        }
        #expect(try database.integer("SELECT count(*) FROM t") == 1)
    }

    @Test func aStatementSaysHowManyRowsItChanged() throws {
        let database = try table()
        try database.execute("INSERT INTO t (number) VALUES (1), (2), (3)")
        let delete = try database.prepare("DELETE FROM t WHERE number >= ?")
        try delete.bind(1, 2)
        try delete.run()
        #expect(database.changedRows == 2)
        // No number is at least null.
        delete.clearBindings()
        try delete.run()
        #expect(database.changedRows == 0)
    }

    @Test func aLockThatAnotherConnectionHoldsIsAnError() throws {
        let database = try table()
        try database.execute("BEGIN IMMEDIATE")
        let other = try Database(path, .readWrite, busyMilliseconds: 0)
        let error = #expect(throws: SQLiteError.self) { try other.execute("BEGIN IMMEDIATE") }
        #expect(error?.isBusy == true)
        try database.execute("COMMIT")
        try other.execute("BEGIN IMMEDIATE; COMMIT")
    }

    @Test func aFullDatabaseIsAnErrorAndStaysUsable() throws {
        let database = try table()
        try database.execute("PRAGMA max_page_count = 3")
        let insert = try database.prepare("INSERT INTO t (bytes) VALUES (zeroblob(?))")
        try insert.bind(1, 100_000)
        let error = #expect(throws: SQLiteError.self) {
            try database.transaction { () throws(SQLiteError) in try insert.run() }
        }
        #expect(error?.isFull == true)
        #expect(error?.code == 13 && error?.message == "database or disk is full")
        try insert.bind(1, 10)
        try database.transaction { () throws(SQLiteError) in try insert.run() }
        #expect(try database.integer("SELECT count(*) FROM t") == 1)
    }

    @Test func aStatementKeepsItsConnectionOpen() throws {
        let select = try table().prepare("SELECT count(*) FROM t")
        #expect(try select.step() && select.integer(0) == 0)
    }
}
