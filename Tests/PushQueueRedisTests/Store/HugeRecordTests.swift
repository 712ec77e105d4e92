import PushQueue
import PushQueueRedis
import Testing

/// Records that do not fit into a reply.
@Suite(.timeLimit(.minutes(2))) struct HugeRecordTests {
    /// Adds plain records, each with a payload of this many MiB.
    private func add(_ count: Int, mebibytes: Int, to bench: QueueBench) async throws {
        let script = """
            for i = 1, ARGV[1] do
              redis.call('XADD', KEYS[1], '*', 'tokens', 'ab', 'payload', string.rep('x', ARGV[2] * 1048576))
            end
            """
        try await bench.redis("EVAL", script, "1", bench.key(), "\(count)", "\(mebibytes)")
    }

    @Test func aRecordThatDoesNotFitIntoAReplyIsBuried() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        try await add(1, mebibytes: 65, to: bench)
        let entry = try await bench.put()
        try await bench.queue.wait(as: .ann, upTo: .seconds(3_600))
        let taken = try await bench.queue.take(as: .ann, tokens: 9)
        #expect(try taken.map { try $0.entry.get().id } == [entry.id])
        let letter = try #require(try await bench.queue.deadLetters(limit: 9).first)
        #expect(letter.reason.contains("4 MiB"))
        #expect(throws: QueueError.self) { try letter.entry.get() }
        let status = try await bench.queue.status()
        #expect(status.dead == 1 && status.taken == 1 && status.waiting == 0)
    }

    @Test func largeRecordsAreSentInPages() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        try await add(24, mebibytes: 3, to: bench)
        var keys: [TakenEntry.Key] = []
        while keys.count < 24 {
            let page = try await bench.queue.take(as: .ann, tokens: 99).map(\.key)
            #expect(page.count == 1)
            if page.isEmpty { break }
            keys += page
        }
        #expect(try await bench.queue.recover(as: .ann, besides: []).map(\.key) == keys)
        var found: [TakenEntry.Key] = []
        while true {
            let page = try await bench.queue.reclaim(from: .ann, at: 0, as: .bob, limit: 99).map(\.key)
            #expect(page.count <= 3)
            if page.isEmpty { break }
            found += page
        }
        #expect(found == keys)
        try await bench.queue.settle(as: .bob, keys.map { Settlement($0, rows: [], fate: .dead("test")) })
        #expect(try await bench.queue.deadLetters(limit: 99).count == 24)
    }

    @Test func aSearchForEntriesReadsLargeRecordsInPages() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        try await add(12, mebibytes: 3, to: bench)
        let taken = try await bench.put()
        while try await !bench.queue.take(as: .ann, tokens: 99).isEmpty {}
        try await add(24, mebibytes: 3, to: bench)
        let waiting = try await bench.put()
        let before = try await scriptCalls(bench)
        let cancellation = try await bench.queue.cancel([taken.id, waiting.id])
        #expect(cancellation.removed == [waiting.id] && cancellation.taken == [taken.id])
        let calls = try await scriptCalls(bench) - before
        // With 500 records at a time it would be five, and one more for a script that the server does not know yet.
        #expect(calls >= 10)
    }

    private func scriptCalls(_ bench: QueueBench) async throws -> Int {
        guard case .bytes(let info) = try await bench.redis("INFO", "commandstats") else { return 0 }
        let calls = String(decoding: info, as: UTF8.self).split(separator: "cmdstat_evalsha:calls=").last
        return calls.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    }

    @Test func lettersThatATakeBuriesAreTrimmed() async throws {
        var options = RedisQueue.Configuration()
        options.maxDeadLetters = 2
        let bench = try QueueBench(options: options)
        try await bench.queue.open(as: .ann)
        try await add(5, mebibytes: 5, to: bench)
        let entry = try await bench.put()
        let taken = try await bench.queue.take(as: .ann, tokens: 9)
        #expect(try taken.map { try $0.entry.get().id } == [entry.id])
        #expect(try await bench.queue.status().dead == 2)
        #expect(try await bench.redis("HGET", bench.key("counts"), "dead_cut") == .bytes(Array("3".utf8)))
    }

    /// Few large records among many small ones are read a few at once, and none is passed over.
    @Test func aTakeReadsAboutOneMebibyte() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        for _ in 0..<3 {
            try await bench.queue.enqueue((0..<300).map { _ in try .sample() })
            try await add(10, mebibytes: 2, to: bench)
        }
        var keys: [TakenEntry.Key] = []
        while true {
            let page = try await bench.queue.take(as: .ann, tokens: 10_000).map(\.key)
            if page.isEmpty { break }
            keys += page
        }
        #expect(keys.count == 930 && Set(keys).count == 930)
    }
}
