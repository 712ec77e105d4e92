import ProcessRuntime
import Testing

@testable import SupervisedPush

@Suite("parity: G2 – when writes happen: at the end of a drain, when a record is full, after flushDelay, or each")
struct WriteGatheringTests {
    private let start = MonotonicInstant(nanoseconds: 0)

    /// Whether each of so many requests is to be written at once, then whether their drain writes.
    private func drain(
        _ requests: Int, payload: Int = 100, _ gathering: inout WriteGathering, _ now: MonotonicInstant
    ) -> (atOnce: [Bool], atEnd: Bool) {
        let atOnce = (0..<requests).map { _ in gathering.submitted(payload: payload, now) }
        return (atOnce, gathering.endsDrain(now))
    }

    @Test func withoutADelayEachDrainWrites() {
        var gathering = WriteGathering(delay: nil)
        let writes = drain(2, &gathering, start)
        #expect(writes == ([false, false], true) && gathering.writeAt == nil)
    }

    @Test func withADelayOfZeroEachRequestIsWritten() {
        var gathering = WriteGathering(delay: .zero)
        let writes = drain(2, &gathering, start)
        #expect(writes == ([true, true], true))
    }

    @Test func withADelayRequestsAreHeldUntilItIsOver() {
        var gathering = WriteGathering(delay: .milliseconds(10))
        let empty = drain(0, &gathering, start)
        #expect(empty == ([], true))
        let first = drain(1, &gathering, start)
        let second = drain(1, &gathering, start.advanced(by: .milliseconds(9)))
        #expect(first == ([false], false) && second == ([false], false))
        #expect(gathering.writeAt == start.advanced(by: .milliseconds(10)))
        let due = drain(0, &gathering, start.advanced(by: .milliseconds(10)))
        #expect(due == ([], true) && gathering.writeAt == nil)
    }

    @Test func aFullRecordIsNotHeld() {
        var gathering = WriteGathering(delay: .milliseconds(10))
        let writes = (0..<16).map { _ in drain(1, payload: 1_000, &gathering, start).atEnd }
        // The fifteenth fills it; the next one begins another.
        #expect(writes.firstIndex(of: true) == 14 && writes.last == false)
    }
}
