import PushLocking
import PushQueue
import PushQueueRedis

/// A client that leads to another server after a failover.
package final class SwitchedRedis: RedisCommands {
    private let client: Locked<any RedisCommands>

    package init(_ client: any RedisCommands) { self.client = Locked(client) }

    package func lead(to client: any RedisCommands) { self.client.withLock { $0 = client } }

    package func execute(_ commands: [RedisCommand]) async throws(QueueError) -> [RedisReply] {
        let client = client.withLock { $0 }
        return try await client.execute(commands)
    }
}
