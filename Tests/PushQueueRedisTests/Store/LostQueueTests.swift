import PushQueue
import PushQueueRedis
import QueueTestSupport
import Testing

/// FLUSHALL, and a group that an operator deleted.
@Suite struct LostQueueTests {
    private func code(_ call: () async throws -> Void) async -> QueueError.Code? {
        do {
            try await call()
            return nil
        } catch { return (error as? QueueError)?.code }
    }

    @Test func aLostQueueIsToldOnceAndMadeAgain() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        try await bench.put()
        _ = try await bench.queue.take(as: .ann, tokens: 9)
        try await bench.redis("FLUSHALL")
        let entry = try await bench.put()
        #expect(await code { _ = try await bench.queue.take(as: .ann, tokens: 9) } == .lost)
        // What was put in meanwhile is there: the group begins at 0.
        let taken = try await bench.queue.take(as: .ann, tokens: 9)
        #expect(try taken.map { try $0.entry.get().id } == [entry.id])
        #expect(await code { _ = try await bench.queue.beat(as: .ann) } == nil)
    }

    @Test func rowsInFlightAreWrittenAfterTheLossAndOnce() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        for _ in 0..<3 { try await bench.put(2) }
        let taken = try await bench.queue.take(as: .ann, tokens: 9)
        try await bench.redis("FLUSHALL")
        // The settle that finds it writes its rows, and tells of the loss.
        let first = try taken[0].done()
        #expect(await code { try await bench.queue.settle(as: .ann, [first]) } == .lost)
        #expect(try await bench.rows() == first.rows)
        try await bench.queue.settle(as: .ann, [first])
        #expect(try await bench.rows() == first.rows)
        // Later ones follow, also in parts.
        let row = Settlement(taken[1].key, rows: try taken[1].rows(1..<2), fate: .open)
        try await bench.queue.settle(as: .ann, [row, taken[1].done(), taken[2].done()])
        try await bench.queue.settle(as: .ann, [row, taken[1].done(), taken[2].done()])
        let parts = try first.rows + row.rows + taken[1].rows(0..<1) + taken[2].rows()
        #expect(try await bench.rows() == parts)
        #expect(await code { try await bench.queue.offer(as: .ann, [taken[1].key: 2]) } == .fenced)
    }

    @Test func rowsOfTheNewQueueAreWrittenOnce() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        try await bench.redis("FLUSHALL")
        #expect(await code { _ = try await bench.queue.beat(as: .ann) } == .lost)
        try await bench.put()
        let taken = try #require(try await bench.queue.take(as: .ann, tokens: 9).first)
        for _ in 0..<3 { try await bench.queue.settle(as: .ann, [taken.done()]) }
        #expect(try await bench.rows().count == 1)
    }

    /// The server keeps nothing, so what it had is gone. The process comes to know that from its new run.
    @Test(.timeLimit(.minutes(5))) func aQueueThatARestartEmptiedIsToldOnceAndRowsInFlightAreStored() async throws {
        let server = try RedisServer()
        let queue = try RedisQueue("kept", connection: .patient(server.url))
        try await queue.open(as: .ann)
        try await queue.enqueue([.sample(2), .sample(), .sample()])
        let taken = try await queue.take(as: .ann, tokens: 9)
        #expect(taken.count == 3)
        try await queue.settle(as: .ann, [taken[0].done()])
        try server.restart()
        // A call finds out about the new server, and may fail.
        while await code({ _ = try await queue.beat(as: .ann) }) != .lost {}
        #expect(await code { _ = try await queue.beat(as: .ann) } == nil, "It is told once.")
        try await queue.settle(as: .ann, [taken[1].done()])
        try await queue.settle(as: .ann, [taken[1].done()])
        let rows = try await queue.outcomes(.all, after: nil, limit: 9).outcomes
        #expect(rows == (try taken[0].rows() + taken[1].rows()))
    }

    @Test func theSettleThatIsToldOfTheLossHasStoredItsRows() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        try await bench.put()
        let taken = try await bench.queue.take(as: .ann, tokens: 9)
        try await bench.redis("FLUSHALL")
        bench.queue.serverChanged()
        #expect(await code { try await bench.queue.settle(as: .ann, [taken[0].done()]) } == .lost)
        try await bench.queue.settle(as: .ann, [taken[0].done()])
        #expect(try await bench.rows() == taken[0].rows())
        bench.queue.serverChanged()
        #expect(await code { _ = try await bench.queue.beat(as: .ann) } == nil)
    }

    @Test func aDeletedGroupIsMadeAgainAndItsEntriesAreTakenAgain() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        for _ in 0..<3 { try await bench.put() }
        let taken = try await bench.queue.take(as: .ann, tokens: 9)
        try await bench.queue.settle(as: .ann, [taken[0].done()])
        try await bench.redis("XGROUP", "DESTROY", bench.key(), "workers")
        #expect(await code { try await bench.queue.release(as: .ann, [taken[1].key]) } == .lost)
        // An answer of what was in flight still counts, once.
        try await bench.queue.settle(as: .ann, [taken[1].done()])
        try await bench.queue.settle(as: .ann, [taken[1].done()])
        #expect(try await bench.queue.take(as: .bob, tokens: 9).map(\.key) == [taken[2].key])
        #expect(try await bench.rows().count == 2)
    }
}
