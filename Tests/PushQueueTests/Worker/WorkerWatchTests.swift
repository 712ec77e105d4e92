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
        watch.storeAnswered()
        time.advance(by: .seconds(2))
        let error = QueueError(.unreachable, "The server does not answer.")
        watch.callFailed(error)
        time.advance(by: .seconds(3))
        watch.callFailed(error)
        #expect(watch.status.storeSilence == .seconds(5) && watch.status.failedCalls == 2)
        watch.storeAnswered()
        #expect(watch.status.storeSilence == nil)
        #expect(
            told.withLock { $0 } == ["storeAway(The server does not answer.)", "storeBack(after: 5.0 seconds)"])
    }

    @Test func aRefusalIsAnAnswerAndTheWaitSaysNothingOfTheStore() {
        let watch = watch()
        watch.callFailed(QueueError(.unreachable, "It does not answer."), saysStoreIsAway: false)
        #expect(watch.status.storeSilence == nil && watch.status.failedCalls == 1)
        watch.callFailed(QueueError(.unreachable, "It does not answer."))
        watch.callFailed(QueueError(.full, "The server's memory is full."))
        #expect(watch.status.storeSilence == nil && watch.status.lastError == "The server's memory is full.")
        #expect(told.withLock { $0.count } == 2)
    }

    @Test func outcomesAreCountedByTheirWordsAndDeadLettersAreTold() throws {
        let watch = watch()
        let entry = try EntryFieldsTests.entry { $0.once = true }
        let rows = [QueueOutcome.Word.delivered, .failed, .failed].enumerated().map { index, word in
            QueueOutcome(entry: entry.id, index: index, token: entry.tokens[0], word, .notSent)
        }
        let (good, bad) = (TakenEntry.Key("1"), TakenEntry.Key("2"))
        watch.settled(
            [
                Settlement(good, rows, .done), Settlement(bad, [], .dead("It has no payload.")),
                Settlement(good, [], .dead("Three workers died with it.")),
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
