import ProcessRuntime
import Testing

@testable import SupervisedPush

/// The times that can end a push, stored in as few bytes as there are.
@Suite struct PushTimesTests {
    private let call = MonotonicInstant(nanoseconds: 1_000_000_000)

    private func at(_ seconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: seconds * 1_000_000_000) }

    @Test func aTimeoutThatCountsFromTheWriteEndsNoWait() {
        let times = PushTimes(timeout: .seconds(5), timeoutFromCall: nil, deadline: nil, expiration: nil)
        #expect(times.whileWaiting.instant == PushTimes.never && times.taken(at: at(3)) == nil)
        #expect(times.inFlight(writtenAt: at(7)) == PushTimes.Limit(instant: at(12), kind: .timeout))
    }

    @Test func theEarliestTimeCounts() {
        let times = PushTimes(timeout: .seconds(5), timeoutFromCall: at(6), deadline: at(4), expiration: at(3))
        #expect(times.whileWaiting == PushTimes.Limit(instant: at(3), kind: .expiration))
        #expect(times.inFlight(writtenAt: at(2)) == PushTimes.Limit(instant: at(4), kind: .deadline))
        #expect(times.taken(at: at(2)) == .seconds(1))
    }

    @Test func aTimeoutWithoutEndIsNoTimeout() {
        let times = PushTimes(
            timeout: .seconds(Int64.max), timeoutFromCall: call.advanced(by: .seconds(Int64.max)), deadline: nil,
            expiration: nil)
        #expect(times.whileWaiting.instant == PushTimes.never)
        #expect(times.inFlight(writtenAt: call).instant == PushTimes.never)
    }
}
