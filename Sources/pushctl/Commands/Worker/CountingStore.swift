import PushLocking
import PushQueue

/// A queue that counts the outcomes its worker stores.
final class CountingStore: PushQueueStore {
    private let store: any PushQueueStore
    private let counts = Locked(Tally())

    init(_ store: any PushQueueStore) { self.store = store }

    /// The outcomes that are stored.
    var tally: Tally { counts.withLock { $0 } }

    func settle(as worker: WorkerID, _ settlements: [Settlement]) async throws(QueueError) {
        try await store.settle(as: worker, settlements)
        counts.withLock { tally in
            for settlement in settlements {
                for row in settlement.rows {
                    tally.count(OutcomeRow.Outcome(row.word), reason: row.reason?.asReason)
                }
            }
        }
    }

    // MARK: As they are

    func enqueue(_ entries: [QueueEntry]) async throws(QueueError) { try await store.enqueue(entries) }

    func cancel(_ entries: [EntryID]) async throws(QueueError) -> [EntryID] { try await store.cancel(entries) }

    func open(as worker: WorkerID) async throws(QueueError) { try await store.open(as: worker) }

    func take(as worker: WorkerID, tokens: Int) async throws(QueueError) -> [TakenEntry] {
        try await store.take(as: worker, tokens: tokens)
    }

    func recover(
        as worker: WorkerID, besides known: Set<TakenEntry.Key>
    ) async throws(QueueError) -> [TakenEntry] {
        try await store.recover(as: worker, besides: known)
    }

    func offer(as worker: WorkerID, _ ends: [TakenEntry.Key: Int]) async throws(QueueError) {
        try await store.offer(as: worker, ends)
    }

    func release(as worker: WorkerID, _ entries: [TakenEntry.Key]) async throws(QueueError) {
        try await store.release(as: worker, entries)
    }

    func beat(as worker: WorkerID) async throws(QueueError) -> [WorkerID: UInt64] {
        try await store.beat(as: worker)
    }

    func reclaim(
        from dead: WorkerID, at counter: UInt64, as worker: WorkerID, limit: Int
    ) async throws(QueueError) -> [TakenEntry] {
        try await store.reclaim(from: dead, at: counter, as: worker, limit: limit)
    }

    func wait(as worker: WorkerID, upTo time: Duration) async throws(QueueError) {
        try await store.wait(as: worker, upTo: time)
    }

    func leave(as worker: WorkerID) async throws(QueueError) { try await store.leave(as: worker) }

    func outcomes(
        _ list: OutcomeList, after position: String?, limit: Int
    ) async throws(QueueError) -> OutcomePage {
        try await store.outcomes(list, after: position, limit: limit)
    }

    func deadLetters(limit: Int) async throws(QueueError) -> [DeadLetter] {
        try await store.deadLetters(limit: limit)
    }

    func requeue(_ entries: [EntryID]) async throws(QueueError) -> [EntryID] { try await store.requeue(entries) }

    func status() async throws(QueueError) -> QueueStatus { try await store.status() }
}
