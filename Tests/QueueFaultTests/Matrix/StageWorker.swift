import PushQueue
import PushQueueRedis

/// A worker of a stage in this process.
struct StageWorker: Sendable {
    let worker: PushWorker
    let task: Task<Void, any Error>
    /// The network between it and Redis.
    let network: CuttableRedis?
    /// Its own queue object, where the queue is on Redis.
    let queue: RedisQueue?

    var status: PushWorker.Status { worker.status }

    /// Ends it in order, and waits for it.
    func stop() async throws {
        worker.stop(within: .seconds(10))
        try await task.value
    }
}
