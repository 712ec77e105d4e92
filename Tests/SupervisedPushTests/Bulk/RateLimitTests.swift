import ProcessRuntime
import Testing

@testable import SupervisedPush

@Suite struct RateLimitTests {
    private func at(_ time: Duration) -> MonotonicInstant { MonotonicInstant(nanoseconds: 0).advanced(by: time) }

    @Test func aTokenIsThereAtOnceAndTheNextAfterItsTime() {
        var limit = RateLimit(.perSecond(4), at(.zero))
        #expect(limit.available(at(.zero)) == 1)
        limit.take(1, at(.zero))
        #expect(limit.available(at(.zero)) == 0)
        #expect(limit.instant(of: 1, at(.zero)) == at(.milliseconds(250)))
        #expect(limit.available(at(.milliseconds(250))) == 1)
        #expect(limit.instant(of: 1, at(.milliseconds(250))) == at(.milliseconds(250)))
    }

    @Test func aPauseIsWorthATenthOfASecondAndOneMore() {
        var limit = RateLimit(.perSecond(1_000), at(.zero))
        #expect(limit.available(at(.seconds(3_600))) == 101)
        var slow = RateLimit(.perSecond(2), at(.zero))
        #expect(slow.available(at(.seconds(3_600))) == 1)
    }

    @Test func aHighRateIsWaitedForInTenMilliseconds() {
        #expect(RateLimit(.perSecond(50_000), at(.zero)).quantum == 500)
        #expect(RateLimit(.perSecond(50), at(.zero)).quantum == 1)
        #expect(RateLimit(PushRate(30, per: .seconds(60)), at(.zero)).quantum == 1)
    }

    @Test(arguments: [
        PushRate(3), PushRate(7, per: .seconds(60)), PushRate(1_000), PushRate(999_983),
        PushRate(17, per: .milliseconds(3)),
    ])
    func nothingIsLostOverAMillionPushes(rate: PushRate) {
        var limit = RateLimit(rate, at(.zero))
        var now = at(.zero)
        var taken = 0
        while taken < 1_000_000 {
            let count = limit.available(now)
            limit.take(count, now)
            taken += count
            now = limit.instant(of: limit.quantum, now)
        }
        // The first token was there; the others have come, to the nanosecond and the quantum that is waited for.
        let units = Double(taken - 1 + limit.quantum) / Double(rate.pushes)
        let expected = units * Double(rate.period.saturatedNanoseconds)
        #expect(
            abs(Double(now.nanoseconds) - expected) <= 2 + Double(rate.period.saturatedNanoseconds)
                / Double(rate.pushes))
    }

    @Test func whatIsOutOfRangeCountsAsTheNearestInIt() {
        #expect(PushRate(0).pushes == 1 && PushRate(-5).pushes == 1 && PushRate(.max).pushes == 1_000_000_000)
        #expect(
            PushRate(1, per: .zero).period == .milliseconds(1)
                && PushRate(1, per: .seconds(1 << 40)).period == .seconds(86_400))
        for rate in [PushRate(.max, per: .zero), PushRate(.max, per: .seconds(1 << 40)), PushRate(0, per: .zero)] {
            var limit = RateLimit(rate, at(.zero))
            #expect(limit.available(.distantFuture) >= 1)
            limit.take(limit.available(.distantFuture), .distantFuture)
            #expect(limit.instant(of: 1, .distantFuture) == .distantFuture)
        }
    }
}
