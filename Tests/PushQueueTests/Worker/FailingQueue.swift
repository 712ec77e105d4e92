import ProcessRuntime
import PushLocking
import QueueTestSupport
import SupervisedPush

@testable import PushQueue

/// A queue whose server does not answer a worker now and then: before the call is made, or after it.
struct FailingQueue: ForwardingQueue {
    static let sentence = "The server does not answer."

    let target: any PushQueueStore
    private let chance: Locked<SeededGenerator>
    /// What opening it throws, one time after the other.
    private let openErrors: Locked<[QueueError]>

    init(_ queue: MemoryQueue, seed: UInt64, openErrors: [QueueError] = []) {
        target = queue
        chance = Locked(SeededGenerator(seed: seed))
        self.openErrors = Locked(openErrors)
    }

    private func mayFail() throws(QueueError) {
        let fails = chance.withLock { Int.random(in: 0..<8, using: &$0) == 0 }
        if fails { throw QueueError(.unreachable, Self.sentence) }
    }

    func forward<Value>(
        as worker: WorkerID, _ call: (any PushQueueStore) async throws(QueueError) -> Value
    ) async throws(QueueError) -> Value {
        try mayFail()
        let value = try await call(target)
        try mayFail()
        return value
    }

    func open(as worker: WorkerID) async throws(QueueError) {
        let error = openErrors.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let error { throw error }
        try await target.open(as: worker)
    }
}
