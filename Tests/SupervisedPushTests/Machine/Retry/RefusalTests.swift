import ProcessRuntime
import PushHTTP2
import PushTransport
import Testing

@testable import SupervisedPush

/// REFUSED_STREAM twice in a row: the push waits for SETTINGS, a settled stream, or a pause.
@Suite struct RefusalTests {
    @Test func thePauseBeginsAfterTheSecondRefusalAndDoublesToFiveSeconds() {
        #expect(RefusedStreamBackoff.length(refusals: 0) == nil)
        #expect(RefusedStreamBackoff.length(refusals: 1) == nil)
        let pauses = (2...10).map { RefusedStreamBackoff.length(refusals: $0) }
        #expect(
            pauses == [
                .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800), .milliseconds(1_600),
                .milliseconds(3_200), .seconds(5), .seconds(5), .seconds(5),
            ])
        #expect(RefusedStreamBackoff.length(refusals: 100) == .seconds(5))
    }

    @Test func aStreamEndedOtherwiseBeforeItWasWholeIsRefusedToo() {
        var harness = MachineHarness.up()
        _ = harness.push(1)
        #expect(harness.close(1, .internalError, .unprocessed).count == 1)
        #expect(harness.close(1, .internalError, .unprocessed) == [])
        #expect(harness.advance(by: .milliseconds(100)) == ["submit 1 on 1/5 again"])
    }

    /// Refused twice, so that it pauses.
    private func paused(_ numbers: UInt64...) -> MachineHarness {
        var harness = MachineHarness.up()
        _ = harness.offer(numbers.sorted().map { harness.record($0) })
        for number in numbers { #expect(harness.close(number, .refusedStream).count == 1) }
        for number in numbers { #expect(harness.close(number, .refusedStream) == []) }
        return harness
    }

    @Test func theSecondRefusalInARowWaitsForTheClock() {
        var harness = paused(1)
        #expect(harness.room.table.count == 1 && harness.machine.inFlight == 0)
        #expect(harness.room.nextWake == harness.now.advanced(by: .milliseconds(100)))
        #expect(harness.advance(by: .milliseconds(99)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == ["submit 1 on 1/5 again"])
        #expect(harness.close(1, .refusedStream) == [])
        #expect(harness.advance(by: .milliseconds(199)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == ["submit 1 on 1/7 again"])
        #expect(harness.answer(1) == ["finish 1: 200"])
        #expect(harness.room.table.count == 0)
    }

    @Test func settingsLetAllOfThemTryAgainInCallOrder() {
        var harness = paused(3, 1, 2)
        #expect(
            harness.feed(.settings(MachineHarness.link(1), maxStreams: 2)) == [
                "submit 1 on 1/13 again", "submit 2 on 1/15 again",
            ])
        #expect(harness.answer(1) == ["finish 1: 200", "submit 3 on 1/17 again"])
    }

    @Test func aStreamThatSettlesMakesRoomForOne() {
        var harness = MachineHarness.up()
        _ = harness.push(9)
        for number in UInt64(1)...2 { _ = harness.push(number) }
        for _ in 0..<2 { for number in UInt64(1)...2 { _ = harness.close(number, .refusedStream) } }
        #expect(harness.room.table.count == 2)
        #expect(harness.answer(9) == ["finish 9: 200", "submit 1 on 1/11 again"])
        #expect(harness.room.table.count == 1)
    }

    @Test func aRefusalAfterAnotherEndIsTheFirstAgain() {
        var harness = MachineHarness.up()
        _ = harness.push(1)
        #expect(harness.close(1, .refusedStream).count == 1)
        _ = harness.lose([(1, .unprocessed)])
        _ = harness.advance(by: .seconds(1))
        #expect(harness.comeUp(link: 2) == ["up 2", "submit 1 on 2/1 again"])
        #expect(harness.close(1, link: 2, .refusedStream).count == 1)
        #expect(harness.close(1, link: 2, .refusedStream) == [])
    }

    @Test func whatALinkRefusesThatSaysGoodbyeGoesToItsSuccessorAtOnce() {
        var harness = MachineHarness.up()
        _ = harness.push(1)
        _ = harness.answer(1)
        _ = harness.push(2)
        _ = harness.close(2, .refusedStream)
        _ = harness.feed(.goAway(MachineHarness.link(1), reason: nil))
        #expect(harness.close(2, .refusedStream) == ["close 1"])
        #expect(harness.feed(.settings(MachineHarness.link(2), maxStreams: 1)) == ["up 2", "submit 2 on 2/1 again"])
    }

    @Test func aNewLinkEndsThePause() {
        var harness = paused(1)
        _ = harness.lose()
        _ = harness.advance(by: .seconds(1))
        #expect(harness.feed(.settings(MachineHarness.link(2), maxStreams: 1)) == ["up 2", "submit 1 on 2/1 again"])
    }

    @Test func pausesKeepDeadlinesCancellationAndClosing() {
        var harness = paused(1, 2, 3)
        #expect(
            harness.feed(.cancel(harness.waiting(2) ?? harness.record(2))) == [
                "finish 2: cancelled unprocessed"
            ])
        #expect(
            harness.feed(.close(deadline: harness.now)) == [
                "finish 1: closed unprocessed", "finish 3: closed unprocessed", "close 1", "stop",
            ])
    }

    @Test func aPushWhoseTimeIsOverInAPauseSaysSo() {
        var harness = MachineHarness.up()
        let times = harness.timeout(.milliseconds(50))
        _ = harness.offer([harness.record(1, times)])
        _ = harness.close(1, .refusedStream)
        _ = harness.close(1, .refusedStream)
        #expect(harness.room.nextWake == harness.now.advanced(by: .milliseconds(50)))
        #expect(harness.advance(by: .milliseconds(50)) == ["finish 1: timed_out unprocessed"])
        #expect(harness.machine.table.count == 0 && harness.room.table.count == 0)
    }

    @Test func aFailedProcessPassesThemOnInCallOrder() {
        var harness = paused(2, 1)
        _ = harness.feed(.settings(MachineHarness.link(1), maxStreams: 0))
        _ = harness.push(3)
        #expect(harness.fail() == [])
        _ = harness.feed(.start)
        #expect(
            harness.comeUp(link: 1) == ["up 1", "submit 1 on 1/1 again", "submit 2 on 1/3 again", "submit 3 on 1/5"])
    }
}
