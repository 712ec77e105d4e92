import ProcessRuntime
import Testing

@testable import SupervisedPush

@Suite("parity: G2 – when writes happen: at the end of a drain, when a record is full, after flushDelay, or each")
struct WriteCoalescerTests {
    private let start = MonotonicInstant(nanoseconds: 0)

    /// Whether each of this many requests is to be written at once, then whether their drain writes.
    private func drain(
        _ requests: Int, payload: Int = 100, _ coalescer: inout WriteCoalescer, _ now: MonotonicInstant
    ) -> (atOnce: [Bool], atEnd: Bool) {
        let atOnce = (0..<requests).map { _ in coalescer.submitted(payload: payload, now) }
        return (atOnce, coalescer.endsDrain(now))
    }

    @Test func withoutADelayEachDrainWrites() {
        var coalescer = WriteCoalescer(delay: nil)
        let writes = drain(2, &coalescer, start)
        #expect(writes == ([false, false], true) && coalescer.writeAt == nil)
    }

    @Test func withADelayOfZeroEachRequestIsWritten() {
        var coalescer = WriteCoalescer(delay: .zero)
        let writes = drain(2, &coalescer, start)
        #expect(writes == ([true, true], true))
    }

    @Test func withADelayRequestsAreHeldUntilItIsOver() {
        var coalescer = WriteCoalescer(delay: .milliseconds(10))
        let empty = drain(0, &coalescer, start)
        #expect(empty == ([], true))
        let first = drain(1, &coalescer, start)
        let second = drain(1, &coalescer, start.advanced(by: .milliseconds(9)))
        #expect(first == ([false], false) && second == ([false], false))
        #expect(coalescer.writeAt == start.advanced(by: .milliseconds(10)))
        let due = drain(0, &coalescer, start.advanced(by: .milliseconds(10)))
        #expect(due == ([], true) && coalescer.writeAt == nil)
    }

    @Test func aFullRecordIsNotHeld() {
        var coalescer = WriteCoalescer(delay: .milliseconds(10))
        let writes = (0..<16).map { _ in drain(1, payload: 1_000, &coalescer, start).atEnd }
        // The fifteenth fills it; the next one begins another.
        #expect(writes.firstIndex(of: true) == 14 && writes.last == false)
    }
}
