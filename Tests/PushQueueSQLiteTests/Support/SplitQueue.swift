import PushQueue
import PushQueueSQLite
import QueueTestSupport

/// Two connections to one file, as two processes have them: each worker uses one of them, and each reader the other.
struct SplitQueue: ForwardingQueue {
    let first: SQLiteQueue
    let second: SQLiteQueue

    var target: any PushQueueStore { first }
    var reader: any PushQueueStore { second }

    func forward<Value>(
        as worker: WorkerID, _ call: (any PushQueueStore) async throws(QueueError) -> Value
    ) async throws(QueueError) -> Value {
        let isEven = worker.description.utf8.reduce(0) { $0 &+ Int($1) }.isMultiple(of: 2)
        return try await call(isEven ? first : second)
    }

    func cancel(_ entries: [EntryID]) async throws(QueueError) -> Cancellation { try await second.cancel(entries) }

    func discard(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key] {
        try await second.discard(letters)
    }
}
