import Foundation
import PushLocking
import PushQueue
import SupervisedPush
import TestSupport
import Testing

@Suite struct EnqueueTokensTests {
    private let worker = WorkerID("one")

    private func tokens(_ count: Int) -> [DeviceToken] { (0..<count).map { Samples.token($0) } }

    private func entries(of queue: MemoryQueue) async throws -> [QueueEntry] {
        try await queue.take(as: worker, tokens: .max).map { try $0.entry.get() }
    }

    @Test func tokensAreSplitIntoEntriesThatKeepTheirOrder() async throws {
        let queue = MemoryQueue()
        let ids = try await queue.enqueue(Samples.flight, to: tokens(600))
        let entries = try await entries(of: queue)
        #expect(entries.map(\.tokens.count) == [256, 256, 88])
        #expect(entries.map(\.id) == ids)
        #expect(entries.flatMap(\.tokens) == tokens(600))
        #expect(entries.allSatisfy { $0.notification.payload == Samples.flight.payload && !$0.neverRepeats })
    }

    @Test func eachEntryHasTheTimesAndTheMark() async throws {
        let queue = MemoryQueue()
        let (start, end) = (Date(timeIntervalSince1970: 1_000), Date(timeIntervalSince1970: 4_000_000_000))
        try await queue.enqueue(Samples.flight, to: tokens(300), notBefore: start, deadline: end, neverRepeats: true)
        let entries = try await entries(of: queue)
        #expect(entries.count == 2)
        #expect(entries.allSatisfy { $0.notBefore == start && $0.deadline == end && $0.neverRepeats })
    }

    @Test func withoutATokenNothingIsPutIn() async throws {
        let queue = MemoryQueue()
        #expect(try await queue.enqueue(Samples.flight, to: EmptyCollection()).isEmpty)
        #expect(try await queue.status().waiting == 0)
    }

    @Test func upTo16384TokensAreAllPutInOrNone() async throws {
        let queue = MemoryQueue(maxEntries: 63)
        let error = await #expect(throws: EnqueueError.self) {
            try await queue.enqueue(Samples.flight, to: tokens(16_384))
        }
        #expect(error?.cause.code == .full && error?.put == [] && error?.putTokens == 0)
        #expect(error?.failed.flatMap(\.tokens) == tokens(16_384))
        #expect(try await queue.status().waiting == 0)
    }

    @Test func aQueueThatIsFullInTheMiddleSaysWhatIsInAndWhatIsNot() async throws {
        let queue = MemoryQueue(maxEntries: 100)
        let error = try #require(
            await #expect(throws: EnqueueError.self) {
                try await queue.enqueue(Samples.flight, to: tokens(40_000).lazy.map(\.self))
            })
        #expect(error.cause.code == .full && error.put.count == 64 && error.putTokens == 16_384)
        let entries = try await entries(of: queue)
        #expect(entries.map(\.id) == error.put)
        #expect((entries + error.failed).flatMap(\.tokens) == tokens(32_768))
        #expect(
            error.localizedDescription.hasSuffix(
                "The first 16384 tokens are in the queue. The next 16384 are not in it: put the entries of failed in again."
            ))
    }

    @Test func aCallWithoutAnAnswerIsRepeatedWithoutADuplicate() async throws {
        let queue = UnansweredQueue(call: 2)
        let error = try #require(
            await #expect(throws: EnqueueError.self) { try await queue.enqueue(Samples.flight, to: tokens(20_000)) })
        #expect(error.cause.code == .unreachable && error.putTokens == 16_384)
        #expect(error.description.contains("The next 3616 may be in it: put"))
        try await queue.enqueue(error.failed)
        #expect(try await entries(of: queue.memory).flatMap(\.tokens) == tokens(20_000))
    }

    @Test func whatCannotBeStoredIsRefusedAsAWhole() async throws {
        let queue = MemoryQueue()
        let error = await #expect(throws: EnqueueError.self) {
            try await queue.enqueue(Samples.flight, to: tokens(2), deadline: Date(timeIntervalSince1970: .infinity))
        }
        #expect(error?.cause.code == .invalidEntry && error?.put == [])
        #expect(try await queue.status().waiting == 0)
    }
}

/// A queue in memory that carries one call out, and whose answer is lost.
private struct UnansweredQueue: PushQueueProducer {
    let memory = MemoryQueue()
    private let calls: Locked<Int>

    /// - Parameter call: Which call, from 1.
    init(call: Int) { calls = Locked(call) }

    func enqueue(_ entries: [QueueEntry]) async throws(QueueError) {
        try await memory.enqueue(entries)
        let isLost = calls.withLock { left in
            left -= 1
            return left == 0
        }
        if isLost { throw QueueError(.unreachable, "The answer was lost.") }
    }

    func cancel(_ entries: [EntryID]) async throws(QueueError) -> Cancellation { try await memory.cancel(entries) }

    func begin(
        _ campaign: CampaignName, with input: CampaignInput
    ) async throws(QueueError) -> CampaignPlace { try await memory.begin(campaign, with: input) }

    func enqueue(_ entries: [QueueEntry], as batch: CampaignBatch) async throws(QueueError) {
        try await memory.enqueue(entries, as: batch)
    }

    @discardableResult
    func steer(_ order: CampaignOrder, campaign: CampaignName) async throws(QueueError) -> QueueCampaign {
        try await memory.steer(order, campaign: campaign)
    }

    @discardableResult
    func steer(_ order: SteeringOrder) async throws(QueueError) -> QueueSteering { try await memory.steer(order) }
}
