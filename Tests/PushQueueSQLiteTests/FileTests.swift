import Foundation
import PushProtocol
import PushQueue
import PushSQLite
import Testing

@testable import PushQueueSQLite

@Suite struct FileTests {
    private let bench = QueueBench()

    @Test func onlyItsOwnerMayReadTheFile() async throws {
        let queue = bench.queue()
        try await queue.enqueue([entry()])
        for suffix in ["", "-wal"] {
            let rights = try FileManager.default.attributesOfItem(atPath: bench.path + suffix)[.posixPermissions]
            #expect(rights as? Int == 0o600)
        }
        // The log is removed when the last connection is closed.
        #expect(try await queue.status().waiting == 1)
    }

    @Test func aPersonCanReadWhatIsStored() async throws {
        let entry = try entry(2)
        let queue = bench.queue("shop")
        try await queue.enqueue([entry])
        let database = try bench.database()
        let select = try database.prepare(
            "SELECT name, id, entries.count, tokens, payload FROM entries JOIN queues ON queue = entries.number >> 40")
        #expect(try select.step())
        #expect(select.text(0) == "shop" && select.text(1) == entry.id.description && select.integer(2) == 2)
        #expect(select.text(3) == entry.tokens.map(\.hex).joined(separator: " "))
        #expect(select.text(4)?.contains("Boarding") == true)
        select.reset()
        try await queue.settle(as: .ann, queue.take(as: .ann, tokens: 9).map { try $0.delivered() })
        #expect(try database.integer("SELECT sum(rows LIKE '%\"outcome\":\"delivered\"%') FROM outcomes") == 1)
    }

    @Test func eachFieldOfAnEntryHasAColumn() {
        #expect(Set(QueueSchema.fields) == Set(EntryField.Name.allCases))
        #expect(QueueSchema.fields.count == EntryField.Name.allCases.count)
    }

    @Test func aNewFileHasLargePages() async throws {
        try await bench.queue().enqueue([entry()])
        #expect(try bench.database().integer("PRAGMA page_size") == Int64(QueueSchema.pageSize))
    }

    @Test func anExistingFileKeepsItsPages() async throws {
        let database = try Database(bench.path)
        try database.execute("PRAGMA page_size = 4096; \(QueueSchema.tables)")
        let (queue, entry) = (bench.queue(), try entry())
        try await queue.enqueue([entry])
        #expect(try await queue.take(as: .ann, tokens: 9).first?.entry.get().id == entry.id)
        #expect(try database.integer("PRAGMA page_size") == 4_096)
    }

    /// How a file of format 2 differs.
    private static let hasNoLanes = """
        DROP INDEX later_due;
        ALTER TABLE entries DROP COLUMN urgent;
        ALTER TABLE later DROP COLUMN urgent;
        ALTER TABLE queues DROP COLUMN debt;
        DROP INDEX campaigns_rate;
        ALTER TABLE campaigns DROP COLUMN rate;
        ALTER TABLE campaigns DROP COLUMN aside;
        ALTER TABLE campaigns DROP COLUMN charged;
        CREATE INDEX later_due ON later (queue, due);
        PRAGMA user_version = 2;
        """

    @Test func aFileWithoutLanesIsReadAndGetsThem() async throws {
        let entries = try (0..<4).map { _ in try entry() }
        let queue = bench.queue()
        try await queue.enqueue(entries)
        let taken = try await queue.take(as: .ann, tokens: 3)
        try await queue.release(as: .ann, [taken[1].key])
        let again = Settlement.Fate.again(notBefore: Date(timeIntervalSince1970: 0), retries: 1)
        try await queue.settle(as: .ann, [Settlement(taken[2].key, rows: [], fate: again)])
        try bench.database().execute(Self.hasNoLanes)
        let later = try bench.copy()
        var status = try await later.status()
        #expect(status.waiting == 3 && status.urgent == 0)
        var urgent = try entry()
        urgent.isUrgent = true
        try await later.enqueue([urgent])
        status = try await later.status()
        #expect(status.waiting == 4 && status.urgent == 1)
        let found = try await later.take(as: .bob, tokens: 9).map { try $0.entry.get().id }
        #expect(found == [urgent.id, entries[1].id, entries[2].id, entries[3].id])
        try await later.release(as: .ann, [taken[0].key])
        #expect(try await later.take(as: .bob, tokens: 9).map(\.key) == [taken[0].key])
    }

    @Test func aFileOfFormat1IsReadAndGoesOn() async throws {
        let (first, second) = try (entry(), entry())
        let queue = bench.queue()
        try await queue.enqueue([first, second])
        try await queue.settle(as: .ann, queue.take(as: .ann, tokens: 1).map { try $0.delivered() })
        // As that version left it.
        try bench.database().execute(
            """
            \(Self.hasNoLanes)
            ALTER TABLE queues DROP COLUMN max_outcomes;
            ALTER TABLE outcomes DROP COLUMN stored;
            ALTER TABLE workers DROP COLUMN note;
            ALTER TABLE queues DROP COLUMN paused;
            ALTER TABLE queues DROP COLUMN rate;
            ALTER TABLE queues DROP COLUMN burst;
            ALTER TABLE entries DROP COLUMN campaign;
            DROP TABLE campaigns;
            DROP TABLE campaign_outcomes;
            PRAGMA user_version = 1;
            """)
        let later = try bench.copy()
        #expect(try await later.steering() == QueueSteering())
        #expect(try await later.steer(.pause).isPaused)
        try await later.steer(.resume)
        #expect(try await later.campaigns().isEmpty)
        #expect(try await later.outcomes(.all, after: nil, limit: 10).outcomes.map(\.entry) == [first.id])
        try await later.settle(as: .bob, later.take(as: .bob, tokens: 1).map { try $0.delivered() })
        try await later.limitOutcomes(to: 5)
        let page = try await later.outcomes(.all, after: nil, limit: 10)
        #expect(page.outcomes.map(\.entry) == [first.id, second.id] && page.unreadable.isEmpty)
    }

    @Test func theNamesInAFileAreQueuesOfTheirOwn() async throws {
        let (shop, news) = (bench.queue("shop"), bench.queue("news"))
        let (first, second) = try (entry(), entry())
        try await shop.enqueue([first])
        try await news.enqueue([second])
        let taken = try await shop.take(as: .ann, tokens: 9)
        #expect(try taken.map { try $0.entry.get().id } == [first.id])
        try await news.settle(as: .ann, taken.map { try $0.delivered() })
        try await news.release(as: .ann, taken.map(\.key))
        #expect(try await news.recover(as: .ann, besides: []).isEmpty)
        #expect(try await shop.status().workers.mapValues(\.taken) == [.ann: 1])
        #expect(try await news.status().waiting == 1)
        #expect(try await news.status().outcomes == 0)
        #expect(try await news.beat(as: .bob).keys.contains(.ann) == false)
        #expect(try await news.cancel([first.id]) == Cancellation())
    }

    @Test(arguments: [1, 100]) func aFileThatIsNoDatabaseIsRefusedAndKept(_ lines: Int) async throws {
        let text = Data(String(repeating: "notes of mine\n", count: lines).utf8)
        try text.write(to: URL(fileURLWithPath: bench.path))
        let error = await error { try await bench.queue().open(as: .ann) }
        #expect(error?.code == .refused && error?.description.contains("\(bench.path) is not a database") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: bench.path)) == text)
    }

    @Test func anotherProgramsDatabaseIsRefusedAndKept() async throws {
        let other = try Database(bench.path)
        try other.execute("CREATE TABLE notes (text TEXT)")
        let error = await error { try await bench.queue().open(as: .ann) }
        #expect(error?.code == .refused && error?.description.contains("another program") == true)
        #expect(try other.integer("SELECT count(*) FROM sqlite_schema") == 1)
    }

    @Test func aFileOfALaterVersionIsRefused() async throws {
        let queue = bench.queue()
        try await queue.enqueue([entry()])
        try bench.database().execute("PRAGMA user_version = 4")
        let error = await error { try await bench.queue().open(as: .ann) }
        // The one that has it open goes on.
        #expect(try await queue.status().waiting == 1)
        #expect(error?.code == .refused && error?.description.contains("format 4") == true)
    }

    @Test func aDamagedFileIsAnErrorThatSaysWhatToDo() async throws {
        let whole = bench.queue()
        try await whole.enqueue((0..<200).map { _ in try entry(20) })
        try bench.database().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let copy = bench.folder + "/damaged.db"
        try FileManager.default.copyItem(atPath: bench.path, toPath: copy)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: copy))
        // The first page has the header and the tables' names.
        try file.seek(toOffset: UInt64(QueueSchema.pageSize))
        try file.write(contentsOf: Data(repeating: 0xA5, count: 400_000))
        try file.close()
        let error = await error {
            let queue = bench.queue(path: copy)
            while try await !queue.take(as: .ann, tokens: 100).isEmpty {}
        }
        #expect(error?.code == .failed && error?.description.contains(".recover") == true)
        #expect(try await whole.status().waiting == 200)
    }

    @Test(arguments: ["", ":memory:"]) func aQueueNeedsAFile(_ path: String) async throws {
        #expect(await error { try await SQLiteQueue(path).open(as: .ann) }?.code == .refused)
        #expect(!FileManager.default.fileExists(atPath: ":memory:"))
    }

    @Test func aFolderThatDoesNotExistIsAnError() async throws {
        let queue = SQLiteQueue(bench.folder + "/none/pushes.db")
        let error = await error { try await queue.open(as: .ann) }
        #expect(error?.code == .failed && error?.description.contains("folder") == true)
    }

    @Test func aFileThatIsRemovedIsLostAndMadeAgain() async throws {
        let queue = bench.queue()
        try await queue.enqueue([entry()])
        for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: bench.path + suffix) }
        #expect(await error { _ = try await queue.beat(as: .ann) }?.code == .lost)
        try await queue.enqueue([entry()])
        #expect(try await queue.take(as: .ann, tokens: 9).count == 1)
    }

    @Test func anAnswerToAnEntryOfALostFileSettlesNothingOfTheNewOne() async throws {
        let queue = bench.queue()
        try await queue.enqueue([entry()])
        let old = try #require(try await queue.take(as: .ann, tokens: 1).first)
        for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: bench.path + suffix) }
        #expect(await error { _ = try await queue.beat(as: .ann) }?.code == .lost)
        try await queue.enqueue([entry()])
        let new = try #require(try await queue.take(as: .ann, tokens: 1).first)
        #expect(new.key != old.key)
        try await queue.settle(as: .ann, [old.delivered()])
        let status = try await queue.status()
        #expect(status.taken == 1 && status.outcomes == 0)
    }

    @Test func aReaderOfALostFileStartsFromTheBeginning() async throws {
        let queue = bench.queue()
        func push() async throws {
            try await queue.enqueue([entry()])
            try await queue.settle(as: .ann, queue.take(as: .ann, tokens: 1).map { try $0.delivered() })
        }
        for _ in 0..<3 { try await push() }
        let position = try await queue.outcomes(.all, after: nil, limit: 9).position
        for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: bench.path + suffix) }
        #expect(await error { _ = try await queue.beat(as: .ann) }?.code == .lost)
        try await push()
        #expect(try await queue.outcomes(.all, after: position, limit: 9).outcomes.count == 1)
    }

    @Test func anEntryWithANegativeCountIsSettledWithoutOutcomes() async throws {
        let queue = bench.queue()
        try await queue.enqueue([entry(2)])
        let taken = try await queue.take(as: .ann, tokens: 9)
        try bench.database().execute("UPDATE taken SET count = -1")
        try await queue.settle(as: .ann, taken.map { try $0.delivered() })
        let status = try await queue.status()
        #expect(status.taken == 0 && status.outcomes == 0)
    }

    @Test func anEntryThatCannotBeReadIsTakenWithItsError() async throws {
        let queue = bench.queue()
        let entries = try [entry(), entry()]
        try await queue.enqueue(entries)
        try bench.database().execute("UPDATE entries SET payload = 'secret' WHERE id = '\(entries[0].id)'")
        let taken = try await queue.take(as: .ann, tokens: 9)
        guard case .failure(let error) = try #require(taken.first).entry else { throw Unexpected() }
        #expect(error.code == .invalidEntry && !error.description.contains("secret"))
        #expect(try taken.last?.entry.get().id == entries[1].id)
        try await queue.settle(as: .ann, [Settlement(taken[0].key, rows: [], fate: .dead(error.description))])
        #expect(try await queue.deadLetters(limit: 9).map(\.reason) == [error.description])
        let letters = try await queue.deadLetters(limit: 9).map(\.key)
        #expect(try await queue.requeue(letters) == letters)
        #expect(try await queue.requeue(letters).isEmpty)
        // Still no worker can read it.
        guard case .failure = try #require(try await queue.take(as: .ann, tokens: 9).first).entry else {
            throw Unexpected()
        }
    }
}

struct Unexpected: Error {}
