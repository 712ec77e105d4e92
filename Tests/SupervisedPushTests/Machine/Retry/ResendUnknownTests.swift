import PushHTTP2
import PushTransport
import Testing

@testable import SupervisedPush

/// What may have been processed goes again only where that was asked for.
@Suite struct ResendUnknownTests {
    private let policy = PushPolicy(resend: .resendUnknown)

    @Test("parity: P3 – unknown is resent on request, in call order")
    func aLostLinkSendsTheWrittenAgainBeforeThoseThatWait() {
        var harness = MachineHarness.up(limit: 2)
        _ = harness.push(1, 2, 3, policy: policy)
        #expect(harness.lose([(2, .written), (1, .written)]) == ["reconnecting 1 in 1 s"])
        _ = harness.advance(by: .seconds(1))
        #expect(
            harness.feed(.settings(MachineHarness.link(2), maxStreams: 3)) == [
                "up 2", "submit 1 on 2/1 again", "submit 2 on 2/3 again", "submit 3 on 2/5",
            ])
        #expect(harness.answer(1, link: 2) == ["finish 1: 200"])
    }

    @Test func onlyThePushThatAsksForItGoesAgain() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: policy)
        _ = harness.push(2)
        #expect(
            harness.lose([(1, .written), (2, .written)]) == [
                "finish 2: connection_lost unknown", "reconnecting 1 in 1 s",
            ])
    }

    @Test func aResetWithAnyCodeAndABrokenAnswerAreTriedAgain() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: policy)
        #expect(harness.close(1, .internalError) == ["submit 1 on 1/3 again"])
        _ = harness.push(2, 3, policy: policy)
        #expect(harness.close(2, .cancel) == ["submit 2 on 1/9 again"])
        let slot = harness.slots[3] ?? -1
        #expect(
            harness.feed(.streamClosed(MachineHarness.link(1), slot: slot, .malformedAnswer, .written)) == [
                "submit 3 on 1/11 again"
            ])
        for number in UInt64(1)...3 { #expect(harness.answer(number) == ["finish \(number): 200"]) }
    }

    @Test func aPeerThatResetsEveryStreamIsNotTriedAtTheSpeedOfTheWire() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2, policy: policy)
        for number in UInt64(1)...2 { #expect(harness.close(number, .internalError).count == 1) }
        for number in UInt64(1)...2 { #expect(harness.close(number, .internalError) == []) }
        #expect(harness.room.table.count == 2 && harness.machine.inFlight == 0)
        #expect(harness.advance(by: .milliseconds(99)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == ["submit 1 on 1/9 again", "submit 2 on 1/11 again"])
        #expect(harness.close(1, .internalError) == [])
        #expect(harness.advance(by: .milliseconds(199)) == [])
        // A stream that settles makes room for it.
        #expect(harness.answer(2) == ["finish 2: 200", "submit 1 on 1/13 again"])
    }

    @Test func theTwentiethAttemptIsTheLast() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: policy, timeout: .seconds(600))
        #expect(harness.close(1, .internalError).count == 1)
        for _ in 0..<18 {
            #expect(harness.close(1, .internalError) == [])
            #expect(harness.advance(by: .seconds(5)).count == 1)
        }
        #expect(harness.close(1, .internalError) == ["finish 1: stream_reset unknown"])
    }

    @Test func withoutAnAnswerItEndsWithTheWorstOfItsAttempts() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2, policy: policy, timeout: .seconds(5))
        _ = harness.lose([(1, .written), (2, .notSent)])
        #expect(
            harness.advance(by: .seconds(5)).filter { $0.hasPrefix("finish") } == [
                "finish 1: timed_out unknown", "finish 2: timed_out not_sent",
            ])
    }

    @Test func theErrorNamesTheAttemptThatWasUnknown() {
        var harness = MachineHarness.up()
        let record = harness.record(1, policy: policy)
        _ = harness.offer([record])
        _ = harness.close(1, .internalError)
        _ = harness.lose([(1, .unprocessed)])
        harness.room.begin(harness.now)
        _ = harness.room.cancel(record)
        guard case .failure(let error)? = harness.room.finish().endings.first?.outcome(nil) else {
            return #expect(Bool(false))
        }
        #expect(error.code == .cancelled && error.certainty == .unknown && error.unknownAttempt == .streamReset)
    }

    @Test func aTimedOutPushWasReportedAndIsNotSentAgain() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: policy, timeout: .seconds(5))
        #expect(harness.advance(by: .seconds(5)) == ["finish 1: timed_out unknown"])
        #expect(harness.lose([(1, .written)]) == ["late 1: no answer", "reconnecting 1 in 1 s"])
        #expect(harness.room.table.count == 0)
    }

    @Test func aLateRefusalDoesNotUndoAnEarlierUnknownAttempt() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: policy, timeout: .seconds(5))
        _ = harness.close(1, .internalError)
        #expect(harness.advance(by: .seconds(5)) == ["finish 1: timed_out unknown"])
        #expect(harness.close(1, .refusedStream) == ["late 1: no answer"])
    }

    @Test func aFailedProcessPassesItOnAndItsSuccessorKnowsWhatHappened() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2, policy: policy)
        let slot = harness.slots[1] ?? -1
        let streams = [LostStream(slot: slot, fate: .written, answer: nil)]
        #expect(harness.fail([LostLink(id: MachineHarness.link(1), streams: streams)]) == [])
        let waiting = [1, 2].map { harness.waiting($0).map { harness.room.table[$0.roomSlot]?.history } }
        #expect(waiting.map { $0??.worst } == [.unknown, .notSent] && waiting.map { $0??.attempts } == [1, 1])
        _ = harness.feed(.start)
        #expect(harness.comeUp(link: 1) == ["up 1", "submit 1 on 1/1 again", "submit 2 on 1/3 again"])
        #expect(harness.lose([(1, .notSent), (2, .notSent)]) == ["reconnecting 1 in 1 s"])
        #expect(
            harness.feed(.close(deadline: harness.now)).prefix(2) == [
                "finish 1: closed unknown", "finish 2: closed not_sent",
            ])
    }
}
