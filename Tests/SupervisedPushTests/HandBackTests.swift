import ProcessRuntime
import Testing

@testable import SupervisedPush

@Suite("parity: G3, F4 – hand-backs are in call order, and those that nobody takes are counted")
struct HandBackTests {
    private func record(_ number: UInt64, _ outcome: OutcomeReceiver = .nobody) -> PushRecord {
        let record = PushRecord(
            id: PushID(number: number),
            push: Push(.alert(title: "Flight A998", body: "Boarding"), to: MachineSamples.token, context: number),
            head: MachineSamples.head,
            times: PushTimes(timeout: .seconds(1), timeoutFromCall: nil, deadline: nil, expiration: nil))
        record.outcome = outcome
        record.callNumber = number
        return record
    }

    @Test func pushesThatEndedInAnyOrderComeBackInCallOrder() {
        var batch = HandBackBatch()
        for (number, certainty) in [
            (5, Certainty.unknown), (2, .notSent), (9, .unprocessed), (1, .unknown), (4, .notSent), (3, .unprocessed),
        ] { batch.add(record(UInt64(number)), certainty: certainty) }
        batch.add(record(7, .completion { _ in }), certainty: .unknown)
        var later = HandBackBatch()
        later.add(record(0), certainty: .notSent)
        batch.append(later)
        let handBack = batch.handBack
        #expect(handBack.notSent.map { $0.context as? UInt64 } == [0, 2, 4])
        #expect(handBack.unprocessed.map { $0.context as? UInt64 } == [3, 9])
        #expect(handBack.unknown.map { $0.context as? UInt64 } == [1, 5])
        #expect(handBack.answeredElsewhere == 1 && handBack.count == 7)
        #expect(LifecycleMessage.handedBack(pid: ProcessID(1), name: nil, handBack).weight == 7)
    }

    @Test func lostOnesAreLoggedOnceASecondHoweverManyThereAre() {
        var losses = HandBackLosses()
        var now = MonotonicInstant(nanoseconds: 0)
        var batch = HandBackBatch()
        for number in 0..<20 { batch.add(record(UInt64(number)), certainty: .unknown) }
        let first = losses.add(batch, now)
        #expect(first?.unknown == 20 && first?.examples.count == HandBackLosses.maxExamples)
        #expect((0..<100).allSatisfy { _ in losses.add(batch, now) == nil })
        now = now.advanced(by: .seconds(1))
        #expect(losses.add(batch, now)?.count == 2_020)
        #expect(losses.takeRest() == nil)
        #expect(losses.add(batch, now) == nil)
        #expect(losses.takeRest()?.count == 20)
    }
}
