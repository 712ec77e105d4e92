import Foundation
import ProcessRuntime
import PushLocking
import SupervisedPush
import TestSupport
import Testing

@testable import PushQueue

@Suite(.timeLimit(.minutes(5))) struct OutcomePagesTests {
    private let time = ManualTime()
    private let worker = WorkerID("one")

    /// Puts one entry in and settles it.
    @discardableResult
    private func settle(_ queue: MemoryQueue, _ count: Int) async throws -> QueueEntry {
        let entry = try QueueEntry(Samples.flight, to: (0..<count).map { Samples.token($0) })
        try await queue.enqueue([entry])
        let taken = try await queue.take(as: worker, tokens: count)
        let rows = entry.tokens.indices.map {
            QueueOutcome(entry: entry.id, index: $0, token: entry.tokens[$0], PushOutcome(.delivered))
        }
        try await queue.settle(as: worker, taken.map { Settlement($0.key, rows: rows, fate: .done) })
        return entry
    }

    @Test func whatIsStoredComesAtOnceInPagesAndEachHasThePositionToStore() async throws {
        let queue = MemoryQueue(time: time)
        for _ in 0..<3 { try await settle(queue, 700) }
        var pages = queue.outcomes(after: nil, time: time).makeAsyncIterator()
        let first = try #require(try await pages.next(isolation: nil))
        let second = try #require(try await pages.next(isolation: nil))
        let third = try #require(try await pages.next(isolation: nil))
        #expect([first, second, third].map(\.outcomes.count) == [1_000, 1_000, 100])
        #expect([first, second, third].map(\.position) == ["1000", "2000", "2100"])
        // Who begins at a stored position goes on behind it.
        var later = queue.outcomes(after: second.position, time: time).makeAsyncIterator()
        #expect(try await later.next(isolation: nil)?.outcomes == third.outcomes)
    }

    @Test func whatComesLaterComesAfterTheInterval() async throws {
        let queue = MemoryQueue(time: time)
        let pages = queue.outcomes(after: nil, interval: .seconds(7), time: time)
        let first = Task { () async throws -> OutcomePage? in
            for try await page in pages { return page }
            return nil
        }
        await time.waitUntilArmed()
        let entry = try await settle(queue, 2)
        time.advance(by: .seconds(6))
        #expect(time.armedCount == 1)
        time.advance(by: .seconds(1))
        #expect(try await first.value?.outcomes.map(\.entry) == [entry.id, entry.id])
        #expect(time.armedCount == 0)
    }

    @Test(arguments: [true, false])
    func aPageCountsAsReadOnceTheNextOneIsAskedFor(_ marking: Bool) async throws {
        let queue = MemoryQueue(time: time)
        for _ in 0..<2 { try await settle(queue, 1_000) }
        var pages = queue.outcomes(after: nil, marking: marking, time: time).makeAsyncIterator()
        _ = try await pages.next(isolation: nil)
        #expect(try await queue.trim(.all, .before(.distantFuture)) == 0)
        _ = try await pages.next(isolation: nil)
        #expect(try await queue.trim(.all, .before(.distantFuture)) == (marking ? 1_000 : 0))
    }

    @Test func aRowThatCannotBeReadIsSeenAndHidesNoOther() async throws {
        let reader = ScriptedReader([
            .success(OutcomePage([], unreadable: ["1"], position: "1")), .success(OutcomePage([], position: "1")),
        ])
        var pages = reader.outcomes(.feedback, after: nil, time: time).makeAsyncIterator()
        let page = try await pages.next(isolation: nil)
        #expect(page?.unreadable == ["1"] && page?.position == "1")
        let next = Task { [pages] in
            var pages = pages
            return try await pages.next(isolation: nil)
        }
        await time.waitUntilArmed()
        next.cancel()
        #expect(try await next.value == nil)
        #expect(reader.calls == ["feedback nil", "feedback 1"])
    }

    @Test func anOutageIsWaitedOutAndNothingIsMissed() async throws {
        let gone = QueueError(.unreachable, "The server does not answer.")
        let page = OutcomePage([], unreadable: ["5"], position: "5")
        let reader = ScriptedReader([.failure(gone), .failure(gone), .success(page)])
        let pages = reader.outcomes(after: "4", maxOutage: .seconds(2), time: time)
        let first = Task { () async throws -> OutcomePage? in
            var pages = pages.makeAsyncIterator()
            return try await pages.next(isolation: nil)
        }
        for _ in 0..<2 {
            await time.waitUntilArmed()
            time.advance(by: .seconds(1))
        }
        #expect(try await first.value?.position == "5")
        #expect(reader.calls == ["outcomes 4", "outcomes 4", "outcomes 4"])
    }

    @Test func anOutageThatLastsTooLongIsAnErrorAndTheEnd() async throws {
        let gone = QueueError(.unreachable, "The server does not answer.")
        let reader = ScriptedReader([.failure(gone), .failure(gone)])
        let pages = reader.outcomes(after: nil, maxOutage: .seconds(1), time: time)
        let reading = Task { () async throws -> [OutcomePage?] in
            var pages = pages.makeAsyncIterator()
            let error = await #expect(throws: QueueError.self) { try await pages.next(isolation: nil) }
            #expect(error?.code == .unreachable)
            return [try await pages.next(isolation: nil)]
        }
        await time.waitUntilArmed()
        time.advance(by: .seconds(1))
        #expect(try await reading.value.map { $0 == nil } == [true])
        #expect(reader.calls.count == 2)
    }

    @Test func anotherErrorIsThrownAtOnce() async throws {
        var pages = MemoryQueue(time: time).outcomes(after: "x", time: time).makeAsyncIterator()
        let error = await #expect(throws: QueueError.self) { try await pages.next(isolation: nil) }
        #expect(error?.code == .invalidEntry && time.armedCount == 0)
    }

    @Test func itEndsWhenItsTaskIsCancelled() async throws {
        let pages = MemoryQueue(time: time).outcomes(after: nil, time: time)
        let reading = Task { () async throws(QueueError) -> Int in
            var count = 0
            for try await _ in pages { count += 1 }
            return count
        }
        await time.waitUntilArmed()
        reading.cancel()
        #expect(try await reading.value == 0)
        #expect(time.armedCount == 0)
    }
}

/// A reader whose pages a test decides. When there are no more, it has nothing.
private struct ScriptedReader: PushQueueReader {
    private struct Script {
        var answers: [Result<OutcomePage, QueueError>]
        var calls: [String] = []
    }

    private let memory = MemoryQueue()
    private let script: Locked<Script>

    init(_ answers: [Result<OutcomePage, QueueError>]) { script = Locked(Script(answers: answers)) }

    /// Which lists were asked for, and after which positions.
    var calls: [String] { script.withLock { $0.calls } }

    func outcomes(
        _ list: OutcomeList, after position: String?, limit: Int, marking: Bool
    ) async throws(QueueError) -> OutcomePage {
        let answer = script.withLock { script in
            script.calls.append("\(list.rawValue) \(position ?? "nil")")
            return script.answers.isEmpty ? .success(OutcomePage([], position: position)) : script.answers.removeFirst()
        }
        return try answer.get()
    }

    func campaigns() async throws(QueueError) -> [CampaignStanding] { try await memory.campaigns() }

    func entries(with token: DeviceToken, limit: Int) async throws(QueueError) -> [FoundEntry] {
        try await memory.entries(with: token, limit: limit)
    }

    func steering() async throws(QueueError) -> QueueSteering { try await memory.steering() }

    func limitOutcomes(to count: Int) async throws(QueueError) { try await memory.limitOutcomes(to: count) }

    func trim(_ list: OutcomeList, _ bound: OutcomeBound) async throws(QueueError) -> Int {
        try await memory.trim(list, bound)
    }

    func lastPosition(of list: OutcomeList) async throws(QueueError) -> String? {
        try await memory.lastPosition(of: list)
    }

    func deadLetters(limit: Int) async throws(QueueError) -> [DeadLetter] { try await memory.deadLetters(limit: limit) }

    func requeue(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key] {
        try await memory.requeue(letters)
    }

    func discard(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key] {
        try await memory.discard(letters)
    }

    func status() async throws(QueueError) -> QueueStatus { try await memory.status() }
}
