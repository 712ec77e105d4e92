import ProcessRuntime
import PushLocking
import SupervisedPush

@testable import PushQueue

/// A queue whose server does not answer now and then: before the call is made, or after it.
struct FailingQueue: PushQueueStore {
    static let sentence = "The server does not answer."

    private let queue: MemoryQueue
    private let chance: Locked<SeededGenerator>
    /// What opening it throws, one time after the other.
    private let openErrors: Locked<[QueueError]>

    init(_ queue: MemoryQueue, seed: UInt64, openErrors: [QueueError] = []) {
        self.queue = queue
        chance = Locked(SeededGenerator(seed: seed))
        self.openErrors = Locked(openErrors)
    }

    private func mayFail() throws(QueueError) {
        let fails = chance.withLock { Int.random(in: 0..<8, using: &$0) == 0 }
        if fails { throw QueueError(.unreachable, Self.sentence) }
    }

    private func failing<Value>(_ body: () async throws(QueueError) -> Value) async throws(QueueError) -> Value {
        try mayFail()
        let value = try await body()
        try mayFail()
        return value
    }

    func enqueue(_ entries: [QueueEntry]) async throws(QueueError) { try await queue.enqueue(entries) }

    func cancel(_ entries: [EntryID]) async throws(QueueError) -> Cancellation { try await queue.cancel(entries) }

    func open(as worker: WorkerID) async throws(QueueError) {
        let error = openErrors.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let error { throw error }
        try await queue.open(as: worker)
    }

    func take(as worker: WorkerID, tokens: Int) async throws(QueueError) -> [TakenEntry] {
        try await failing { () async throws(QueueError) in try await queue.take(as: worker, tokens: tokens) }
    }

    func permit(as worker: WorkerID, tokens: Int, rate: QueueRate) async throws(QueueError) -> PushPermit {
        try await failing { () async throws(QueueError) in
            try await queue.permit(as: worker, tokens: tokens, rate: rate)
        }
    }

    func recover(as worker: WorkerID, besides known: Set<TakenEntry.Key>) async throws(QueueError) -> [TakenEntry] {
        try await failing { () async throws(QueueError) in try await queue.recover(as: worker, besides: known) }
    }

    func offer(as worker: WorkerID, _ ends: [TakenEntry.Key: Int]) async throws(QueueError) {
        try await failing { () async throws(QueueError) in try await queue.offer(as: worker, ends) }
    }

    func settle(as worker: WorkerID, _ settlements: [Settlement]) async throws(QueueError) {
        try await failing { () async throws(QueueError) in try await queue.settle(as: worker, settlements) }
    }

    func release(as worker: WorkerID, _ entries: [TakenEntry.Key]) async throws(QueueError) {
        try await failing { () async throws(QueueError) in try await queue.release(as: worker, entries) }
    }

    func beat(as worker: WorkerID) async throws(QueueError) -> [WorkerID: UInt64] {
        try await failing { () async throws(QueueError) in try await queue.beat(as: worker) }
    }

    func reclaim(
        from dead: WorkerID, at counter: UInt64, as worker: WorkerID, limit: Int
    ) async throws(QueueError) -> [TakenEntry] {
        try await failing { () async throws(QueueError) in
            try await queue.reclaim(from: dead, at: counter, as: worker, limit: limit)
        }
    }

    func wait(as worker: WorkerID, upTo time: Duration) async throws(QueueError) {
        try await failing { () async throws(QueueError) in try await queue.wait(as: worker, upTo: time) }
    }

    func leave(as worker: WorkerID) async throws(QueueError) {
        try await failing { () async throws(QueueError) in try await queue.leave(as: worker) }
    }

    func outcomes(
        _ list: OutcomeList, after position: String?, limit: Int, marking: Bool
    ) async throws(QueueError) -> OutcomePage {
        try await queue.outcomes(list, after: position, limit: limit, marking: marking)
    }

    func note(as worker: WorkerID, _ note: String?) async throws(QueueError) {
        try await queue.note(as: worker, note)
    }

    @discardableResult
    func steer(_ order: CampaignOrder, campaign: CampaignName) async throws(QueueError) -> QueueCampaign {
        try await queue.steer(order, campaign: campaign)
    }

    @discardableResult
    func steer(_ order: SteeringOrder) async throws(QueueError) -> QueueSteering { try await queue.steer(order) }

    func begin(
        _ campaign: CampaignName, with input: CampaignInput
    ) async throws(QueueError) -> CampaignPlace { try await queue.begin(campaign, with: input) }

    func enqueue(_ entries: [QueueEntry], as batch: CampaignBatch) async throws(QueueError) {
        try await queue.enqueue(entries, as: batch)
    }

    func campaigns() async throws(QueueError) -> [CampaignStanding] { try await queue.campaigns() }

    func holds(
        of campaigns: Set<CampaignName>
    ) async throws(QueueError) -> [CampaignName: QueueCampaign.Hold] { try await queue.holds(of: campaigns) }

    func entries(with token: DeviceToken, limit: Int) async throws(QueueError) -> [FoundEntry] {
        try await queue.entries(with: token, limit: limit)
    }

    func steering() async throws(QueueError) -> QueueSteering { try await queue.steering() }

    func limitOutcomes(to count: Int) async throws(QueueError) { try await queue.limitOutcomes(to: count) }

    func trim(_ list: OutcomeList, _ bound: OutcomeBound) async throws(QueueError) -> Int {
        try await queue.trim(list, bound)
    }

    func lastPosition(of list: OutcomeList) async throws(QueueError) -> String? {
        try await queue.lastPosition(of: list)
    }

    func deadLetters(limit: Int) async throws(QueueError) -> [DeadLetter] { try await queue.deadLetters(limit: limit) }

    func requeue(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key] {
        try await queue.requeue(letters)
    }

    func discard(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key] {
        try await queue.discard(letters)
    }

    func status() async throws(QueueError) -> QueueStatus { try await queue.status() }
}
