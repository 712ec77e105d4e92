import Foundation
import PushQueue
import PushQueueRedis
import Testing

/// Workers that die, replies that are lost, and several workers at once.
@Suite struct RedisTakeoverTests {
    @Test func aThousandEntriesOfADeadWorkerAreTakenOverInPages() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        try await bench.queue.enqueue((0..<1_000).map { _ in try .sample() })
        var keys: Set<TakenEntry.Key> = []
        while keys.count < 1_000 { keys.formUnion(try await bench.queue.take(as: .ann, tokens: 300).map(\.key)) }
        var found: [TakenEntry] = []
        var pages = 0
        while true {
            let page = try await bench.queue.reclaim(from: .ann, at: 0, as: .bob, limit: 64)
            if page.isEmpty { break }
            #expect(page.count <= 64 && page.allSatisfy { $0.doubts == 1 && $0.offered == 1 })
            found += page
            pages += 1
        }
        #expect(pages == 16 && found.count == 1_000 && Set(found.map(\.key)) == keys)
        let consumers = try await bench.redis("XINFO", "CONSUMERS", bench.key(), "workers")
        #expect(!"\(consumers)".contains("\(Array("ann-1".utf8))"), "The dead worker's consumer is gone.")
        // A worker that knows none of them finds all, in pages.
        #expect(Set(try await bench.queue.recover(as: .bob, besides: []).map(\.key)) == keys)
        #expect(try await bench.queue.recover(as: .bob, besides: keys).isEmpty)
    }

    @Test func aLostReplyLosesNothing() async throws {
        let lossy = try QueueBench()
        let client = LossyRedis(try lossy.server.connect())
        let queue = try RedisQueue(lossy.name, commands: client, waiting: client)
        try await queue.open(as: .ann)
        try await lossy.queue.enqueue((0..<3).map { _ in try .sample(600) })
        func losing(_ call: () async throws -> Void) async {
            client.loseNextReply()
            let caught = await #expect(throws: QueueError.self) { try await call() }
            #expect(caught?.code == .unreachable)
        }
        // Scripts reach the server by their first calls, which are not the ones lost here.
        _ = try await queue.take(as: .bob, tokens: 1)
        _ = try await queue.reclaim(from: WorkerID("none"), at: 0, as: .ann, limit: 1)
        try await queue.settle(as: .ann, [Settlement(TakenEntry.Key("1-1"), rows: [], fate: .open)])

        await losing { _ = try await queue.take(as: .ann, tokens: 1) }
        let taken = try #require(try await queue.recover(as: .ann, besides: []).first)
        #expect(taken.offered == 0 && taken.doubts == 0)

        let part = Settlement(taken.key, rows: try taken.rows(0..<256), fate: .open)
        await losing { try await queue.settle(as: .ann, [part]) }
        try await queue.settle(as: .ann, [part])
        #expect(try await lossy.rows() == part.rows)
        await losing { try await queue.settle(as: .ann, [taken.done()]) }
        try await queue.settle(as: .ann, [taken.done()])
        #expect(try await lossy.rows() == taken.rows())

        await losing { _ = try await queue.reclaim(from: .bob, at: 0, as: .ann, limit: 9) }
        #expect(try await queue.reclaim(from: .bob, at: 0, as: .ann, limit: 9).isEmpty)
        let over = try #require(try await queue.recover(as: .ann, besides: []).first)
        #expect(over.doubts == 0 && over.offered == 0)
        let again = Settlement(over.key, rows: [], fate: .again(notBefore: .distantFuture))
        await losing { try await queue.settle(as: .ann, [again]) }
        try await queue.settle(as: .ann, [again])
        let status = try await queue.status()
        #expect(status.delayed == 1 && status.waiting == 1 && status.taken == 0)
    }

    @Test func workersTakeEachEntryOnce() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        let entries = try (0..<600).map { try QueueEntry.sample(1 + $0 % 5) }
        try await bench.queue.enqueue(entries)
        let queues = try (0..<3).map { _ in try bench.another() }
        let taken = try await withThrowingTaskGroup(of: [EntryID].self) { group in
            for (number, queue) in queues.enumerated() {
                group.addTask {
                    let worker = WorkerID("worker-\(number)")
                    var ids: [EntryID] = []
                    while true {
                        let taken = try await queue.take(as: worker, tokens: 17)
                        if taken.isEmpty { return ids }
                        for entry in taken {
                            ids.append(try entry.entry.get().id)
                            try await queue.settle(as: worker, [entry.done()])
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(taken.count == 600 && Set(taken) == Set(entries.map(\.id)))
        #expect(try await bench.queue.status().outcomes == 1_800)
        let left = try await bench.redis("EXISTS", bench.key("progress"), bench.key("delayed"))
        #expect(left == .integer(0), "Nothing is kept of what has ended.")
    }

    @Test func theTokensOfATakeFitAlthoughSizesVary() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        let sizes = [1, 1, 1, 300, 2, 1_000, 7, 7, 7, 120, 1, 1]
        try await bench.queue.enqueue(sizes.map { try .sample($0) })
        var takes: [[Int]] = []
        while true {
            let taken = try await bench.queue.take(as: .ann, tokens: 128)
            if taken.isEmpty { break }
            takes.append(try taken.map { try $0.entry.get().tokens.count })
            try await bench.queue.settle(as: .ann, taken.map { try $0.done() })
        }
        #expect(takes == [[1, 1, 1], [300], [2], [1_000], [7, 7, 7], [120, 1, 1]])
    }

    @Test func aWorkerWhoseCounterWasLostIsSeenWhileItHasEntries() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        try await bench.put()
        _ = try await bench.queue.take(as: .ann, tokens: 9)
        try await bench.redis("DEL", bench.key("workers"))
        #expect(try await bench.queue.beat(as: .bob) == [.ann: 0, .bob: 1])
    }

    /// Nothing would say that the dead worker has nothing any more.
    @Test func pagesOfDeletedEntriesArePassedWhenAWorkerIsTakenOver() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        for _ in 0..<7 { try await bench.put() }
        let keys = try await bench.queue.take(as: .ann, tokens: 7).map(\.key)
        for key in keys[..<5] { try await bench.redis("XDEL", bench.key(), "\(key)") }
        #expect(try await bench.queue.reclaim(from: .ann, at: 0, as: .bob, limit: 2).map(\.key) == [keys[5]])
        #expect(try await bench.queue.reclaim(from: .ann, at: 0, as: .bob, limit: 2).map(\.key) == [keys[6]])
        #expect(try await bench.queue.reclaim(from: .ann, at: 0, as: .bob, limit: 2).isEmpty)
    }

    @Test func whatAnOperatorDeletedIsForgotten() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        for _ in 0..<4 { try await bench.put() }
        let taken = try await bench.queue.take(as: .ann, tokens: 4)
        try await bench.queue.release(as: .ann, taken[2...].map(\.key))
        for entry in taken where entry.key != taken[3].key {
            try await bench.redis("XDEL", bench.key(), "\(entry.key)")
        }
        #expect(try await bench.queue.recover(as: .ann, besides: [taken[1].key]).isEmpty)
        #expect(try await bench.queue.reclaim(from: .ann, at: 0, as: .bob, limit: 9).isEmpty)
        #expect(try await bench.queue.take(as: .bob, tokens: 9).map(\.key) == [taken[3].key])
        let pending = try await bench.redis("XPENDING", bench.key(), "workers")
        #expect(pending.first == .integer(1))
    }
}
