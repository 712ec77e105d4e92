import PushQueue
import PushQueueSQLite
import SupervisedPush

/// Two connections to one file, as two processes have them: each worker uses one of them, and each reader the other.
struct SplitQueue: PushQueueStore {
    let first: SQLiteQueue
    let second: SQLiteQueue

    private func queue(of worker: WorkerID) -> SQLiteQueue {
        worker.description.utf8.reduce(0) { $0 &+ Int($1) }.isMultiple(of: 2) ? first : second
    }

    func enqueue(_ entries: [QueueEntry]) async throws(QueueError) { try await first.enqueue(entries) }

    func cancel(_ entries: [EntryID]) async throws(QueueError) -> Cancellation { try await second.cancel(entries) }

    func open(as worker: WorkerID) async throws(QueueError) { try await queue(of: worker).open(as: worker) }

    func take(as worker: WorkerID, tokens: Int) async throws(QueueError) -> [TakenEntry] {
        try await queue(of: worker).take(as: worker, tokens: tokens)
    }

    func permit(as worker: WorkerID, tokens: Int, rate: QueueRate) async throws(QueueError) -> PushPermit {
        try await queue(of: worker).permit(as: worker, tokens: tokens, rate: rate)
    }

    func recover(
        as worker: WorkerID, besides known: Set<TakenEntry.Key>
    ) async throws(QueueError) -> [TakenEntry] {
        try await queue(of: worker).recover(as: worker, besides: known)
    }

    func offer(as worker: WorkerID, _ ends: [TakenEntry.Key: Int]) async throws(QueueError) {
        try await queue(of: worker).offer(as: worker, ends)
    }

    func settle(as worker: WorkerID, _ settlements: [Settlement]) async throws(QueueError) {
        try await queue(of: worker).settle(as: worker, settlements)
    }

    func release(as worker: WorkerID, _ entries: [TakenEntry.Key]) async throws(QueueError) {
        try await queue(of: worker).release(as: worker, entries)
    }

    func beat(as worker: WorkerID) async throws(QueueError) -> [WorkerID: UInt64] {
        try await queue(of: worker).beat(as: worker)
    }

    func reclaim(
        from dead: WorkerID, at counter: UInt64, as worker: WorkerID, limit: Int
    ) async throws(QueueError) -> [TakenEntry] {
        try await queue(of: worker).reclaim(from: dead, at: counter, as: worker, limit: limit)
    }

    func wait(as worker: WorkerID, upTo time: Duration) async throws(QueueError) {
        try await queue(of: worker).wait(as: worker, upTo: time)
    }

    func leave(as worker: WorkerID) async throws(QueueError) { try await queue(of: worker).leave(as: worker) }

    func outcomes(
        _ list: OutcomeList, after position: String?, limit: Int, marking: Bool
    ) async throws(QueueError) -> OutcomePage {
        try await second.outcomes(list, after: position, limit: limit, marking: marking)
    }

    func note(as worker: WorkerID, _ note: String?) async throws(QueueError) {
        try await queue(of: worker).note(as: worker, note)
    }

    @discardableResult
    func steer(_ order: CampaignOrder, campaign: CampaignName) async throws(QueueError) -> QueueCampaign {
        try await first.steer(order, campaign: campaign)
    }

    @discardableResult
    func steer(_ order: SteeringOrder) async throws(QueueError) -> QueueSteering { try await first.steer(order) }

    func begin(
        _ campaign: CampaignName, with input: CampaignInput
    ) async throws(QueueError) -> CampaignPlace { try await first.begin(campaign, with: input) }

    func enqueue(_ entries: [QueueEntry], as batch: CampaignBatch) async throws(QueueError) {
        try await first.enqueue(entries, as: batch)
    }

    func campaigns() async throws(QueueError) -> [CampaignStanding] { try await first.campaigns() }

    func holds(
        of campaigns: Set<CampaignName>
    ) async throws(QueueError) -> [CampaignName: QueueCampaign.Hold] { try await second.holds(of: campaigns) }

    func entries(with token: DeviceToken, limit: Int) async throws(QueueError) -> [FoundEntry] {
        try await second.entries(with: token, limit: limit)
    }

    func steering() async throws(QueueError) -> QueueSteering { try await second.steering() }

    func limitOutcomes(to count: Int) async throws(QueueError) { try await first.limitOutcomes(to: count) }

    func trim(_ list: OutcomeList, _ bound: OutcomeBound) async throws(QueueError) -> Int {
        try await first.trim(list, bound)
    }

    func lastPosition(of list: OutcomeList) async throws(QueueError) -> String? {
        try await first.lastPosition(of: list)
    }

    func deadLetters(limit: Int) async throws(QueueError) -> [DeadLetter] { try await first.deadLetters(limit: limit) }

    func requeue(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key] {
        try await first.requeue(letters)
    }

    func discard(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key] {
        try await second.discard(letters)
    }

    func status() async throws(QueueError) -> QueueStatus { try await second.status() }
}
