import PushQueue
import PushQueueRedis
import QueueTestSupport

/// A queue on a master, and the replica that becomes the master.
struct FailoverStage {
    let bench: QueueBench
    let replica: RedisServer
    let client: SwitchedRedis
    let queue: RedisQueue

    init() async throws {
        bench = try QueueBench()
        var options = RedisServer.Options()
        options.replicaOf = bench.server
        replica = try RedisServer(options)
        client = SwitchedRedis(try bench.server.connect())
        queue = try Self.queue(bench, client)
        try await queue.open(as: .ann)
    }

    static func queue(_ bench: QueueBench, _ client: any RedisCommands) throws -> RedisQueue {
        var options = RedisQueue.Configuration()
        options.quietAfterFailover = .zero
        return try RedisQueue(bench.name, commands: client, waiting: client, configuration: options)
    }

    /// Lets the replica have all, and nothing that follows.
    func cutOff() async throws {
        // WAIT asks for the replica to have this connection's last write.
        try await bench.redis("SET", "last", "write")
        while try await bench.redis("WAIT", "1", "1000") != .integer(1) {}
        try await replica.connect()("REPLICAOF", "NO", "ONE")
    }

    func failOver() async throws { lead(queue, to: try replica.connect()) }

    /// The next call of the queue is on its way when its connection comes to the new master.
    ///
    /// - Parameter lossy: The client of that queue, which leads to this stage's client.
    func failOver(duringTheNextCallOf queue: RedisQueue, _ lossy: LossyRedis) throws {
        let successor = try replica.connect()
        lossy.decideNext {
            lead(queue, to: successor)
            return .pass
        }
    }

    private func lead(_ queue: RedisQueue, to successor: RedisConnection) {
        bench.server.kill()
        client.lead(to: successor)
        queue.serverChanged()
    }

    /// Another queue on the replica, so that the server gets a script by a call of that one.
    func other() throws -> RedisQueue {
        let client = try replica.connect()
        return try RedisQueue("other", commands: client, waiting: client)
    }

    func rows() async throws -> [QueueOutcome] {
        try await queue.outcomes(.all, after: nil, limit: 100_000).outcomes
    }
}
