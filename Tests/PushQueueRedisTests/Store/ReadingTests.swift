import PushQueue
import PushQueueRedis
import SupervisedPush
import Testing

@Suite struct RedisReadingTests {
    private func settle(_ bench: QueueBench, _ tokens: Int, _ word: PushOutcome.Kind = .delivered) async throws {
        try await bench.put(tokens)
        let taken = try await bench.queue.take(as: .ann, tokens: tokens)
        try await bench.queue.settle(as: .ann, taken.map { try $0.done(word) })
    }

    @Test func outcomesAreCutAtTheirLimitAndThoseUnreadAreCounted() async throws {
        var options = RedisQueue.Configuration()
        options.maxOutcomes = 20
        let bench = try QueueBench(options: options)
        try await bench.queue.open(as: .ann)
        for _ in 0..<4 { try await settle(bench, 5) }
        #expect(try await bench.queue.status().outcomes == 20)
        // Seven are read: one whole settle, and two rows of the next.
        let page = try await bench.queue.outcomes(.all, after: nil, limit: 7)
        #expect(page.outcomes.count == 7 && page.position?.hasSuffix("/2") == true)
        let next = try await bench.queue.outcomes(.all, after: page.position, limit: 100)
        #expect(next.outcomes.count == 13)
        // Two settles more than fit: seven of their rows were read; no one has asked yet for what follows the others.
        for _ in 0..<2 { try await settle(bench, 5, .rejected) }
        let status = try await bench.queue.status()
        #expect(status.outcomes == 20 && status.outcomesCut == 3)
        // The reader goes on with what is left.
        #expect(try await bench.queue.outcomes(.all, after: page.position, limit: 100).outcomes.count == 20)
        #expect(try await bench.rows(.feedback).count == 10)
        for _ in 0..<3 { try await settle(bench, 5, .rejected) }
        #expect(try await bench.rows(.feedback).count == 20)
        #expect(try await bench.redis("HGET", bench.key("counts"), "feedback_unread") == .bytes(Array("5".utf8)))
    }

    @Test func manySmallSettlesAreCutWhenALargeOneComes() async throws {
        var options = RedisQueue.Configuration()
        options.maxOutcomes = 40
        let bench = try QueueBench(options: options)
        try await bench.queue.open(as: .ann)
        for _ in 0..<40 { try await settle(bench, 1, .rejected) }
        try await settle(bench, 30, .rejected)
        let status = try await bench.queue.status()
        #expect(status.outcomes == 40 && status.outcomesCut == 30)
        #expect(try await bench.redis("XLEN", bench.key("o")) == .integer(11))
        #expect(try await bench.rows(.feedback).count == 40)
    }

    @Test func outcomesOfLongTokensAreReadInPages() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        let long = String(repeating: "ab", count: 250)
        for _ in 0..<16 {
            let tokens = try (0..<1_000).map { try DeviceToken(long + String(0x1000 + $0, radix: 16)) }
            try await bench.queue.enqueue([QueueEntry(.alert(title: "Flight A998", body: "Boarding"), to: tokens)])
            let taken = try await bench.queue.take(as: .ann, tokens: 1_000)
            try await bench.queue.settle(as: .ann, taken.map { try $0.done() })
        }
        var sizes: [Int] = []
        var position: String?
        while sizes.last != 0 {
            let page = try await bench.queue.outcomes(.all, after: position, limit: 100_000)
            sizes.append(page.outcomes.count)
            position = page.position
        }
        #expect(sizes.count == 3 && sizes[0] < 16_000 && sizes.reduce(0, +) == 16_000)
    }

    @Test func anEarlierPositionDoesNotUnread() async throws {
        var options = RedisQueue.Configuration()
        options.maxOutcomes = 4
        let bench = try QueueBench(options: options)
        try await bench.queue.open(as: .ann)
        try await settle(bench, 4)
        let first = try await bench.queue.outcomes(.all, after: nil, limit: 1)
        let all = try await bench.queue.outcomes(.all, after: nil, limit: 4)
        #expect(try await bench.queue.outcomes(.all, after: all.position, limit: 4).outcomes.isEmpty)
        #expect(try await bench.queue.outcomes(.all, after: first.position, limit: 4).outcomes.count == 3)
        try await settle(bench, 4)
        #expect(try await bench.queue.status().outcomesCut == 0)
    }

    @Test func manyPagesOfManySettlesAreReadOnce() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        for size in 1...40 { try await settle(bench, size % 9 + 1) }
        let all = try await bench.rows()
        for limit in [1, 7, 64] {
            var read: [QueueOutcome] = []
            var position: String?
            while true {
                let page = try await bench.queue.outcomes(.all, after: position, limit: limit)
                if page.outcomes.isEmpty { break }
                read += page.outcomes
                position = page.position
            }
            #expect(read == all)
        }
    }

    /// Ids of rows are times. In a failover the rows before a reader's position may be lost. Others come behind it.
    @Test func aPositionThatLiesAheadOfTheListAndNotOfTheClockStays() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        try await bench.redis("XADD", bench.key("o"), "1000-0", "n", "0", "rows", "")
        let position = try #require(try await bench.queue.lastPosition(of: .all))
        try await bench.redis("DEL", bench.key("o"))
        try await bench.redis("XADD", bench.key("o"), "1-0", "n", "0", "rows", "")
        let none = try await bench.queue.outcomes(.all, after: position, limit: 9)
        #expect(none.outcomes.isEmpty && none.position == position)
        try await settle(bench, 2)
        #expect(try await bench.queue.outcomes(.all, after: position, limit: 9).outcomes.count == 2)
    }

    /// The clock of a new server may be behind.
    @Test func theEndOfAListThatLiesAheadOfTheClockIsNoForeignPosition() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        try await bench.redis("XADD", bench.key("o"), "2700000000000-0", "n", "0", "rows", "")
        try await settle(bench, 3)
        let position = try #require(try await bench.queue.lastPosition(of: .all))
        #expect(try await bench.queue.outcomes(.all, after: position, limit: 9).outcomes.isEmpty)
        try await settle(bench, 2)
        #expect(try await bench.queue.outcomes(.all, after: position, limit: 9).outcomes.count == 2)
    }

    @Test func aForeignPositionIsRefused() async throws {
        let bench = try QueueBench()
        await #expect(throws: QueueError.self) { try await bench.queue.outcomes(.all, after: "$", limit: 1) }
    }

    @Test func deadLettersAreBoundedAndTheOldestAreCounted() async throws {
        var options = RedisQueue.Configuration()
        options.maxDeadLetters = 150
        let bench = try QueueBench(options: options)
        try await bench.queue.open(as: .ann)
        let entries = try (0..<200).map { _ in try QueueEntry.sample() }
        try await bench.queue.enqueue(entries)
        let taken = try await bench.queue.take(as: .ann, tokens: 200)
        try await bench.queue.settle(as: .ann, taken.map { Settlement($0.key, rows: [], fate: .dead("test")) })
        let letters = try await bench.queue.deadLetters(limit: 1_000)
        #expect(try letters.map { try $0.entry.get().id } == entries[50...].map(\.id))
        #expect(try await bench.redis("HGET", bench.key("counts"), "dead_cut") == .bytes(Array("50".utf8)))
        #expect(try await bench.queue.requeue(letters.map(\.key)) == letters.map(\.key))
        #expect(try await bench.queue.status().waiting == 150)
    }

    @Test func aStatusOfNoQueueIsEmpty() async throws {
        let bench = try QueueBench()
        #expect(try await bench.queue.status() == QueueStatus())
        #expect(try await bench.redis("EXISTS", bench.key()) == .integer(0))
    }
}
