import Foundation
import ProcessRuntime
import SupervisedPush
import TestSupport
import Testing

@testable import PushQueue

@Suite struct MemoryQueueTests {
    private let one = WorkerID("one")
    private let two = WorkerID("two")

    private func entry(_ count: Int = 1, notBefore: Date? = nil) throws -> QueueEntry {
        try QueueEntry(Samples.flight, to: (0..<count).map { Samples.token($0) }, notBefore: notBefore)
    }

    private func interrupted(_ entry: QueueEntry, _ index: Int) -> QueueOutcome {
        QueueOutcome(
            entry: entry.id, index: index, token: entry.tokens[index], PushOutcome(.unknown, reason: "interrupted"))
    }

    private func row(_ entry: QueueEntry, _ index: Int) -> QueueOutcome {
        QueueOutcome(entry: entry.id, index: index, token: entry.tokens[index], PushOutcome(.delivered))
    }

    @Test func theOldestAreTakenAsFarAsTheyFitAndOneAtLeast() async throws {
        let queue = MemoryQueue()
        let entries = [try entry(300), try entry(10), try entry(10), try entry(10)]
        try await queue.enqueue(entries)
        #expect(try await queue.take(as: one, tokens: 5).map { try $0.entry.get().id } == [entries[0].id])
        #expect(
            try await queue.take(as: two, tokens: 25).map { try $0.entry.get().id } == [entries[1].id, entries[2].id])
        let status = try await queue.status()
        #expect(status.waiting == 1 && status.workers.mapValues(\.taken) == [one: 1, two: 2])
    }

    @Test func whatWasReleasedIsTakenFirst() async throws {
        let queue = MemoryQueue()
        try await queue.enqueue([try entry(), try entry()])
        let taken = try await queue.take(as: one, tokens: 1)
        try await queue.release(as: two, taken.map(\.key))
        #expect(try await queue.take(as: two, tokens: 1).map(\.key) != taken.map(\.key))
        try await queue.release(as: one, taken.map(\.key))
        try await queue.enqueue([try entry()])
        #expect(try await queue.take(as: two, tokens: 1).map(\.key) == taken.map(\.key))
    }

    @Test func aFullQueueTakesNothingOfACall() async throws {
        let queue = MemoryQueue(maxEntries: 2)
        try await queue.enqueue([try entry()])
        let more = [try entry(), try entry()]
        let error = await #expect(throws: QueueError.self) { try await queue.enqueue(more) }
        #expect(error?.code == .full)
        #expect(try await queue.status().waiting == 1)
    }

    @Test func aDelayedEntryIsTakenWhenItsTimeHasCome() async throws {
        let time = ManualTime()
        let queue = MemoryQueue(time: time)
        let now = Date(timeIntervalSince1970: Double(time.wallClockMilliseconds) / 1_000)
        try await queue.enqueue([try entry(notBefore: now.addingTimeInterval(60))])
        #expect(try await queue.take(as: one, tokens: 9).isEmpty)
        #expect(try await queue.status().delayed == 1)
        async let waited: Void = queue.wait(as: one, upTo: .seconds(300))
        await time.waitUntilArmed()
        time.advance(by: .seconds(60))
        try await waited
        #expect(try await queue.take(as: one, tokens: 9).count == 1)
    }

    @Test func aWaitEndsWhenSomethingComesOrItsTimeIsOver() async throws {
        let time = ManualTime()
        let queue = MemoryQueue(time: time)
        async let first: Void = queue.wait(as: one, upTo: .seconds(5))
        await time.waitUntilArmed()
        time.advance(by: .seconds(5))
        try await first
        async let second: Void = queue.wait(as: one, upTo: .seconds(5))
        await time.waitUntilArmed()
        try await queue.enqueue([try entry()])
        try await second
        #expect(time.armedCount == 0)
    }

    @Test func aWaitEndsWhenSomethingIsDueEarlierThanItsTimerKnows() async throws {
        let time = ManualTime()
        let queue = MemoryQueue(time: time)
        let now = Date(timeIntervalSince1970: Double(time.wallClockMilliseconds) / 1_000)
        try await queue.enqueue([try entry(notBefore: now.addingTimeInterval(60))])
        async let waited: Void = queue.wait(as: one, upTo: .seconds(300))
        await time.waitUntilArmed()
        try await queue.enqueue([try entry(notBefore: now.addingTimeInterval(90))])
        #expect(time.armedCount == 1)
        try await queue.enqueue([try entry(notBefore: now.addingTimeInterval(30))])
        try await waited
        #expect(try await queue.take(as: one, tokens: 9).isEmpty)
    }

    @Test func aCancelledWaitEnds() async throws {
        let time = ManualTime()
        let queue = MemoryQueue(time: time)
        let task = Task { try await queue.wait(as: one, upTo: .seconds(5)) }
        await time.waitUntilArmed()
        task.cancel()
        try await task.value
    }

    @Test func whatIsSettledTwiceCountsOnce() async throws {
        let queue = MemoryQueue()
        let entry = try entry(2)
        try await queue.enqueue([entry])
        let key = try await queue.take(as: one, tokens: 9)[0].key
        try await queue.settle(as: one, [Settlement(key, rows: [row(entry, 0)], fate: .open)])
        try await queue.settle(as: one, [Settlement(key, rows: [row(entry, 0), row(entry, 1)], fate: .done)])
        try await queue.settle(as: one, [Settlement(key, rows: [row(entry, 0), row(entry, 1)], fate: .done)])
        #expect(try await queue.outcomes(.all, after: nil, limit: 9).outcomes.map(\.index) == [0, 1])
        #expect(try await queue.status().taken == 0)
    }

    @Test func aWorkerThatWasTakenForDeadIsFencedAndItsAnswersCount() async throws {
        let queue = MemoryQueue()
        let entry = try entry(2)
        try await queue.enqueue([entry])
        let key = try await queue.take(as: one, tokens: 9)[0].key
        #expect(try await queue.beat(as: two) == [one: 0, two: 1])
        #expect(try await queue.reclaim(from: one, at: 7, as: two, limit: 9).isEmpty)
        #expect(try await queue.reclaim(from: one, at: 0, as: two, limit: 9).map(\.doubts) == [1])
        #expect(try await queue.reclaim(from: one, at: 0, as: two, limit: 9).isEmpty)
        #expect(try await queue.beat(as: two) == [two: 2])
        let error = await #expect(throws: QueueError.self) { try await queue.offer(as: one, [key: 2]) }
        #expect(error?.code == .fenced)
        try await queue.settle(as: one, [Settlement(key, rows: [row(entry, 0)], fate: .again(notBefore: .distantPast))])
        #expect(try await queue.recover(as: two, besides: []).map(\.settled.count) == [1])
        #expect(try await queue.recover(as: two, besides: [key]).isEmpty)
    }

    @Test func aRetryIsFreshAgain() async throws {
        let queue = MemoryQueue()
        let entry = try entry(300)
        try await queue.enqueue([entry])
        let key = try await queue.take(as: one, tokens: 9)[0].key
        try await queue.offer(as: one, [key: 256])
        _ = try await queue.reclaim(from: one, at: 0, as: two, limit: 1)
        try await queue.settle(as: two, [Settlement(key, rows: [row(entry, 0)], fate: .again(notBefore: .distantPast))])
        let again = try await queue.take(as: one, tokens: 9)
        #expect(again.map(\.offered) == [0] && again.map(\.doubts) == [0] && again.map(\.settled.count) == [1])
    }

    @Test func deadLettersAreReadAndPutBack() async throws {
        let queue = MemoryQueue()
        let entry = try entry(2)
        try await queue.enqueue([entry])
        try queue.add([.failure(QueueError(.invalidEntry, "It has no token."))])
        let taken = try await queue.take(as: one, tokens: 9)
        try await queue.settle(
            as: one,
            [
                Settlement(taken[0].key, rows: [row(entry, 0)], fate: .open),
                Settlement(taken[0].key, rows: [interrupted(entry, 1)], fate: .dead("Three workers died with it.")),
                Settlement(taken[1].key, rows: [], fate: .dead("It has no token.")),
            ])
        #expect(
            try await queue.deadLetters(limit: 9).map(\.reason) == ["Three workers died with it.", "It has no token."])
        let letters = try await queue.deadLetters(limit: 9).map(\.key)
        #expect(try await queue.requeue([letters[0]]) == [letters[0]])
        let back = try await queue.take(as: one, tokens: 9)
        #expect(back.map(\.settled) == [TokenSet([0])] && back.map(\.doubts) == [0])
        #expect(try await queue.status().dead == 1)
    }

    @Test func whatWaitsCanBeCancelled() async throws {
        let queue = MemoryQueue()
        let entries = [try entry(), try entry(), try entry(notBefore: .distantFuture)]
        try await queue.enqueue(entries)
        _ = try await queue.take(as: one, tokens: 1)
        let report = try await queue.cancel(entries.map(\.id))
        #expect(report == Cancellation(removed: [entries[1].id, entries[2].id], taken: [entries[0].id]))
        #expect(try await queue.status().waiting == 0)
    }

    @Test func outcomesAreReadOnFromWhereTheReaderWas() async throws {
        let queue = MemoryQueue(maxOutcomes: 4)
        let entry = try entry(8)
        try await queue.enqueue([entry])
        #expect(try await queue.outcomes(.all, after: nil, limit: 9).position == nil)
        let key = try await queue.take(as: one, tokens: 9)[0].key
        try await queue.settle(as: one, [Settlement(key, rows: (0..<3).map { row(entry, $0) }, fate: .open)])
        let first = try await queue.outcomes(.all, after: nil, limit: 2)
        #expect(first.outcomes.map(\.index) == [0, 1])
        #expect(try await queue.outcomes(.all, after: first.position, limit: 9).outcomes.map(\.index) == [2])
        try await queue.settle(as: one, [Settlement(key, rows: (3..<8).map { row(entry, $0) }, fate: .done)])
        // The oldest were removed. No one had asked yet for what follows the third.
        #expect(
            try await queue.outcomes(.all, after: first.position, limit: 9).outcomes.map(\.index) == [3, 4, 5, 6, 7])
        #expect(try await queue.status().outcomesCut == 1)
        #expect(try await queue.outcomes(.feedback, after: nil, limit: 9).outcomes.isEmpty)
    }
}
