import PushLocking
import PushQueue
import SupervisedPush
import Testing

@testable import PushCampaign
@testable import pushctl

@Suite(.timeLimit(.minutes(5))) struct OutcomeWaitTests {
    private struct Lines: Sendable {
        var said: [String] = []
        var seconds = 0.0
    }

    private let worker = WorkerID("test")
    private let lines = Locked(Lines())

    private func entry() throws -> QueueEntry {
        try QueueEntry(.alert(title: "Title", body: "Body"), to: [DeviceToken("aabb01"), DeviceToken("aabb02")])
    }

    private func book(_ path: String, _ entry: QueueEntry) throws -> WaitBook {
        let request = OutputRequest(
            flag: "--outcomes", path: path, policy: .refuse, beginning: OutcomesWriter.header, inputs: NamedFiles())
        let book = WaitBook(try OutcomesWriter(request.open(), format: .csv))
        book.expect(entry.id, [2, 3])
        return book
    }

    @Test func rowsThatCannotBeWrittenAreCounted() throws {
        let request = OutputRequest(
            flag: "--outcomes", path: "/dev/full", policy: .refuse, beginning: "", inputs: NamedFiles())
        let book = WaitBook(try OutcomesWriter(request.open(), format: .json))
        book.expect(try entry().id, [2, 3])
        #expect(book.loss == nil)
        #expect(book.abandon() == 2 && book.failure != nil)
        let line = book.loss?.sentence(of: nil, input: "in.csv")
        #expect(line == "standard output has 0 whole rows of this run; 2 are missing")
    }

    /// Each pause takes a second, and each look at the clock ten milliseconds.
    private func wait(_ store: any PushQueueStore, _ book: WaitBook, limit: Double = 150) -> OutcomeWait {
        OutcomeWait(
            store, book, limit: limit, standing: { OutcomeWait.Standing(isOver: true, isStopped: false) },
            say: { [lines] line in lines.withLock { $0.said.append(line) } },
            now: { [lines] in
                lines.withLock { lines in
                    lines.seconds += 0.01
                    return lines.seconds
                }
            }, pause: { [lines] _ in lines.withLock { $0.seconds += 1 } })
    }

    /// A queue that does not answer the first times.
    private func silent(_ store: MemoryQueue, times: Int) -> ReaderQueue {
        let left = Locked(times)
        return ReaderQueue(store) { position throws(QueueError) in
            let isSilent = left.withLock { left in
                left -= 1
                return left >= 0
            }
            if isSilent { throw QueueError(.unreachable, "The server does not answer.") }
            return try await store.outcomes(.all, after: position, limit: 10)
        }
    }

    @Test func aCancelledEntryOfABusyQueueIsNotWaitedForWithoutEnd() async throws {
        let (stage, store, entry) = (try Scratch(), MemoryQueue(), try entry())
        let book = try book(stage.path, entry)
        // Another producer's entry keeps the queue from being idle.
        try await store.enqueue([try self.entry()])
        var wait = wait(store, book)
        try await wait.run()
        let said = lines.withLock { $0.said }
        #expect(said.count == 3 && said[0].contains("2 tokens, the first in line 2"))
        #expect(said.last?.contains("no outcome has come for 2:30") == true)
        #expect(book.open == 0 && book.tally.unknown == 2)
    }

    @Test func foreignOutcomesDoNotProlongTheWait() async throws {
        let (stage, entry) = (try Scratch(), try entry())
        let book = try book(stage.path, entry)
        let other = try self.entry()
        let row = QueueOutcome(entry: other.id, index: 0, token: other.tokens[0], PushOutcome(.delivered))
        var wait = wait(ReaderQueue { _ in OutcomePage([row], position: "1") }, book, limit: 20)
        try await wait.run()
        #expect(lines.withLock { $0.said.last }?.contains("no outcome has come for 20 s") == true)
        #expect(book.tally.unknown == 2)
    }

    @Test func onlyWhatIsBehindThePositionIsReadAndNothingIsMarked() async throws {
        let (stage, entry) = (try Scratch(), try entry())
        let book = try book(stage.path, entry)
        let positions = Locked<[String?]>([])
        let rows = entry.tokens.indices.map {
            QueueOutcome(entry: entry.id, index: $0, token: entry.tokens[$0], PushOutcome(.delivered))
        }
        let store = ReaderQueue { position in
            positions.withLock { $0.append(position) }
            return OutcomePage(rows, position: "9")
        }
        var wait = OutcomeWait(
            store, book, after: "7", limit: 20,
            standing: { OutcomeWait.Standing(isOver: true, isStopped: false) }, say: { _ in }, now: { 0 },
            pause: { _ in })
        try await wait.run()
        #expect(positions.withLock { $0 } == ["7"] && store.markings.withLock { $0 } == 0)
    }

    @Test func aQueueThatDoesNotAnswerIsAskedAgain() async throws {
        let (stage, store, entry) = (try Scratch(), MemoryQueue(), try entry())
        let book = try book(stage.path, entry)
        try await store.enqueue([entry])
        let taken = try #require(try await store.take(as: worker, tokens: 10).first)
        let rows = entry.tokens.indices.map {
            QueueOutcome(entry: entry.id, index: $0, token: entry.tokens[$0], PushOutcome(.delivered))
        }
        try await store.settle(as: worker, [Settlement(taken.key, rows: rows, fate: .done)])
        var wait = wait(silent(store, times: 3), book)
        try await wait.run()
        #expect(lines.withLock { $0.said }.count == 1 && book.open == 0 && book.tally.delivered == 2)
    }

    @Test func aQueueThatNeverAnswersEndsTheWait() async throws {
        let (stage, entry) = (try Scratch(), try entry())
        let book = try book(stage.path, entry)
        var wait = wait(silent(MemoryQueue(), times: .max), book)
        let error = await #expect(throws: QueueError.self) { try await wait.run() }
        #expect(error?.code == .unreachable && book.open == 2)
    }
}
