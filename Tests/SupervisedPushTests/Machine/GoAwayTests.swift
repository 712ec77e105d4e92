import HTTP2Session
import Testing
import WireTransport

@testable import SupervisedPush

@Suite("parity: F2 – GOAWAY: make before break, ordered resend")
struct GoAwayTests {
    @Test func theSuccessorIsDialedWhileTheOldLinkDrains() {
        var harness = MachineHarness.up(limit: 3)
        _ = harness.push(1, 2, 3, 4)
        _ = harness.answer(1)
        #expect(harness.feed(.goAway(MachineHarness.link(1), reason: nil)) == ["draining 1", "dial 2"])
        #expect(harness.machine.phase == .dialing)
        // 4 is above the last stream: it waits for the successor, before 5, which comes later.
        #expect(harness.close(4, .refusedStream) == [])
        #expect(harness.push(5) == [])
        #expect(harness.answer(2) == ["finish 2: 200"])
        #expect(
            harness.feed(.linkUp(MachineHarness.link(2), maxStreams: 1_000)) == [
                "up 2", "submit 4 on 2/1 again", "submit 5 on 2/3",
            ])
        #expect(harness.answer(3) == ["finish 3: 200", "close 1"])
    }

    @Test func aGoAwayOfALinkThatWasNotUsefulIsAFailedAttempt() {
        var harness = MachineHarness.up()
        #expect(
            harness.feed(.goAway(MachineHarness.link(1), reason: "Shutdown")) == [
                "draining 1", "close 1", "reconnecting 1 in 1 s",
            ])
    }

    @Test func aLinkThatWasUpThirtySecondsWasUseful() {
        var harness = MachineHarness.up()
        _ = harness.advance(by: .seconds(30))
        #expect(harness.feed(.goAway(MachineHarness.link(1), reason: nil)) == ["draining 1", "close 1", "dial 2"])
    }

    @Test func aSecondGoAwayOfADrainingLinkChangesNothing() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2)
        _ = harness.answer(1)
        _ = harness.feed(.goAway(MachineHarness.link(1), reason: nil))
        #expect(harness.feed(.goAway(MachineHarness.link(1), reason: nil)) == [])
        #expect(harness.answer(2) == ["finish 2: 200", "close 1"])
    }

    @Test func aSuccessorThatCannotBeDialedPausesAndTheOldLinkStillDrains() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2)
        _ = harness.answer(1)
        _ = harness.feed(.goAway(MachineHarness.link(1), reason: nil))
        #expect(harness.lose(link: 2) == ["reconnecting 1 in 1 s"])
        #expect(harness.answer(2) == ["finish 2: 200", "close 1"])
    }

    @Test func aLinkDrainsSixtySecondsAtMost() {
        var harness = MachineHarness.up()
        let times = PushTimes(timeout: .seconds(120), timeoutFromCall: nil, deadline: nil, expiration: nil)
        _ = harness.push(1, 2, times: times)
        _ = harness.answer(1)
        _ = harness.feed(.goAway(MachineHarness.link(1), reason: nil))
        _ = harness.feed(.linkUp(MachineHarness.link(2), maxStreams: 1_000))
        #expect(harness.advance(by: .seconds(60)) == ["close 1", "finish 2: connection_lost unknown"])
    }

    @Test func beforeAFifthLinkDrainsTheOldestIsClosed() {
        var harness = MachineHarness.up()
        let times = PushTimes(timeout: .seconds(50), timeoutFromCall: nil, deadline: nil, expiration: nil)
        for number in UInt32(1)...5 {
            _ = harness.push(UInt64(number) * 2, UInt64(number) * 2 + 1, times: times)
            _ = harness.answer(UInt64(number) * 2, link: number)
            let lines = harness.feed(.goAway(MachineHarness.link(number), reason: nil))
            let expected =
                number < 5
                ? ["draining \(number)", "dial \(number + 1)"]
                : ["draining 5", "close 1", "dial 6", "finish 3: connection_lost unknown"]
            #expect(lines == expected)
            _ = harness.feed(.linkUp(MachineHarness.link(number + 1), maxStreams: 1_000))
        }
    }

    @Test func aGoAwayBeforeTheFirstSettingsIsAFailedAttempt() {
        var harness = MachineHarness()
        _ = harness.feed(.start)
        #expect(
            harness.feed(.goAway(MachineHarness.link(1), reason: "Shutdown")) == [
                "abandon 1", "reconnecting 1 in 1 s",
            ])
    }

    @Test func losingADrainingLinkSettlesItsStreamsAndChangesNoPhase() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2, 3)
        _ = harness.answer(1)
        _ = harness.feed(.goAway(MachineHarness.link(1), reason: nil))
        _ = harness.feed(.linkUp(MachineHarness.link(2), maxStreams: 1_000))
        #expect(
            harness.lose(link: 1, [(2, .written), (3, .unprocessed)]) == [
                "finish 2: connection_lost unknown", "submit 3 on 2/1 again",
            ])
        #expect(harness.machine.phase == .up)
    }
}
