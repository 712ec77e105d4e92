import PushQueue
import SupervisedPush

/// A queue for tests that passes each call on to another one. It overrides what it changes.
package protocol ForwardingQueue: PushQueueStore {
    /// Gets the calls of producers, those for dead letters, and those that remove outcomes.
    var target: any PushQueueStore { get }
    /// Gets the other calls of readers. Default: ``target``.
    var reader: any PushQueueStore { get }

    /// Makes a call of a worker. By default, ``target`` gets it.
    func forward<Value>(
        as worker: WorkerID, _ call: (any PushQueueStore) async throws(QueueError) -> Value
    ) async throws(QueueError) -> Value
}

extension ForwardingQueue {
    package var reader: any PushQueueStore { target }

    package func forward<Value>(
        as worker: WorkerID, _ call: (any PushQueueStore) async throws(QueueError) -> Value
    ) async throws(QueueError) -> Value { try await call(target) }
}

// MARK: Producers

extension ForwardingQueue {
    package func enqueue(_ entries: [QueueEntry]) async throws(QueueError) { try await target.enqueue(entries) }

    package func begin(
        _ campaign: CampaignName, with input: CampaignInput
    ) async throws(QueueError) -> CampaignPlace { try await target.begin(campaign, with: input) }

    package func enqueue(_ entries: [QueueEntry], as batch: CampaignBatch) async throws(QueueError) {
        try await target.enqueue(entries, as: batch)
    }

    package func cancel(_ entries: [EntryID]) async throws(QueueError) -> Cancellation {
        try await target.cancel(entries)
    }

    @discardableResult
    package func steer(_ order: CampaignOrder, campaign: CampaignName) async throws(QueueError) -> QueueCampaign {
        try await target.steer(order, campaign: campaign)
    }

    @discardableResult
    package func steer(_ order: SteeringOrder) async throws(QueueError) -> QueueSteering {
        try await target.steer(order)
    }
}

// MARK: Workers

extension ForwardingQueue {
    package func open(as worker: WorkerID) async throws(QueueError) {
        try await forward(as: worker) { (queue) async throws(QueueError) in try await queue.open(as: worker) }
    }

    package func take(as worker: WorkerID, tokens: Int) async throws(QueueError) -> [TakenEntry] {
        try await forward(as: worker) { (queue) async throws(QueueError) in
            try await queue.take(as: worker, tokens: tokens)
        }
    }

    package func permit(as worker: WorkerID, tokens: Int, rate: QueueRate) async throws(QueueError) -> PushPermit {
        try await forward(as: worker) { (queue) async throws(QueueError) in
            try await queue.permit(as: worker, tokens: tokens, rate: rate)
        }
    }

    package func recover(
        as worker: WorkerID, besides known: Set<TakenEntry.Key>
    ) async throws(QueueError) -> [TakenEntry] {
        try await forward(as: worker) { (queue) async throws(QueueError) in
            try await queue.recover(as: worker, besides: known)
        }
    }

    package func offer(as worker: WorkerID, _ ends: [TakenEntry.Key: Int]) async throws(QueueError) {
        try await forward(as: worker) { (queue) async throws(QueueError) in
            try await queue.offer(as: worker, ends)
        }
    }

    package func settle(as worker: WorkerID, _ settlements: [Settlement]) async throws(QueueError) {
        try await forward(as: worker) { (queue) async throws(QueueError) in
            try await queue.settle(as: worker, settlements)
        }
    }

    package func release(as worker: WorkerID, _ entries: [TakenEntry.Key]) async throws(QueueError) {
        try await forward(as: worker) { (queue) async throws(QueueError) in
            try await queue.release(as: worker, entries)
        }
    }

    package func beat(as worker: WorkerID) async throws(QueueError) -> [WorkerID: UInt64] {
        try await forward(as: worker) { (queue) async throws(QueueError) in try await queue.beat(as: worker) }
    }

    package func reclaim(
        from dead: WorkerID, at counter: UInt64, as worker: WorkerID, limit: Int
    ) async throws(QueueError) -> [TakenEntry] {
        try await forward(as: worker) { (queue) async throws(QueueError) in
            try await queue.reclaim(from: dead, at: counter, as: worker, limit: limit)
        }
    }

    package func wait(as worker: WorkerID, upTo time: Duration) async throws(QueueError) {
        try await forward(as: worker) { (queue) async throws(QueueError) in
            try await queue.wait(as: worker, upTo: time)
        }
    }

    package func note(as worker: WorkerID, _ note: String?) async throws(QueueError) {
        try await forward(as: worker) { (queue) async throws(QueueError) in
            try await queue.note(as: worker, note)
        }
    }

    package func leave(as worker: WorkerID) async throws(QueueError) {
        try await forward(as: worker) { (queue) async throws(QueueError) in try await queue.leave(as: worker) }
    }

    package func steering() async throws(QueueError) -> QueueSteering { try await reader.steering() }

    package func holds(
        of campaigns: Set<CampaignName>
    ) async throws(QueueError) -> [CampaignName: QueueCampaign.Hold] { try await reader.holds(of: campaigns) }
}

// MARK: Readers

extension ForwardingQueue {
    package func outcomes(
        _ list: OutcomeList, after position: String?, limit: Int, marking: Bool
    ) async throws(QueueError) -> OutcomePage {
        try await reader.outcomes(list, after: position, limit: limit, marking: marking)
    }

    package func lastPosition(of list: OutcomeList) async throws(QueueError) -> String? {
        try await reader.lastPosition(of: list)
    }

    package func limitOutcomes(to count: Int) async throws(QueueError) {
        try await target.limitOutcomes(to: count)
    }

    package func trim(_ list: OutcomeList, _ bound: OutcomeBound) async throws(QueueError) -> Int {
        try await target.trim(list, bound)
    }

    package func campaigns() async throws(QueueError) -> [CampaignStanding] { try await reader.campaigns() }

    package func entries(with token: DeviceToken, limit: Int) async throws(QueueError) -> [FoundEntry] {
        try await reader.entries(with: token, limit: limit)
    }

    package func deadLetters(limit: Int) async throws(QueueError) -> [DeadLetter] {
        try await target.deadLetters(limit: limit)
    }

    package func requeue(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key] {
        try await target.requeue(letters)
    }

    package func discard(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key] {
        try await target.discard(letters)
    }

    package func status() async throws(QueueError) -> QueueStatus { try await reader.status() }
}
