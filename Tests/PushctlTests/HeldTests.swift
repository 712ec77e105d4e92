import SupervisedPush
import Testing

@testable import pushctl

@Suite struct HeldTests {
    private func row(_ line: Int) -> OutcomeRow {
        OutcomeRow(line: line, token: "t", PushOutcome(.unknown, reason: "timed_out"))
    }

    @Test func beyondTheLimitTheOldestIsWritten() {
        var held = Held<Int, OutcomeRow>(limit: 2)
        #expect(held.hold(1, row(1)) == nil)
        #expect(held.hold(2, row(2)) == nil)
        #expect(held.hold(3, row(3)) == row(1))
        #expect(held.count == 2)
        #expect(held.takeAll() == [row(2), row(3)])
        #expect(held.count == 0)
    }

    @Test func aRowLeavesOnce() {
        var held = Held<Int, OutcomeRow>()
        _ = held.hold(1, row(1))
        #expect(held.take(1) == row(1))
        #expect(held.take(1) == nil)
        #expect(held.takeAll().isEmpty)
    }

    @Test func takenRowsMakeRoomAndLeaveNoTrace() {
        var held = Held<Int, OutcomeRow>(limit: 10)
        for id in 0..<10_000 {
            #expect(held.hold(id, row(id)) == nil)
            if id >= 5 { #expect(held.take(id - 5) != nil) }
        }
        #expect(held.takeAll().map(\.line) == Array(9_995..<10_000))
    }
}
