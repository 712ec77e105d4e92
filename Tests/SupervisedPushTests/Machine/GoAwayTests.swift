import PushHTTP2
import PushTransport
import Testing

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
            harness.feed(.settings(MachineHarness.link(2), maxStreams: 1_000)) == [
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
        _ = harness.feed(.settings(MachineHarness.link(2), maxStreams: 1_000))
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
            _ = harness.feed(.settings(MachineHarness.link(number + 1), maxStreams: 1_000))
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
        _ = harness.feed(.settings(MachineHarness.link(2), maxStreams: 1_000))
        #expect(
            harness.lose(link: 1, [(2, .written), (3, .unprocessed)]) == [
                "finish 2: connection_lost unknown", "submit 3 on 2/1 again",
            ])
        #expect(harness.machine.phase == .up)
    }
}

/// GOAWAY where one would not expect it.
@Suite struct GoAwayCornerTests {
    /// A machine whose first link answered push 1.
    private func useful(limit: Int = 1_000) -> MachineHarness {
        var harness = MachineHarness.up(limit: limit)
        _ = harness.push(1)
        _ = harness.answer(1)
        return harness
    }

    @Test func anAnnouncedGoAwayDrainsAtTheNoticeAndLetsTheSecondOneLowerTheLine() {
        var harness = useful()
        _ = harness.push(2, 3, 4)
        // The notice, with last-stream-id 2^31-1: nothing is above it.
        #expect(harness.goAway() == ["draining 1", "dial 2"])
        // The real one: the session tells which streams it lets go.
        #expect(harness.goAway() == [])
        #expect(harness.close(3, .refusedStream) == [])
        #expect(harness.close(4, .refusedStream) == [])
        #expect(harness.comeUp(link: 2) == ["up 2", "submit 3 on 2/1 again", "submit 4 on 2/3 again"])
        #expect(harness.answer(2) == ["finish 2: 200", "close 1"])
    }

    @Test func aSecondGoAwayAfterTheSuccessorIsUpRefusesOverToIt() {
        var harness = useful()
        _ = harness.push(2, 3)
        _ = harness.goAway()
        _ = harness.comeUp(link: 2)
        #expect(harness.goAway() == [])
        #expect(harness.close(3, .refusedStream) == ["submit 3 on 2/1 again"])
        #expect(harness.answer(2) == ["finish 2: 200", "close 1"])
    }

    @Test("parity: E14, E15 – GOAWAY right after each connect: no fast loop, growing pauses, each told")
    func goAwayRightAfterEachConnectGrowsThePauses() {
        var harness = MachineHarness()
        _ = harness.feed(.start)
        _ = harness.push(
            1, times: PushTimes(timeout: .seconds(90), timeoutFromCall: nil, deadline: nil, expiration: nil))
        for (attempt, seconds) in [(1, 1), (2, 3), (3, 7), (4, 10), (5, 10)] {
            let link = UInt32(attempt)
            let again = attempt > 1 ? " again" : ""
            #expect(harness.comeUp(link: link) == ["up \(attempt)", "submit 1 on \(link)/1\(again)"])
            #expect(
                harness.goAway(link: link, "Shutdown") == [
                    "draining \(attempt)", "reconnecting \(attempt) in \(seconds) s",
                ])
            #expect(harness.close(1, link: link, .refusedStream) == ["close \(link)"])
            #expect(harness.advance(by: .seconds(seconds)) == ["dial \(link + 1)"])
        }
    }

    @Test("parity: E14, F2 – a successor that can't be dialled: told at each attempt, unprocessed first, in call order")
    func aSuccessorThatCannotBeDialedKeepsTheOrder() {
        var harness = useful(limit: 4)
        let times = PushTimes(timeout: .seconds(90), timeoutFromCall: nil, deadline: nil, expiration: nil)
        _ = harness.push(2, 3, 4, 5, 6, times: times)
        #expect(harness.goAway() == ["draining 1", "dial 2"])
        for number in [UInt64(5), 3, 4] { #expect(harness.close(number, .refusedStream) == []) }
        for (attempt, seconds) in [(1, 1), (2, 3), (3, 7)] {
            #expect(harness.lose(link: UInt32(attempt) + 1) == ["reconnecting \(attempt) in \(seconds) s"])
            #expect(harness.push(UInt64(attempt) + 6, times: times) == [])
            // What the old link still answers says nothing of the attempts.
            if attempt == 2 { #expect(harness.answer(2) == ["finish 2: 200", "close 1"]) }
            #expect(harness.advance(by: .seconds(seconds)) == ["dial \(attempt + 2)"])
        }
        #expect(
            harness.comeUp(link: 5) == [
                "up 2", "submit 3 on 5/1 again", "submit 4 on 5/3 again", "submit 5 on 5/5 again", "submit 6 on 5/7",
                "submit 7 on 5/9", "submit 8 on 5/11", "submit 9 on 5/13",
            ])
    }

    @Test func aSuccessorAtLimitOneTakesAThousandUnprocessedOnesInOrder() {
        var harness = useful()
        _ = harness.offer((UInt64(2)...1_001).map { harness.record($0) })
        _ = harness.goAway()
        for number in UInt64(2)...1_001 { _ = harness.close(number, .refusedStream) }
        #expect(harness.comeUp(link: 2, limit: 1) == ["up 2", "submit 2 on 2/1 again"])
        for number in UInt64(2)...1_000 {
            #expect(
                harness.answer(number, link: 2) == [
                    "finish \(number): 200", "submit \(number + 1) on 2/\(2 * number - 1) again",
                ])
        }
        #expect(harness.answer(1_001, link: 2) == ["finish 1001: 200"])
        #expect(harness.machine.table.count == 0)
    }

    @Test func aGoAwayBelowWhatWasAnsweredTakesNoAnswerBack() {
        var harness = useful()
        _ = harness.push(2, 3)
        _ = harness.answer(3)
        _ = harness.goAway()
        #expect(harness.close(2, .refusedStream) == ["close 1"])
        #expect(harness.close(3, .refusedStream) == [])
        #expect(harness.comeUp(link: 2) == ["up 2", "submit 2 on 2/1 again"])
        #expect(harness.outcomes[3] == ["200"])
    }

    @Test func theLimitOfADrainingLinkIsNobodysLimit() {
        var harness = useful(limit: 2)
        _ = harness.push(2, 3, 4)
        _ = harness.goAway()
        #expect(harness.feed(.settings(MachineHarness.link(1), maxStreams: 100)) == [])
        #expect(harness.comeUp(link: 2, limit: 1) == ["up 2", "submit 4 on 2/1"])
        #expect(harness.feed(.settings(MachineHarness.link(1), maxStreams: 0)) == [])
        #expect(harness.machine.current?.limit == 1)
    }

    @Test("parity: X5 – a late answer over a link that drains")
    func aDrainingLinkWaitsForLateAnswers() {
        var harness = useful()
        _ = harness.push(2, 3)
        _ = harness.goAway()
        _ = harness.comeUp(link: 2)
        #expect(
            harness.advance(by: .seconds(10)).sorted() == [
                "finish 2: timed_out unknown", "finish 3: timed_out unknown",
            ])
        #expect(harness.answer(2) == ["late 2: 200"])
        // What is not answered when it has drained long enough never is.
        #expect(harness.advance(by: .seconds(50)) == ["late 3: no answer", "close 1"])
    }

    @Test func theOldestOfFourDrainingLinksLosesItsLateStreamsToTheFifth() {
        var harness = useful()
        _ = harness.push(2, 3)
        _ = harness.advance(by: .seconds(10))
        for link in UInt32(1)...4 {
            let number = UInt64(link) * 10
            _ = harness.push(number, number + 1)
            _ = harness.answer(number, link: link)
            #expect(harness.goAway(link: link) == ["draining \(link)", "dial \(link + 1)"])
            _ = harness.comeUp(link: link + 1)
        }
        _ = harness.push(50)
        _ = harness.answer(50, link: 5)
        _ = harness.push(51)
        #expect(
            harness.goAway(link: 5).sorted() == [
                "close 1", "dial 6", "draining 5", "finish 11: connection_lost unknown", "late 2: no answer",
                "late 3: no answer",
            ])
        #expect(harness.machine.draining.map(\.link.generation) == [2, 3, 4, 5])
    }
}
