import Foundation
import PushLocking
import PushQueue
import SupervisedPush

/// A queue in memory whose outcomes a test decides.
struct ReaderQueue: PushQueueStore {
    typealias Read = @Sendable (String?) async throws(QueueError) -> OutcomePage

    private let memory: MemoryQueue
    private let read: Read
    /// How many reads counted as read.
    let markings = Locked(0)
    /// The dead letters that cannot be read.
    let damaged = Locked(Set<DeadLetter.Key>())
    /// How many calls of `enqueue` are carried out and not answered.
    let lostAnswers = Locked(0)

    init(_ memory: MemoryQueue = MemoryQueue(), _ read: @escaping Read) { (self.memory, self.read) = (memory, read) }

    func outcomes(
        _ list: OutcomeList, after position: String?, limit: Int, marking: Bool
    ) async throws(QueueError) -> OutcomePage {
        if marking { markings.withLock { $0 += 1 } }
        return try await read(position)
    }

    func enqueue(_ entries: [QueueEntry]) async throws(QueueError) {
        try await memory.enqueue(entries)
        let isLost = lostAnswers.withLock { count in
            defer { count = max(0, count - 1) }
            return count > 0
        }
        if isLost { throw QueueError(.unreachable, "The answer was lost.") }
    }
    func cancel(_ entries: [EntryID]) async throws(QueueError) -> Cancellation { try await memory.cancel(entries) }
    func open(as worker: WorkerID) async throws(QueueError) { try await memory.open(as: worker) }
    func take(as worker: WorkerID, tokens: Int) async throws(QueueError) -> [TakenEntry] {
        try await memory.take(as: worker, tokens: tokens)
    }
    func recover(as worker: WorkerID, besides known: Set<TakenEntry.Key>) async throws(QueueError) -> [TakenEntry] {
        try await memory.recover(as: worker, besides: known)
    }
    func offer(as worker: WorkerID, _ ends: [TakenEntry.Key: Int]) async throws(QueueError) {
        try await memory.offer(as: worker, ends)
    }
    func settle(as worker: WorkerID, _ settlements: [Settlement]) async throws(QueueError) {
        try await memory.settle(as: worker, settlements)
    }
    func release(as worker: WorkerID, _ entries: [TakenEntry.Key]) async throws(QueueError) {
        try await memory.release(as: worker, entries)
    }
    func beat(as worker: WorkerID) async throws(QueueError) -> [WorkerID: UInt64] { try await memory.beat(as: worker) }
    func reclaim(
        from dead: WorkerID, at counter: UInt64, as worker: WorkerID, limit: Int
    ) async throws(QueueError) -> [TakenEntry] {
        try await memory.reclaim(from: dead, at: counter, as: worker, limit: limit)
    }
    func wait(as worker: WorkerID, upTo time: Duration) async throws(QueueError) {
        try await memory.wait(as: worker, upTo: time)
    }
    func leave(as worker: WorkerID) async throws(QueueError) { try await memory.leave(as: worker) }
    func deadLetters(limit: Int) async throws(QueueError) -> [DeadLetter] {
        let damaged = damaged.withLock { $0 }
        return try await memory.deadLetters(limit: limit).map { letter in
            guard damaged.contains(letter.key) else { return letter }
            return DeadLetter(letter.key, .failure(QueueError(.failed, "It is damaged.")), reason: letter.reason)
        }
    }
    func requeue(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key] {
        try await memory.requeue(letters)
    }
    func discard(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key] {
        try await memory.discard(letters)
    }
    func note(as worker: WorkerID, _ note: String?) async throws(QueueError) {
        try await memory.note(as: worker, note)
    }

    @discardableResult
    func steer(_ order: CampaignOrder, campaign: CampaignName) async throws(QueueError) -> QueueCampaign {
        try await memory.steer(order, campaign: campaign)
    }

    @discardableResult
    func steer(_ order: SteeringOrder) async throws(QueueError) -> QueueSteering { try await memory.steer(order) }

    func begin(
        _ campaign: CampaignName, with input: CampaignInput
    ) async throws(QueueError) -> CampaignPlace { try await memory.begin(campaign, with: input) }

    func enqueue(_ entries: [QueueEntry], as batch: CampaignBatch) async throws(QueueError) {
        try await memory.enqueue(entries, as: batch)
    }

    func campaigns() async throws(QueueError) -> [CampaignStanding] { try await memory.campaigns() }

    func holds(
        of campaigns: Set<CampaignName>
    ) async throws(QueueError) -> [CampaignName: QueueCampaign.Hold] { try await memory.holds(of: campaigns) }

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
    func permit(as worker: WorkerID, tokens: Int, rate: QueueRate) async throws(QueueError) -> PushPermit {
        try await memory.permit(as: worker, tokens: tokens, rate: rate)
    }
    func status() async throws(QueueError) -> QueueStatus { try await memory.status() }
}

/// A folder that ends with the test.
final class Scratch {
    private let folder = NSTemporaryDirectory() + "/pushctl-tests-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// A file in it.
    var path: String { folder + "/file" }
}
