import ProcessRuntime
import PushLocking
import SupervisedPush
import TestSupport
import Testing

@testable import PushQueue

/// What a worker's status and events say of its store.
@Suite struct WorkerWatchTests {
    private let time = ManualTime()
    private let told = Locked<[String]>([])

    private func watch() -> WorkerWatch {
        WorkerWatch({ event in told.withLock { $0.append("\(event)") } }, time: time)
    }

    @Test func aStoreThatDoesNotAnswerIsToldOnceAndAgainWhenItIsBack() {
        let watch = watch()
        watch.storeAnswered(.heartbeat)
        time.advance(by: .seconds(2))
        let error = QueueError(.unreachable, "The server does not answer.")
        watch.callFailed(error, in: .heartbeat)
        time.advance(by: .seconds(3))
        watch.callFailed(error)
        #expect(watch.status.storeSilence == .seconds(5) && watch.status.failedCalls == 2)
        watch.storeAnswered(.heartbeat)
        #expect(watch.status.storeSilence == nil)
        #expect(
            told.withLock { $0 } == ["storeUnreachable(The server does not answer.)", "storeBack(after: 5.0 seconds)"])
    }

    @Test func aFailureIsToldOnceAMinuteForEachCode() {
        let watch = watch()
        let (full, refused) = (QueueError(.full, "No memory."), QueueError(.refused, "No such user."))
        for error in [full, refused, full, refused] { watch.callFailed(error) }
        time.advance(by: .seconds(59))
        watch.callFailed(full)
        #expect(told.withLock { $0 } == ["storeFailed(No memory.)", "storeFailed(No such user.)"])
        time.advance(by: .seconds(1))
        for error in [full, full, refused] { watch.callFailed(error, in: .wait) }
        #expect(told.withLock { $0.dropFirst(2) } == ["storeFailed(No memory.)", "storeFailed(No such user.)"])
        #expect(watch.status.failedCalls == 8 && watch.status.lastError == "No such user.")
        // A worker that lost entries tells it by itself.
        watch.callFailed(QueueError(.fenced, "Another has them."))
        #expect(told.withLock { $0.count } == 4)
    }

    @Test func aLostQueueIsToldAndCountedEachTime() {
        let watch = watch()
        for call in [WorkerWatch.Call.wait, .heartbeat, .other] {
            watch.callFailed(QueueError(.lost, "It is gone."), in: call)
        }
        #expect(watch.status.queueLosses == 3)
        #expect(told.withLock { $0 } == Array(repeating: "queueLost(It is gone.)", count: 3))
    }

    @Test func aStoreThatRefusesIsNotBack() {
        let watch = watch()
        watch.callFailed(QueueError(.unreachable, "It does not answer."))
        time.advance(by: .seconds(3))
        watch.callFailed(QueueError(.refused, "No such user."))
        #expect(
            told.withLock { $0 } == ["storeUnreachable(It does not answer.)", "storeFailed(No such user.)"])
        time.advance(by: .seconds(1))
        watch.storeAnswered()
        #expect(told.withLock { $0.last } == "storeBack(after: 4.0 seconds)")
    }

    @Test func theEndIsToldOnceEachCallThatFailedIsAnswered() {
        let watch = watch()
        for call in [WorkerWatch.Call.wait, .heartbeat] { watch.callFailed(QueueError(.refused, "No user."), in: call) }
        time.advance(by: .seconds(4))
        watch.storeAnswered()
        watch.storeAnswered(.heartbeat)
        #expect(told.withLock { $0 } == ["storeFailed(No user.)"])
        watch.storeAnswered(.wait)
        #expect(told.withLock { $0 } == ["storeFailed(No user.)", "storeBack(after: 4.0 seconds)"])
    }

    @Test func callsThatFailBesideHeartbeatsAreToldOnce() {
        let watch = watch()
        for _ in 0..<3 {
            watch.callFailed(QueueError(.unreachable, "No answer."))
            watch.storeAnswered(.heartbeat)
        }
        #expect(told.withLock { $0 } == ["storeUnreachable(No answer.)"])
    }

    @Test func theWaitSaysNothingOfAStoreThatDoesNotAnswer() {
        let watch = watch()
        watch.callFailed(QueueError(.unreachable, "It does not answer."), in: .wait)
        #expect(watch.status.storeSilence == nil && watch.status.failedCalls == 1)
        #expect(told.withLock { $0.isEmpty })
    }

    @Test func theSilenceCountsFromTheLastAcknowledgedHeartbeat() {
        let watch = watch()
        time.advance(by: .seconds(5))
        watch.storeAnswered(.heartbeat)
        time.advance(by: .seconds(2))
        #expect(watch.status.storeSilence == nil)
        watch.callFailed(QueueError(.refused, "No such user."), in: .heartbeat)
        time.advance(by: .seconds(3))
        // Another call may be answered: the worker pushes nothing all the same.
        watch.storeAnswered()
        #expect(watch.status.storeSilence == .seconds(5))
        watch.storeAnswered(.heartbeat)
        #expect(watch.status.storeSilence == nil)
        // A heartbeat that has no answer yet.
        time.advance(by: .seconds(10))
        watch.tell(.leaseLost)
        #expect(watch.status.storeSilence == .seconds(10))
        time.advance(by: .seconds(1))
        watch.storeAnswered(.heartbeat)
        #expect(
            told.withLock { $0 } == [
                "storeFailed(No such user.)", "storeBack(after: 5.0 seconds)", "leaseLost",
                "storeBack(after: 11.0 seconds)",
            ])
    }

    @Test func outcomesAreCountedByTheirWordsAndDeadLettersAreTold() throws {
        let watch = watch()
        let entry = try EntryFieldsTests.entry { $0.neverRepeats = true }
        let rows = [PushOutcome.Kind.delivered, .failed, .failed].enumerated().map { index, word in
            QueueOutcome(entry: entry.id, index: index, token: entry.tokens[0], PushOutcome(word, certainty: .notSent))
        }
        let (good, bad) = (TakenEntry.Key("1"), TakenEntry.Key("2"))
        watch.settled(
            [
                Settlement(good, rows: rows, fate: .done), Settlement(bad, rows: [], fate: .dead("It has no payload.")),
                Settlement(good, rows: [], fate: .dead("Three workers died with it.")),
            ]
        ) { $0 == good ? entry.id : nil }
        let status = watch.status
        #expect(status.settled == 3 && status.outcomes == [.delivered: 1, .failed: 2] && status.deadLetters == 2)
        #expect(
            told.withLock { $0 } == [
                #"deadLetter(entry: nil, reason: "It has no payload.")"#,
                #"deadLetter(entry: Optional(\#(entry.id)), reason: "Three workers died with it.")"#,
            ])
    }
}
