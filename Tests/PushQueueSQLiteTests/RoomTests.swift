import PushQueue
import PushQueueTesting
import PushSQLite
import Testing

@testable import PushQueueSQLite

@Suite struct RoomTests {
    private let bench = QueueBench()

    /// Takes and settles one entry after another.
    private func push(_ queue: SQLiteQueue, _ count: Int = .max) async throws -> Int {
        var pushed = 0
        while pushed < count, let taken = try await queue.take(as: .ann, tokens: 1).first {
            try await queue.settle(as: .ann, [taken.delivered()])
            pushed += 1
        }
        return pushed
    }

    @Test func outcomesThatWereNotReadAreCountedWhenTheyAreRemoved() async throws {
        var options = SQLiteQueue.Configuration()
        options.maxOutcomes = 5
        let queue = bench.queue("push", options)
        try await queue.enqueue((0..<8).map { _ in try entry() })
        #expect(try await push(queue, 3) == 3)
        let page = try await queue.outcomes(.all, after: nil, limit: 2)
        #expect(page.outcomes.count == 2)
        // It asks for what follows, so it has read two.
        let rest = try await queue.outcomes(.all, after: page.position, limit: 2)
        #expect(rest.outcomes.count == 1)
        #expect(try await push(queue) == 5)
        let status = try await queue.status()
        #expect(status.outcomes == 5 && status.outcomesCut == 1)
        #expect(try await queue.outcomes(.all, after: rest.position, limit: 9).outcomes.count == 5)
        #expect(try await queue.outcomes(.all, after: nil, limit: 9).outcomes.count == 5)
    }

    @Test func aPositionThatTheQueueNeverGaveIsAnError() async throws {
        let queue = bench.queue()
        for position in ["", "x", "1", "1.2.3", "-1.0", "1.-1"] {
            let error = await error { _ = try await queue.outcomes(.all, after: position, limit: 1) }
            #expect(error?.code == .invalidEntry)
        }
    }

    @Test func theOldestDeadLettersAreRemoved() async throws {
        var options = SQLiteQueue.Configuration()
        options.maxDeadLetters = 2
        let queue = bench.queue("push", options)
        try await queue.enqueue((0..<4).map { _ in try entry() })
        for (number, taken) in try await queue.take(as: .ann, tokens: 4).enumerated() {
            try await queue.settle(as: .ann, [Settlement(taken.key, rows: [], fate: .dead("\(number)"))])
        }
        #expect(try await queue.deadLetters(limit: 9).map(\.reason) == ["2", "3"])
        #expect(try bench.database().integer("SELECT count(*) FROM entries") == 2)
    }

    @Test func theLatestCallsOfProducersAreRemembered() async throws {
        let queue = bench.queue()
        let entries = try (0...10_000).map { _ in try entry() }
        for entry in entries { try await queue.enqueue([entry]) }
        #expect(try bench.database().integer("SELECT count(*) FROM calls") == 10_000)
        for entry in entries[1...3] + entries.suffix(3) { try await queue.enqueue([entry]) }
        #expect(try await queue.status().waiting == 10_001)
        // The first one is forgotten, so it is put in twice.
        try await queue.enqueue([entries[0]])
        #expect(try await queue.status().waiting == 10_002)
    }

    @Test func aCallIsRememberedForAMinute() async throws {
        let queue = bench.queue()
        let entry = try entry()
        try await queue.enqueue([entry])
        bench.pass(.seconds(59))
        try await queue.enqueue([entry])
        #expect(try await queue.status().waiting == 1)
        bench.pass(.seconds(2))
        try await queue.enqueue([entry])
        #expect(try await queue.status().waiting == 2)
    }

    @Test func aRepeatedCallIsAcceptedAlthoughTheQueueIsFull() async throws {
        var options = SQLiteQueue.Configuration()
        options.maxEntries = 1
        let queue = bench.queue("push", options)
        let entry = try entry()
        for _ in 0..<2 { try await queue.enqueue([entry]) }
        #expect(try await queue.status().waiting == 1)
    }

    @Test func spaceOnTheDiskIsKeptForOutcomes() async throws {
        let queue = bench.queue()
        try await queue.enqueue([entry()])
        var options = SQLiteQueue.Configuration()
        options.spareBytes = .max
        let full = bench.queue("push", options)
        let error = await error { try await full.enqueue([entry()]) }
        #expect(error?.code == .full && error?.description.contains("MiB") == true)
        #expect(try await push(full) == 1)
    }

    @Test func aFullDiskTakesNothingInPart() async throws {
        var options = SQLiteQueue.Configuration()
        options.maxPages = 200
        let queue = bench.queue("push", options)
        var stored = 0
        let error = await error {
            while true {
                try await queue.enqueue([entry(20), entry(20), entry(20)])
                stored += 3
            }
        }
        #expect(error?.code == .full && error?.description.contains("disk") == true)
        let waiting = try await queue.status().waiting
        #expect(stored > 100 && waiting == stored)
    }

    @Test func aFullDiskIsDrainedWhileItsOutcomesAreRead() async throws {
        var options = SQLiteQueue.Configuration()
        options.maxPages = 200
        let queue = bench.queue("push", options)
        var stored = 0
        _ = await error { while true { try await queue.enqueue([entry()]); stored += 1 } }
        var (pushed, position, waiting) = (0, String?.none, [TakenEntry]())
        while true {
            if waiting.isEmpty { waiting = try await queue.take(as: .ann, tokens: 1) }
            guard let taken = waiting.first else { break }
            if await error({ try await queue.settle(as: .ann, [taken.delivered()]) }) == nil {
                waiting = []
                pushed += 1
            }
            // A reader that keeps up makes room for others.
            position = try await queue.outcomes(.all, after: position, limit: 100).position
        }
        #expect(pushed == stored && stored > 500)
    }

    @Test func whatWasReadIsRemovedInStepsWhereTheDiskHasNoRoomToRemoveAllAtOnce() async throws {
        var options = SQLiteQueue.Configuration()
        options.maxPages = 200
        let queue = bench.queue("push", options)
        try await queue.enqueue((0..<201).map { _ in try entry() })
        #expect(try await push(queue, 200) == 200)
        _ = await error { while true { try await queue.enqueue([entry(20)]) } }
        // The 100th removal finds no room, and takes its transaction back.
        let database = try bench.database()
        let first = try #require(try database.integer("SELECT min(number) FROM outcomes"))
        try database.execute(
            """
            CREATE TABLE ballast (bytes);
            CREATE TRIGGER removal AFTER DELETE ON outcomes WHEN OLD.number = \(first + 99)
            BEGIN INSERT INTO ballast VALUES (zeroblob(4000000)); END
            """)
        let read = try await queue.outcomes(.all, after: nil, limit: 1_000)
        #expect(try await queue.outcomes(.all, after: read.position, limit: 1).outcomes.isEmpty)
        while try database.integer("SELECT min(number) FROM outcomes") == first {
            try #require(try await push(queue, 1) == 1)
        }
        #expect(try database.integer("SELECT min(number) FROM outcomes") == first + 64)
        #expect(try await queue.status().outcomesCut == 0)
    }

    /// Each look at the log waits for the reader, and heartbeats wait for that.
    @Test func whileAnotherProcessReadsRoomIsMadeInOneStep() async throws {
        var options = SQLiteQueue.Configuration()
        (options.maxPages, options.busyTimeout) = (200, .milliseconds(50))
        let queue = bench.queue("push", options)
        try await queue.enqueue((0..<301).map { _ in try entry() })
        #expect(try await push(queue, 300) == 300)
        _ = await error { while true { try await queue.enqueue([entry(20)]) } }
        let read = try await queue.outcomes(.all, after: nil, limit: 1_000)
        #expect(try await queue.outcomes(.all, after: read.position, limit: 1).outcomes.isEmpty)
        let database = try bench.database()
        let first = try #require(try database.integer("SELECT min(number) FROM outcomes"))
        try database.execute("BEGIN; SELECT count(*) FROM outcomes")
        var calls = 0
        _ = await error {
            while try bench.database().integer("SELECT min(number) FROM outcomes") == first, calls < 1_000 {
                calls += try await push(queue, 1)
            }
        }
        try database.execute("COMMIT")
        #expect(try database.integer("SELECT min(number) FROM outcomes") == first + 64)
    }

    @Test func theSizeOfAHugeFileSystemDoesNotOverflow() throws {
        #expect(FreeSpace.bytes(blocks: 3, size: 4_096) == 12_288)
        #expect(FreeSpace.bytes(blocks: .max, size: 2) == .max)
        #expect(FreeSpace.bytes(blocks: 1 << 63, size: 4_096) == .max)
        #expect(try #require(FreeSpace.bytes(at: bench.folder)) > 0)
        #expect(FreeSpace.bytes(at: bench.folder + "/none/file") == nil)
    }
}
