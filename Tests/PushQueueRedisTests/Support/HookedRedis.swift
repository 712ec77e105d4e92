import PushLocking
import PushQueue
import PushQueueRedis

/// A client that calls functions before and after its next command.
final class HookedRedis: RedisCommands {
    typealias Hook = @Sendable () async throws(QueueError) -> Void

    private let client: any RedisCommands
    private let hooks = Locked<(before: Hook, after: Hook)?>(nil)

    init(_ client: any RedisCommands) { self.client = client }

    func hook(before: @escaping Hook, after: @escaping Hook) { hooks.withLock { $0 = (before, after) } }

    func execute(_ commands: [RedisCommand]) async throws(QueueError) -> [RedisReply] {
        let hooks = hooks.withLock { hooks in
            defer { hooks = nil }
            return hooks
        }
        try await hooks?.before()
        let replies = try await client.execute(commands)
        try await hooks?.after()
        return replies
    }
}
