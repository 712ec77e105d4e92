import ProcessRuntime
import PushHTTP2
import Testing

@testable import SupervisedPush

@Suite("parity: F20 – no push waits for a window behind one that was called later")
struct WaitingRoomWindowTests {
    private let size = MachineSamples.push(to: 0).notification.payloadBytes

    private func ready(taking bytes: Int) -> RoomHolders.Readiness {
        var readiness = RoomHolders.Readiness(free: 100, isUp: true)
        readiness.bodies = BodyRoom(SendWindow(connection: bytes), isIdle: false)
        return readiness
    }

    /// A room whose connections have looked, each with a link that takes this many bytes.
    private func room(taking windows: [Int]) -> RoomHarness {
        var harness = RoomHarness()
        for bytes in windows { _ = harness.exchange(harness.room.holders.join(), ready(taking: bytes)) }
        return harness
    }

    /// A push whose body is larger than the others'.
    private func longRecord(_ number: UInt64, at now: MonotonicInstant) -> PushRecord {
        let push = Push(.alert(title: "", body: String(repeating: "x", count: 1_000)), to: MachineSamples.token)
        return PushRecord(
            id: PushID(number: number), push: push, head: MachineSamples.head,
            times: PushTimes(
                timeout: .seconds(60), timeoutFromCall: now.advanced(by: .seconds(60)), deadline: nil, expiration: nil))
    }

    @Test func aLinkWithoutWindowIsOfferedNothingThatAnotherMayTake() {
        var harness = room(taking: [size - 1, 10 * size])
        #expect(harness.push(1) == ["look 1"])
        #expect(harness.exchange(1, ready(taking: 10 * size)) == ["take 1"])
    }

    @Test func whatNoLinkTakesIsToldToEachOnce() {
        var harness = room(taking: [size - 1, 0])
        #expect(harness.push(1) == ["look 1", "look 0"])
        #expect(harness.exchange(0, ready(taking: size - 1)) == [])
        #expect(harness.exchange(1, ready(taking: 0)) == [])
        #expect(harness.push(2) == [])
        #expect(harness.room.waiting == 2)
        // A link that was given bytes looks on its own.
        #expect(harness.exchange(0, ready(taking: 2 * size)) == ["take 1 2"])
    }

    @Test func aLinkThatCannotTakeTheNextPushTakesNoLaterOne() {
        var harness = room(taking: [size])
        #expect(harness.push(1) == ["look 0"])
        #expect(harness.push(2) == [])
        #expect(harness.exchange(0, ready(taking: size)) == ["take 1"])
        #expect(harness.exchange(0, ready(taking: size - 1)) == [])
        #expect(harness.exchange(0, ready(taking: size)) == ["take 2"])
    }

    @Test func whenTheNextPushEndsTheOneBehindItIsOfferedAgain() {
        var harness = room(taking: [size])
        let long = longRecord(1, at: harness.now)
        #expect(harness.offer(long) == ["look 0"])
        #expect(harness.exchange(0, ready(taking: size)) == [])
        #expect(harness.push(2) == [])
        #expect(harness.cancel(long) == ["end 1: cancelled not_sent", "look 0"])
        #expect(harness.exchange(0, ready(taking: size)) == ["take 2"])
    }

    @Test func aPushThatIsBoundToALinkWithoutWindowWakesItOnce() {
        var harness = room(taking: [size - 1, 10 * size])
        #expect(harness.push(1, to: 0) == ["look 0"])
        #expect(harness.exchange(0, ready(taking: size - 1)) == [])
        #expect(harness.push(2) == ["look 1"])
        #expect(harness.exchange(1, ready(taking: 10 * size)) == ["take 2"])
        #expect(harness.exchange(0, ready(taking: size)) == ["take 1"])
    }
}
