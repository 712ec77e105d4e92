import ProcessRuntime
import PushHTTP2
import PushTransport
import Testing

@testable import SupervisedPush

@Suite("parity: F7 – PING and stall probe, held pushes after silence")
struct LivenessTests {
    /// A machine with a link that is up and asked by the default times.
    private func lively(
        limit: Int = 1_000, _ change: (inout ConnectionSettings) -> Void = { _ in }
    ) -> MachineHarness {
        var settings = ConnectionSettings()
        settings.liveness = PushConnection.Configuration.Liveness()
        change(&settings)
        return MachineHarness.up(limit: limit, settings)
    }

    /// The same after a first push that was answered: a link that was useful.
    private func useful(limit: Int = 1_000) -> MachineHarness {
        var harness = lively(limit: limit)
        _ = harness.push(1)
        #expect(harness.answer(1) == ["finish 1: 200"])
        return harness
    }

    private func times(seconds: Int, _ harness: MachineHarness) -> PushTimes {
        PushTimes(
            timeout: .seconds(seconds), timeoutFromCall: harness.now.advanced(by: .seconds(seconds)), deadline: nil,
            expiration: nil)
    }

    // MARK: Lost links

    @Test func aBlackHoledPeerIsFoundBeforeTheTimeout() {
        var harness = lively(limit: 2)
        _ = harness.push(1, 2, 3)
        #expect(harness.advance(by: .milliseconds(4_999)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == ["ping 1/1"])
        #expect(harness.advance(by: .milliseconds(2_999)) == [])
        #expect(
            harness.advance(by: .milliseconds(1)) == [
                "break 1", "finish 1: connection_lost unknown", "finish 2: connection_lost unknown",
                "reconnecting 1 in 1 s",
            ])
        #expect(harness.advance(by: .seconds(1)) == ["dial 2"])
        #expect(harness.comeUp(link: 2) == ["up 2", "submit 3 on 2/1"])
    }

    @Test func whatTheKernelDidNotTakeOfALostLinkGoesOutAgain() {
        var harness = lively(limit: 2)
        harness.fates = [2: .unprocessed]
        _ = harness.push(1, 2, 3)
        _ = harness.advance(by: .seconds(5))
        #expect(
            harness.advance(by: .seconds(3)) == [
                "break 1", "finish 1: connection_lost unknown", "reconnecting 1 in 1 s",
            ])
        _ = harness.advance(by: .seconds(1))
        #expect(harness.comeUp(link: 2) == ["up 2", "submit 2 on 2/1 again", "submit 3 on 2/3"])
    }

    @Test func aPingIsRepeatedWhileAPushIsUnanswered() {
        var harness = lively()
        _ = harness.push(1, times: times(seconds: 60, harness))
        for number in UInt64(1)...6 {
            #expect(harness.advance(by: .seconds(5)) == ["ping 1/\(number)"])
            #expect(harness.pong(number) == [])
            // Other pushes are answered, so that nothing stalls.
            _ = harness.push(100 + number)
            #expect(harness.answer(100 + number).count == 1)
        }
        #expect(harness.answer(1) == ["finish 1: 200"])
        #expect(harness.advance(by: .seconds(60)) == [])
    }

    @Test func pushesThatTimeOutEarlyStillCount() {
        // Each of them is over after 2 s, and its stream is reset for the next one: none is ever 5 s old.
        var harness = lively(limit: 1)
        var pings: [String] = []
        for number in UInt64(1)...5 {
            _ = harness.push(number, times: times(seconds: 2, harness))
            for _ in 0..<4 { pings += harness.advance(by: .milliseconds(500)).filter { $0.hasPrefix("ping") } }
        }
        #expect(pings == ["ping 1/1"])
        #expect(harness.machine.phase != .up)
    }

    @Test func ofWhatIsDueAtOneInstantLossesComeFirst() {
        var harness = lively(limit: 1)
        _ = harness.push(1, 2, times: times(seconds: 8, harness))
        _ = harness.advance(by: .seconds(5))
        #expect(
            harness.advance(by: .seconds(3)) == [
                "break 1", "finish 1: connection_lost unknown", "reconnecting 1 in 1 s", "finish 2: timed_out not_sent",
            ])
    }

    @Test func theAnswerToAnotherPingIsNone() {
        var harness = lively()
        _ = harness.push(1)
        _ = harness.advance(by: .seconds(5))
        #expect(harness.feed(.pong(MachineHarness.link(1), 2)) == [])
        #expect(harness.feed(.pong(MachineHarness.link(2), 1)) == [])
        #expect(harness.advance(by: .seconds(3)).first == "break 1")
    }

    @Test func aDrainingLinkIsAskedToo() {
        var harness = useful()
        _ = harness.push(2)
        _ = harness.goAway()
        _ = harness.comeUp(link: 2)
        #expect(harness.advance(by: .seconds(5)) == ["ping 1/1"])
        #expect(harness.advance(by: .seconds(3)) == ["break 1", "finish 2: connection_lost unknown"])
        #expect(harness.machine.phase == .up && harness.machine.draining.isEmpty)
    }

    @Test func aDrainingLinkThatStallsJustDrains() {
        var harness = useful()
        _ = harness.push(2, times: times(seconds: 50, harness))
        _ = harness.goAway()
        _ = harness.comeUp(link: 2)
        for number in UInt64(1)...4 {
            _ = harness.advance(by: .seconds(5))
            #expect(harness.pong(number) == [])
        }
        #expect(harness.answer(2) == ["finish 2: 200", "close 1"])
    }

    // MARK: Held pushes

    @Test func afterSilencePushesAreHeldUntilAPingIsAnswered() {
        var harness = useful()
        #expect(harness.advance(by: .seconds(240)) == [])
        #expect(harness.push(2) == ["ping 1/1"])
        #expect(harness.push(3) == [])
        #expect(harness.pong() == ["submit 2 on 1/3", "submit 3 on 1/5"])
        #expect(harness.push(4) == ["submit 4 on 1/7"])
    }

    @Test func heldPushesOfALinkThatIsGoneAreNotUnknown() {
        var harness = useful()
        _ = harness.advance(by: .seconds(300))
        #expect(harness.push(2, 3) == ["ping 1/1"])
        #expect(harness.advance(by: .seconds(3)) == ["break 1", "reconnecting 1 in 1 s"])
        #expect(harness.advance(by: .seconds(1)) == ["dial 2"])
        #expect(harness.comeUp(link: 2) == ["up 2", "submit 2 on 2/1", "submit 3 on 2/3"])
    }

    @Test func anyByteEndsTheSilence() {
        var harness = useful()
        _ = harness.advance(by: .seconds(200))
        _ = harness.feed(.received(MachineHarness.link(1)))
        _ = harness.advance(by: .seconds(239))
        #expect(harness.push(2) == ["submit 2 on 1/3"])
    }

    @Test func bytesAloneDoNotReleaseHeldPushes() {
        var harness = useful()
        _ = harness.advance(by: .seconds(240))
        _ = harness.push(2)
        #expect(harness.feed(.received(MachineHarness.link(1))) == [])
        #expect(harness.push(3) == [])
        #expect(harness.pong() == ["submit 2 on 1/3", "submit 3 on 1/5"])
    }

    @Test func aHeldPushKeepsItsDeadline() {
        var harness = useful()
        _ = harness.advance(by: .seconds(240))
        _ = harness.push(2, times: times(seconds: 1, harness))
        #expect(harness.advance(by: .seconds(1)) == ["finish 2: timed_out not_sent"])
        #expect(harness.pong() == [])
    }

    @Test func aHeldPushThatIsClosedUponIsNotSent() {
        var harness = useful()
        _ = harness.advance(by: .seconds(240))
        _ = harness.push(2)
        #expect(harness.feed(.close(deadline: harness.now)) == ["finish 2: closed not_sent", "close 1", "stop"])
    }

    // MARK: Idle links

    @Test func anIdleLinkIsPingedOnceAnHour() {
        var harness = useful()
        // One look at the push that is answered by then, one at its deadline, and nothing more.
        #expect(harness.machine.nextWake == harness.now.advanced(by: .seconds(5)))
        #expect(harness.advance(by: .seconds(5)) == [])
        #expect(harness.advance(by: .seconds(5)) == [])
        #expect(harness.machine.nextWake == MonotonicInstant(nanoseconds: 3_600_000_000_000))
        #expect(harness.advance(by: .seconds(3_590)) == ["ping 1/1"])
        harness.now = harness.now.advanced(by: .milliseconds(42))
        #expect(harness.pong() == [])
        #expect(harness.machine.current?.rtt == .milliseconds(42))
        #expect(harness.machine.nextWake == harness.now.advanced(by: .seconds(3_600)))
        #expect(harness.advance(by: .seconds(3_600)) == ["ping 1/2"])
        #expect(harness.advance(by: .seconds(3)) == ["break 1", "reconnecting 1 in 1 s"])
    }

    // MARK: Stalls

    @Test func aPeerThatAnswersPingsButNoPushIsReplaced() {
        var harness = useful(limit: 2)
        _ = harness.push(2, 3, 4)
        #expect(harness.advance(by: .seconds(5)) == ["ping 1/1"])
        #expect(harness.pong() == [])
        #expect(harness.advance(by: .milliseconds(2_999)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == ["draining 1", "dial 2"])
        #expect(harness.machine.phase == .dialing)
        #expect(harness.push(5) == [])
        #expect(harness.comeUp(link: 2) == ["up 2", "submit 4 on 2/1", "submit 5 on 2/3"])
        // The old link drains: an answer, a timeout, a late answer.
        #expect(harness.answer(2) == ["finish 2: 200"])
        #expect(
            harness.advance(by: .seconds(2)).sorted() == [
                "finish 3: timed_out unknown", "finish 4: timed_out unknown", "ping 1/2",
            ])
        #expect(harness.answer(3) == ["late 3: 200", "close 1"])
    }

    @Test func whatWasNotWrittenOfAStalledLinkIsTakenBack() {
        var harness = useful()
        harness.fates = [3: .unprocessed, 4: .notSent]
        _ = harness.push(2, 3, 4)
        _ = harness.advance(by: .seconds(5))
        _ = harness.pong()
        #expect(harness.advance(by: .seconds(3)) == ["draining 1", "dial 2", "reset 1/5", "reset 1/7"])
        #expect(harness.comeUp(link: 2) == ["up 2", "submit 3 on 2/1 again", "submit 4 on 2/3 again"])
        #expect(harness.answer(2) == ["finish 2: 200", "close 1"])
    }

    @Test func aStalledLinkThatWasNotUsefulIsAFailedAttempt() {
        var harness = lively()
        _ = harness.push(1)
        _ = harness.advance(by: .seconds(5))
        _ = harness.pong()
        #expect(harness.advance(by: .seconds(3)) == ["draining 1", "reconnecting 1 in 1 s"])
    }

    @Test func theStallCountsFromTheLastAnswer() {
        var harness = useful()
        _ = harness.push(2, 3, times: times(seconds: 60, harness))
        _ = harness.advance(by: .seconds(4))
        #expect(harness.answer(2) == ["finish 2: 200"])
        #expect(harness.advance(by: .seconds(1)) == ["ping 1/1"])
        _ = harness.pong()
        #expect(harness.advance(by: .seconds(5)) == ["ping 1/2"])
        _ = harness.pong(2)
        #expect(harness.advance(by: .milliseconds(1_999)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == ["draining 1", "dial 2"])
    }

    @Test func noStallIsFoundWithoutTheAnswerToAPing() {
        var harness = lively { $0.liveness.stall = .seconds(4) }
        _ = harness.push(1)
        #expect(harness.advance(by: .seconds(4)) == ["ping 1/1"])
        #expect(harness.pong() == ["draining 1", "reconnecting 1 in 1 s"])
    }

    @Test func aSuccessorThatStallsTooIsReplacedAfterAPause() {
        var harness = useful()
        _ = harness.push(2, times: times(seconds: 60, harness))
        _ = harness.advance(by: .seconds(5))
        _ = harness.pong()
        _ = harness.advance(by: .seconds(3))
        _ = harness.comeUp(link: 2)
        _ = harness.push(3, times: times(seconds: 60, harness))
        _ = harness.advance(by: .seconds(5))
        _ = harness.pong(2)
        _ = harness.pong(1, link: 2)
        #expect(harness.advance(by: .seconds(3)) == ["draining 2", "reconnecting 1 in 1 s"])
    }
}
