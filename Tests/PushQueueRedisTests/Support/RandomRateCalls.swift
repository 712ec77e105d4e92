import Foundation
import ProcessRuntime
import PushQueue

@testable import PushQueueRedis

/// A rate, and calls for tokens at random times, which sometimes go back.
struct RandomRateCalls {
    struct Call {
        let tokens: Int
        /// Nanoseconds since 1970.
        let now: Int64
        /// What a script of these tests takes: the tokens, the rate, and the time in place of the server's.
        let words: [String]
    }

    let rate: QueueRate
    private var random: SeededGenerator
    /// Microseconds since 1970.
    private var now: Int64 = 1_763_900_000_000_000

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let scales = [0.001, 0.3, 7, 99.9, 1_000, 33_333.3, 10_000_000] as [Double]
        let perSecond = scales.randomElement(using: &random) ?? 1
        let burst = Bool.random(using: &random) ? nil : Int.random(in: 1...5_000, using: &random)
        rate = QueueRate(perSecond: perSecond, burst: burst)
        self.random = random
    }

    mutating func next(tokens range: ClosedRange<Int>) -> Call {
        let most = Bool.random(using: &random) ? 3 : range.upperBound
        let tokens = Int.random(in: range.lowerBound...most, using: &random)
        let step = Int64.random(in: 0...3_000_000, using: &random)
        now += Int.random(in: 0..<20, using: &random) > 0 ? step : step * -50
        let words = [
            "\(tokens)", "\(rate.nanosecondsPerToken)", "\(rate.burst)", "\(now / 1_000_000)", "\(now % 1_000_000)",
        ]
        return Call(tokens: tokens, now: now * 1_000, words: words)
    }
}

extension StoreScript {
    /// The same script, with the time of a ``RandomRateCalls`` call in place of the server's.
    var withTimeOfTheCall: StoreScript {
        StoreScript(Array(script.source.replacing("redis.call('TIME')", with: "{ARGV[4], ARGV[5]}").utf8))
    }
}
