import Foundation
import ProcessRuntime
import PushQueue
import Testing

@testable import PushQueueRedis

/// The rate in Lua and the rate in Swift.
@Suite struct RedisRateTests {
    private static let script = StoreScript.permit.withTimeOfTheCall

    /// Both rules permit the same, and keep the same instant.
    @Test(arguments: 1...20)
    func bothRulesAgreeOnRandomCalls(seed: UInt64) async throws {
        let bench = try QueueBench()
        var calls = RandomRateCalls(seed: seed)
        var stored: Int64 = 0
        for _ in 0..<300 {
            let call = calls.next(tokens: 0...2_000)
            let permit = calls.rate.permit(call.tokens, stored: &stored, now: call.now)
            let reply = try await bench.queue.run(Self.script, texts: call.words)
            #expect(reply[0].number == permit.tokens && reply[1].number.map { .nanoseconds($0) } == permit.wait)
            let kept = try await bench.redis("HGET", bench.key("counts"), "permitted").text ?? ""
            let parts = kept.split(separator: " ").compactMap { Int64($0) }
            try #require(parts.count == 2)
            #expect(parts[0] * 1_000_000_000 + parts[1] == stored)
        }
    }

    /// A new master whose clock is behind, or a stored instant of a clock that was ahead.
    @Test func anInstantFarAheadIsOneBurstAhead() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        try await bench.redis("HSET", bench.key("counts"), "permitted", "99999999999 0")
        let rate = QueueRate(perSecond: 0.01, burst: 2)
        let refusal = try await bench.queue.permit(as: .ann, tokens: 1, rate: rate)
        #expect(refusal == PushPermit(tokens: 0, wait: .seconds(100)))
    }

    @Test func whatIsStoredByOthersIsNoInstant() async throws {
        let bench = try QueueBench()
        try await bench.queue.open(as: .ann)
        try await bench.redis("HSET", bench.key("counts"), "permitted", "junk")
        #expect(try await bench.queue.permit(as: .ann, tokens: 9, rate: QueueRate(perSecond: 1, burst: 5)).tokens == 5)
    }
}
