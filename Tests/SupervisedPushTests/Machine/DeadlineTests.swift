import ProcessRuntime
import PushTransport
import Testing

@testable import SupervisedPush

@Suite struct DeadlineTests {
    /// Times of a push called at 0 s.
    func times(
        timeout: Int = 10, fromWrite: Bool = false, deadline: Int? = nil, expiration: Int? = nil
    ) -> PushTimes {
        func at(_ seconds: Int) -> MonotonicInstant { MonotonicInstant(nanoseconds: Int64(seconds) * 1_000_000_000) }
        return PushTimes(
            timeout: .seconds(timeout), timeoutFromCall: fromWrite ? nil : at(timeout), deadline: deadline.map(at),
            expiration: expiration.map(at))
    }

    @Test("parity: F14 – deadlines hold while waiting")
    func aWaitingPushTimesOutNotSent() {
        var harness = MachineHarness()
        _ = harness.feed(.start)
        _ = harness.push(1)
        #expect(harness.advance(by: .seconds(9)) == [])
        #expect(harness.advance(by: .seconds(1)) == ["finish 1: timed_out not_sent"])
    }

    @Test("parity: P4 – the earliest of timeout, deadline and expiration ends the waiting, and is named")
    func theEarliestEndsTheWaiting() {
        let cases: [(PushTimes, PushError.Deadline)] = [
            (times(timeout: 1, deadline: 2, expiration: 3), .timeout),
            (times(timeout: 3, deadline: 1, expiration: 2), .deadline),
            (times(timeout: 3, deadline: 2, expiration: 1), .expiration),
            (times(timeout: 3, fromWrite: true, deadline: 1), .deadline),
        ]
        for (times, kind) in cases {
            #expect(times.whileWaiting.kind == kind)
            #expect(times.whileWaiting.instant == MonotonicInstant(nanoseconds: 1_000_000_000))
        }
    }

    @Test func anExpirationEndsTheWaitingWithItsOwnCode() {
        var harness = MachineHarness()
        _ = harness.feed(.start)
        _ = harness.push(1, times: times(expiration: 2))
        #expect(harness.advance(by: .seconds(2)) == ["finish 1: expired not_sent"])
    }

    @Test func inFlightTheExpirationIsIgnored() {
        var harness = MachineHarness.up()
        _ = harness.push(1, times: times(expiration: 2))
        #expect(harness.advance(by: .seconds(9)) == [])
        #expect(harness.advance(by: .seconds(1)) == ["finish 1: timed_out unknown"])
    }

    @Test func aTimeoutFromTheWriteLeavesTheWaitingAlone() {
        var harness = MachineHarness()
        _ = harness.feed(.start)
        _ = harness.push(1, times: times(fromWrite: true))
        #expect(harness.advance(by: .seconds(14)) == [])
        _ = harness.feed(.settings(MachineHarness.link(1), maxStreams: 1))
        #expect(harness.advance(by: .milliseconds(9_999)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == ["finish 1: timed_out unknown"])
    }

    @Test func aPushWhoseTimeIsOverIsNeverWritten() {
        var harness = MachineHarness.up()
        #expect(harness.push(1, times: times(timeout: 0)) == ["finish 1: timed_out not_sent"])
    }

    @Test("parity: X5 – a late answer is posted, with its stream")
    func aLateAnswerIsPosted() {
        var harness = MachineHarness.up()
        _ = harness.push(1)
        #expect(harness.advance(by: .seconds(10)) == ["finish 1: timed_out unknown"])
        #expect(harness.answer(1) == ["late 1: 200"])
        #expect(harness.answer(1) == [])
        #expect(harness.outcomes[1]?.count == 1)
    }

    @Test func aLateWindowClosesAfterSixtySeconds() {
        var harness = MachineHarness.up()
        _ = harness.push(1)
        _ = harness.advance(by: .seconds(10))
        #expect(harness.advance(by: .milliseconds(59_999)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == ["reset 1/1", "late 1: no answer"])
        #expect(harness.machine.table.count == 0)
    }

    @Test func aLateStreamYieldsItsSlotWhenAPushNeedsIt() {
        var harness = MachineHarness.up(limit: 1)
        _ = harness.push(1)
        _ = harness.advance(by: .seconds(10))
        #expect(harness.push(2) == ["reset 1/1", "late 1: no answer", "submit 2 on 1/3"])
    }

    @Test func slotsAreYieldedWithinTheResetBudgetOnly() {
        var harness = MachineHarness.up(limit: 150)
        for number in UInt64(1)...150 { _ = harness.push(number) }
        _ = harness.advance(by: .seconds(10))
        var opened = 0
        for number in UInt64(201)...350 { opened += harness.push(number).count { $0.hasPrefix("submit") } }
        #expect(opened == 100)
        // It asks to be woken for the next one by itself.
        #expect(harness.machine.nextWake == harness.now.advanced(by: .milliseconds(50)))
        #expect(harness.advance(by: .milliseconds(50)).count { $0.hasPrefix("submit") } == 1)
        #expect(harness.advance(by: .seconds(1)).count { $0.hasPrefix("submit") } == 20)
    }

    @Test func aTimedOutPushThatWasNotEncryptedIsUnprocessed() {
        var harness = MachineHarness.up()
        harness.fates = [1: .unprocessed, 2: .notSent]
        _ = harness.push(1, 2)
        #expect(
            harness.advance(by: .seconds(10)).sorted() == [
                "finish 1: timed_out unprocessed", "finish 2: timed_out not_sent", "reset 1/1", "reset 1/3",
            ])
        #expect(harness.machine.current?.open == 0)
    }

    @Test func withoutBudgetForAResetTheRestOfAPushGoesOut() {
        var harness = MachineHarness.up()
        for number in UInt64(1)...101 {
            harness.fates[number] = .unprocessed
            _ = harness.push(number)
        }
        let lines = harness.advance(by: .seconds(10))
        #expect(lines.count { $0.hasPrefix("reset 1/") } == 100)
        #expect(lines.count { $0.hasSuffix("timed_out unprocessed") } == 100)
        #expect(lines.count { $0.hasSuffix("timed_out unknown") } == 1)
        #expect(harness.machine.current?.open == 1)
    }

    @Test func aPushWhoseTimeIsOverWhileItsLinkIsGivenUpEndsThere() {
        var settings = ConnectionSettings()
        settings.drainLimit = .seconds(10)
        var harness = MachineHarness.up(settings)
        _ = harness.push(1)
        harness.fates = [1: .unprocessed]
        _ = harness.goAway()
        let lines = harness.advance(by: .seconds(10))
        #expect(lines.contains("finish 1: timed_out unprocessed"))
        #expect(harness.room.table.count == 0 && harness.machine.inFlight == 0)
    }

    @Test func aPushWhoseTimeIsOverWhileItsLinkIsGivenUpIsNotLate() {
        var settings = ConnectionSettings()
        settings.drainLimit = .seconds(10)
        var harness = MachineHarness.up(settings)
        _ = harness.push(1)
        _ = harness.goAway()
        let lines = harness.advance(by: .seconds(10))
        // Its stream is gone with the link, so no late answer can come.
        #expect(lines.contains("finish 1: timed_out unknown"))
        #expect(harness.machine.table.count == 0 && harness.machine.inFlight == 0)
    }

    @Test func aLostLinkEndsItsLateWindows() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2)
        _ = harness.advance(by: .seconds(10))
        #expect(
            harness.lose([(1, .written), (2, .unprocessed)]) == [
                "late 1: no answer", "late 2: unprocessed", "reconnecting 1 in 1 s",
            ])
    }

    @Test func endedPushesLeaveNoHeapOfDeadlinesBehind() {
        var harness = MachineHarness.up()
        for number in UInt64(1)...20_000 {
            _ = harness.push(number)
            _ = harness.answer(number)
        }
        #expect(harness.machine.deadlines.count < 600)
        #expect(harness.machine.table.count == 0)
    }
}
