import PushHTTP2
import PushTransport
import Testing

@testable import SupervisedPush

@Suite struct UpTests {
    @Test func pushesBeyondTheStreamLimitWaitUntilOneSettles() {
        var harness = MachineHarness.up(limit: 2)
        #expect(harness.push(1, 2, 3) == ["submit 1 on 1/1", "submit 2 on 1/3"])
        #expect(harness.room.table.count == 1)
        #expect(harness.answer(1) == ["finish 1: 200", "submit 3 on 1/5"])
    }

    @Test func theLimitIsFollowedLiveUpAndDownToZero() {
        var harness = MachineHarness.up(limit: 1)
        #expect(harness.push(1, 2, 3, 4) == ["submit 1 on 1/1"])
        #expect(
            harness.feed(.settings(MachineHarness.link(1), maxStreams: 3)) == ["submit 2 on 1/3", "submit 3 on 1/5"])
        #expect(harness.feed(.settings(MachineHarness.link(1), maxStreams: 0)) == [])
        #expect(harness.answer(1) == ["finish 1: 200"])
        #expect(harness.feed(.settings(MachineHarness.link(1), maxStreams: nil)) == ["submit 4 on 1/7"])
    }

    @Test func theCapCountsWhereThePeerStatesMore() {
        var settings = ConnectionSettings()
        settings.maxInFlight = 2
        var harness = MachineHarness.up(limit: 5_000, settings)
        #expect(harness.push(1, 2, 3).count == 2)
    }

    @Test func aRejectionIsAnAnswer() {
        var harness = MachineHarness.up()
        _ = harness.push(1)
        #expect(harness.answer(1, status: 410) == ["finish 1: 410"])
    }

    @Test func aSecondAnswerOfOneStreamIsIgnored() {
        var harness = MachineHarness.up()
        _ = harness.push(1)
        _ = harness.answer(1)
        #expect(harness.answer(1) == [])
        #expect(harness.outcomes[1] == ["200"])
    }

    @Test func aRefusedStreamIsResentInCallOrder() {
        var harness = MachineHarness.up(limit: 2)
        _ = harness.push(1, 2, 3)
        #expect(harness.close(2, .refusedStream) == ["submit 2 on 1/5 again"])
        #expect(harness.answer(1) == ["finish 1: 200", "submit 3 on 1/7"])
    }

    @Test func aStreamResetAfterTheWriteIsUnknownAndNotResent() {
        var harness = MachineHarness.up()
        _ = harness.push(1)
        #expect(harness.close(1, .internalError) == ["finish 1: stream_reset unknown"])
    }

    @Test func anAnswerWithoutAStatusIsUnknown() {
        var harness = MachineHarness.up()
        _ = harness.push(1)
        let slot = harness.slots[1] ?? -1
        #expect(
            harness.feed(.streamClosed(MachineHarness.link(1), slot: slot, .malformedAnswer, .written)) == [
                "finish 1: bad_response unknown"
            ])
    }

    @Test func aStreamResetBeforeItsEndWasEncryptedIsResent() {
        var harness = MachineHarness.up()
        _ = harness.push(1)
        #expect(harness.close(1, .internalError, .unprocessed) == ["submit 1 on 1/3 again"])
    }

    @Test("parity: P3 – unprocessed is resent, but not without an end")
    func twentyAttemptsAreEnough() {
        var harness = MachineHarness.up()
        _ = harness.offer([harness.record(1, harness.timeout(.seconds(600)))])
        #expect(harness.close(1, .internalError, .unprocessed).count == 1)
        for _ in 0..<18 {
            #expect(harness.close(1, .internalError, .unprocessed) == [])
            #expect(harness.advance(by: .seconds(5)).count == 1)
        }
        #expect(harness.close(1, .internalError, .unprocessed) == ["finish 1: too_many_attempts unprocessed"])
    }

    @Test("parity: E12 – one certain outcome for each push of a lost link")
    func aLostLinkSettlesEachPushByWhatTheKernelTook() {
        var harness = MachineHarness.up(limit: 3)
        _ = harness.push(1, 2, 3, 4)
        #expect(
            harness.lose([(3, .notSent), (2, .unprocessed), (1, .written)]) == [
                "finish 1: connection_lost unknown", "reconnecting 1 in 1 s",
            ])
        #expect(harness.room.table.count == 3)
        _ = harness.advance(by: .seconds(1))
        #expect(
            harness.feed(.settings(MachineHarness.link(2), maxStreams: 1_000)) == [
                "up 2", "submit 2 on 2/1 again", "submit 3 on 2/3 again", "submit 4 on 2/5",
            ])
    }

    @Test func aPushThatNeverReachedTheSessionIsNotLostWithTheLink() {
        var harness = MachineHarness.up()
        _ = harness.push(1)
        #expect(harness.lose([]) == ["reconnecting 1 in 1 s"])
        #expect(harness.room.table.count == 1)
        #expect(harness.machine.inFlight == 0)
    }

    @Test func anAnswerThatHadBegunCountsAlthoughTheLinkBroke() {
        var harness = MachineHarness.up()
        _ = harness.push(1)
        let stream = LostStream(
            slot: harness.slots[1] ?? -1, fate: .written, answer: PushResponse(status: 200, isComplete: false))
        let lines = harness.feed(.linkLost(MachineHarness.link(1), LinkFailure(.socket, "cut"), [stream]))
        #expect(lines == ["finish 1: 200", "reconnecting 1 in 1 s"])
    }

    @Test func streamNumbersThatRunOutBringANewLink() {
        var settings = ConnectionSettings()
        settings.lastStream = 3
        var harness = MachineHarness.up(settings)
        #expect(harness.push(1, 2, 3) == ["submit 1 on 1/1", "submit 2 on 1/3", "draining 1", "dial 2"])
        #expect(harness.feed(.settings(MachineHarness.link(2), maxStreams: 10)) == ["up 2", "submit 3 on 2/1"])
        #expect(harness.answer(1) == ["finish 1: 200"])
        #expect(harness.answer(2) == ["finish 2: 200", "close 1"])
    }
}

extension UpTests {
    @Test("parity: G5 – resend: .never is a policy")
    func withResendNeverAnUnprocessedPushEnds() {
        var harness = MachineHarness.up()
        let record = PushRecord(
            id: PushID(number: 1), push: MachineSamples.push, head: MachineSamples.head, times: harness.record(2).times,
            policy: PushPolicy(resend: .never))
        _ = harness.offer([record])
        #expect(harness.close(1, .refusedStream) == ["finish 1: unprocessed unprocessed"])
    }
}
