import Foundation
import ProcessRuntime
import PushQueue
import QueueTestSupport
import TestSupport
import Testing

@testable import PushQueueRedis

extension TakenEntry {
    fileprivate var id: EntryID? { (try? entry.get())?.id }
}

/// The rates of campaigns on Redis.
@Suite(.timeLimit(.minutes(2))) struct CampaignRateTests {
    /// Puts a campaign of entries of one token each.
    private func put(_ count: Int, as name: String = "spring", _ bench: QueueBench) async throws -> [EntryID] {
        let input = CampaignInput(records: name, author: "anna on web1")
        let place = try await bench.queue.begin(CampaignName(name), with: input)
        let batch = CampaignBatch(after: place, through: count, isLast: true)
        let entries = try (0..<count).map { _ in try QueueEntry.sample() }
        try await bench.queue.enqueue(entries, as: batch)
        return entries.map(\.id)
    }

    private func steer(_ rate: QueueRate?, _ bench: QueueBench) async throws {
        try await bench.queue.steer(.rate(rate), campaign: CampaignName("spring"))
    }

    private static let slow = QueueRate(perSecond: 0.001, burst: 1)

    /// The names of all consumers of the group.
    private func consumers(_ bench: QueueBench) async throws -> Set<String> {
        let list = try await bench.redis("XINFO", "CONSUMERS", bench.key(), "workers")
        return Set(list.elements.compactMap { $0[1].text })
    }

    /// Takes tokens of the campaign `spring` at the rate, with the time as its last two arguments.
    private static let script = StoreScript(
        Array(
            """
            #!lua
            -- uses: fields, pace, rate
            redis.call('HSET', campaigns, 'spring rate', ARGV[2] .. ' ' .. ARGV[3])
            local wait = rate_wait('spring')
            if wait == 0 then charge({'campaign', 'spring'}, tonumber(ARGV[1])) end
            keep_charges()
            return {string.format('%.0f', wait), redis.call('HGET', campaigns, 'spring charged') or '0 0'}
            """.utf8)
    ).withTimeOfTheCall

    /// Both rules take the same, and keep the same instant.
    @Test(arguments: 1...10)
    func bothRulesAgreeOnRandomCalls(seed: UInt64) async throws {
        let bench = try QueueBench()
        var calls = RandomRateCalls(seed: seed)
        let rate = calls.rate
        var stored: Int64 = 0
        for _ in 0..<200 {
            let call = calls.next(tokens: 1...1_000)
            stored = rate.bounded(stored, now: call.now)
            let wait = rate.wait(stored: stored, now: call.now)
            if wait == 0 { rate.charge(call.tokens, stored: &stored, now: call.now) }
            let reply = try await bench.queue.run(Self.script, texts: call.words)
            // Differences of large numbers are exact to some hundred nanoseconds.
            let near = 1_000 + Int64(rate.nanosecondsPerToken * 1e-6)
            #expect(abs((reply[0].number.map { Int64($0) } ?? -1) - wait) <= near)
            let parts = (reply[1].text ?? "").split(separator: " ").compactMap { Int64($0) }
            try #require(parts.count == 2)
            #expect(abs(parts[0] * 1_000_000_000 + parts[1] - stored) <= near)
            stored = parts[0] * 1_000_000_000 + parts[1]
        }
    }

    @Test func whatWaitsForARateStaysInTheStreamAndItsConsumerEndsWithTheRate() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        let ids = try await put(5, bench)
        try await steer(Self.slow, bench)
        #expect(try await bench.queue.take(as: .ann, tokens: 9).map(\.id) == [ids[0]])
        #expect(try await consumers(bench) == ["ann-1", "released spring"])
        #expect(try await bench.redis("XLEN", bench.key()).number == 5)
        #expect(try await bench.taken() == [.ann: 1])
        // It is no worker to the others.
        #expect(try await Set(bench.queue.beat(as: .bob).keys) == [.ann, .bob])
        try await steer(nil, bench)
        #expect(try await bench.queue.take(as: .ann, tokens: 9).map(\.id) == Array(ids[1...]))
        #expect(try await consumers(bench) == ["ann-1"])
        #expect(try await bench.redis("HGET", bench.key("counts"), "asides") == .null)
        #expect(try await bench.redis("HGET", bench.key("campaigns"), "spring charged") == .null)
    }

    @Test func aTakePutsABoundedNumberAside() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        _ = try await put(2_500, bench)
        try await steer(Self.slow, bench)
        let other = try QueueEntry.sample()
        try await bench.queue.enqueue([other])
        var calls = 0
        var taken: [EntryID?] = []
        while !taken.contains(other.id), calls < 100 {
            taken += try await bench.queue.take(as: .ann, tokens: 9).map(\.id)
            calls += 1
        }
        #expect(taken.count == 2 && calls >= 3 && calls < 100)
        // What is aside is not looked at again.
        #expect(try await bench.queue.take(as: .ann, tokens: 9).isEmpty)
        #expect(try await bench.queue.status().waiting == 2_499)
    }

    @Test func urgentEntriesAreTakenWhileABacklogIsPutAside() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        _ = try await put(2_000, bench)
        try await steer(Self.slow, bench)
        #expect(try await bench.queue.take(as: .ann, tokens: 1).count == 1)
        let urgent = try (0..<20).map { _ in
            var entry = try QueueEntry.sample()
            entry.isUrgent = true
            return entry
        }
        try await bench.queue.enqueue(urgent)
        var taken: [EntryID?] = []
        for _ in 0..<3 { taken += try await bench.queue.take(as: .ann, tokens: 8).map(\.id) }
        #expect(taken == urgent.map(\.id))
    }

    @Test func aCancelledCampaignLeavesNoConsumer() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        _ = try await put(5, bench)
        try await steer(Self.slow, bench)
        #expect(try await bench.queue.take(as: .ann, tokens: 9).count == 1)
        #expect(try await consumers(bench) == ["ann-1", "released spring"])
        try await bench.queue.steer(.cancel, campaign: CampaignName("spring"))
        #expect(try await consumers(bench) == ["ann-1"])
        #expect(try await bench.redis("HGET", bench.key("counts"), "asides") == .null)
    }

    /// One process chose the campaign that is forgotten, and another one gives it a rate meanwhile.
    @Test func aCampaignThatHasARateByNowIsNotForgotten() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        _ = try await put(1, bench)
        let read = try #require(try await bench.redis("HGET", bench.key("campaigns"), "spring").text)
        let words = ["autumn", "", "{}", "spring", "", "", read]
        try await steer(Self.slow, bench)
        #expect(try await bench.queue.run(.keepCampaign, texts: words).number == 0)
        try await steer(nil, bench)
        #expect(try await bench.queue.run(.keepCampaign, texts: words).number == 1)
    }

    @Test func anInstantFarAheadIsBoundedOnce() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        let ids = try await put(2, bench)
        try await steer(QueueRate(perSecond: 10_000, burst: 1), bench)
        try await bench.redis("HSET", bench.key("campaigns"), "spring charged", "99999999999 0")
        // At most 1,001 tokens ahead: a tenth of a second from the first look.
        try await until { try await bench.queue.take(as: .ann, tokens: 1).map(\.id) == [ids[0]] }
    }

    @Test(arguments: ["released spring", "urgent x", "released"])
    func aWorkerHasNoNameOfSuchAConsumer(_ name: String) async throws {
        let bench = try QueueBench()
        await #expect(throws: QueueError.self) { try await bench.queue.open(as: WorkerID(name)) }
    }
}
