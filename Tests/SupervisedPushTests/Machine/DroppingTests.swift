import Testing
import WireTransport

@testable import SupervisedPush

@Suite("parity: G4 – the oldest that waits goes; what came back unprocessed does not")
struct DroppingTests {
    private func excess(_ count: Int, bytes: Int = 0) -> ConnectionEvent {
        .dropOldest(
            Intake.Excess(count: count, bytes: bytes), PushError.Load(inFlight: 1, waiting: 3, limit: 2))
    }

    @Test func theOldestThatWaitGo() {
        var harness = MachineHarness.up(limit: 1)
        _ = harness.push(1, 2, 3, 4)
        #expect(harness.feed(excess(2)) == ["finish 2: dropped not_sent", "finish 3: dropped not_sent"])
        #expect(harness.answer(1) == ["finish 1: 200", "submit 4 on 1/3"])
    }

    @Test func asManyAsTheBytesTake() {
        var harness = MachineHarness()
        _ = harness.push(1, 2, 3)
        let size = MachineSamples.push.notification.payload.count
        #expect(
            harness.feed(excess(0, bytes: size + 1)) == ["finish 1: dropped not_sent", "finish 2: dropped not_sent"])
    }

    @Test func whatWasWrittenBeforeStays() {
        var harness = MachineHarness.up(limit: 2)
        _ = harness.push(1, 2, 3)
        _ = harness.lose([(1, .unprocessed), (2, .written)])
        #expect(harness.feed(excess(5)) == ["finish 3: dropped not_sent"])
        #expect(harness.machine.waitingCount == 1)
    }

    @Test func whoWaitedForRoomStays() {
        var harness = MachineHarness()
        let parked = harness.record(1)
        parked.wasParked = true
        _ = harness.feed(.pushes([parked, harness.record(2)]))
        #expect(harness.feed(excess(2)) == ["finish 2: dropped not_sent"])
    }

    @Test func nothingIsDroppedForNothing() {
        var harness = MachineHarness()
        _ = harness.push(1)
        #expect(harness.feed(excess(0)) == [])
        #expect(harness.feed(excess(-3, bytes: -100)) == [])
    }
}
