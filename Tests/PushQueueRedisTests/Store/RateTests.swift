import Foundation
import ProcessRuntime
import PushQueue
import Testing

@testable import PushQueueRedis

/// The rate in Lua and the rate in Swift.
@Suite struct RedisRateTests {
    /// The script, with the time as its last two arguments.
    private static let script = StoreScript(
        Array(StoreScript.permit.script.source.replacing("redis.call('TIME')", with: "{ARGV[4], ARGV[5]}").utf8))

    /// Random calls at random times, which sometimes go back. Both rules permit the same, and keep the same instant.
    @Test(arguments: 1...20)
    func bothRulesAgreeOnRandomCalls(seed: UInt64) async throws {
        let bench = try QueueBench()
        var random = SeededGenerator(seed: seed)
        let scales = [0.001, 0.3, 7, 99.9, 1_000, 33_333.3, 10_000_000] as [Double]
        let perSecond = scales.randomElement(using: &random) ?? 1
        let burst = Bool.random(using: &random) ? nil : Int.random(in: 1...5_000, using: &random)
        let rate = QueueRate(perSecond: perSecond, burst: burst)
        var stored: Int64 = 0
        var now: Int64 = 1_763_900_000_000_000
        for _ in 0..<300 {
            let tokens = Int.random(in: 0...(Bool.random(using: &random) ? 3 : 2_000), using: &random)
            now +=
                Int64.random(in: 0...3_000_000, using: &random) * (Int.random(in: 0..<20, using: &random) > 0 ? 1 : -50)
            let permit = rate.permit(tokens, stored: &stored, now: now * 1_000)
            let words = [
                "\(tokens)", "\(rate.nanosecondsPerToken)", "\(rate.burst)", "\(now / 1_000_000)", "\(now % 1_000_000)",
            ]
            let reply = try await bench.queue.run(Self.script, texts: words)
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
