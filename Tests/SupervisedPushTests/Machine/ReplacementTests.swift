import ProcessRuntime
import PushTransport
import Testing

@testable import SupervisedPush

/// Replacement by choice: stream numbers run out, and the old link serves until its successor's SETTINGS.
@Suite struct ReplacementTests {
    /// A link with numbers for five pushes, of which the third one finds them scarce.
    private func scarce() -> MachineHarness {
        var settings = ConnectionSettings()
        settings.scarceStream = 3
        settings.lastStream = 9
        var harness = MachineHarness.up(settings)
        #expect(harness.push(1, 2) == ["submit 1 on 1/1", "submit 2 on 1/3"])
        #expect(harness.push(3) == ["dial 2", "submit 3 on 1/5"])
        #expect(harness.machine.phase == .up)
        return harness
    }

    @Test func theOldLinkServesUntilItsSuccessorIsThere() {
        var harness = scarce()
        #expect(harness.push(4) == ["submit 4 on 1/7"])
        #expect(harness.comeUp(link: 2) == ["draining 1", "up 2"])
        #expect(harness.machine.phase == .up)
        #expect(harness.push(5) == ["submit 5 on 2/1"])
        for number in UInt64(1)...3 { #expect(harness.answer(number) == ["finish \(number): 200"]) }
        #expect(harness.answer(4) == ["finish 4: 200", "close 1"])
    }

    @Test func anIdlePredecessorIsClosedAtOnce() {
        var harness = scarce()
        for number in UInt64(1)...3 { _ = harness.answer(number) }
        #expect(harness.comeUp(link: 2) == ["draining 1", "close 1", "up 2"])
    }

    @Test func aSuccessorThatCannotBeDialedIsToldAndTriedAgain() {
        var harness = scarce()
        #expect(harness.lose(link: 2) == ["replacement failed 1 in 1 s"])
        #expect(harness.machine.phase == .up)
        // Answers on the old link keep coming and shorten no pause.
        #expect(harness.answer(1) == ["finish 1: 200"])
        #expect(harness.advance(by: .seconds(1)) == ["dial 3"])
        #expect(harness.lose(link: 3) == ["replacement failed 2 in 3 s"])
        #expect(harness.push(4) == ["submit 4 on 1/7"])
        #expect(harness.advance(by: .seconds(3)) == ["dial 4"])
        #expect(harness.comeUp(link: 4) == ["draining 1", "up 2"])
    }

    @Test("parity: E16 – also a successor has 15 s to come up")
    func aSuccessorThatDoesNotComeUpIsAbandoned() {
        var harness = scarce()
        for number in UInt64(1)...3 { _ = harness.answer(number) }
        #expect(harness.advance(by: .seconds(15)) == ["abandon 2", "replacement failed 1 in 1 s"])
        #expect(harness.push(4) == ["submit 4 on 1/7"])
    }

    @Test func aGoAwayOfTheSuccessorIsAFailureToo() {
        var harness = scarce()
        #expect(harness.goAway(link: 2) == ["abandon 2", "replacement failed 1 in 1 s"])
    }

    @Test func onceNumbersAreUsedUpTheReplacementIsForced() {
        var harness = scarce()
        #expect(harness.push(4, 5, 6) == ["submit 4 on 1/7", "submit 5 on 1/9", "draining 1"])
        #expect(harness.machine.phase == .dialing)
        #expect(harness.lose(link: 2) == ["reconnecting 1 in 1 s"])
        #expect(harness.advance(by: .seconds(1)) == ["dial 3"])
        #expect(harness.comeUp(link: 3) == ["up 2", "submit 6 on 3/1"])
    }

    @Test func usedUpWhileNothingWaitsTheNextPushForcesIt() {
        var settings = ConnectionSettings()
        settings.lastStream = 3
        var harness = MachineHarness.up(settings)
        #expect(harness.push(1, 2) == ["submit 1 on 1/1", "submit 2 on 1/3"])
        #expect(harness.push(3) == ["draining 1", "dial 2"])
        #expect(harness.comeUp(link: 2) == ["up 2", "submit 3 on 2/1"])
    }

    @Test func usedUpInAPauseTheSuccessorIsDialedAtOnce() {
        var harness = scarce()
        _ = harness.lose(link: 2)
        #expect(harness.push(4, 5, 6) == ["submit 4 on 1/7", "submit 5 on 1/9", "draining 1", "dial 3"])
        #expect(harness.advance(by: .seconds(1)) == [])
        #expect(harness.comeUp(link: 3) == ["up 2", "submit 6 on 3/1"])
    }

    @Test func aLinkThatBreaksMeanwhileIsALostLinkLikeAnyOther() {
        var harness = scarce()
        #expect(
            harness.lose([(1, .written), (2, .unprocessed), (3, .written)]) == [
                "finish 1: connection_lost unknown", "finish 3: connection_lost unknown", "abandon 2",
                "reconnecting 1 in 1 s",
            ])
        #expect(harness.advance(by: .seconds(1)) == ["dial 3"])
        #expect(harness.comeUp(link: 3) == ["up 2", "submit 2 on 3/1 again"])
    }

    @Test func aGoAwayMeanwhileForcesIt() {
        var harness = scarce()
        #expect(harness.goAway() == ["draining 1"])
        #expect(harness.machine.phase == .dialing)
        #expect(harness.push(4) == [])
        #expect(harness.comeUp(link: 2) == ["up 2", "submit 4 on 2/1"])
    }

    @Test func aConnectionThatClosesWantsNoSuccessor() {
        var settings = ConnectionSettings()
        settings.scarceStream = 3
        var harness = MachineHarness.up(limit: 1, settings)
        _ = harness.push(1, 2, 3)
        _ = harness.feed(.close(deadline: harness.now.advanced(by: .seconds(5))))
        #expect(harness.answer(1) == ["finish 1: 200", "submit 2 on 1/3"])
        #expect(harness.answer(2) == ["finish 2: 200", "submit 3 on 1/5"])
        #expect(harness.answer(3) == ["finish 3: 200", "close 1", "stop"])
    }
}
