import PushLocking
import PushQueue
import PushQueueRedis

/// A client that loses commands, or replies of commands that the server has executed.
final class LossyRedis: RedisCommands {
    enum Fate { case pass, loseCommand, loseReply }

    private let client: any RedisCommands
    private let next = Locked<@Sendable () -> Fate>({ .pass })

    init(_ client: any RedisCommands) { self.client = client }

    /// Decides about each command that follows.
    func decide(_ fate: @escaping @Sendable () -> Fate) { next.withLock { $0 = fate } }

    /// Loses the reply of the next command, and passes those after it.
    func loseNextReply() { decideNext { .loseReply } }

    /// Decides about the next command, and passes those after it.
    func decideNext(_ fate: @escaping @Sendable () -> Fate) {
        let isFirst = Locked(true)
        decide {
            let isNow = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            return isNow ? fate() : .pass
        }
    }

    func execute(_ commands: [RedisCommand]) async throws(QueueError) -> [RedisReply] {
        let fate = next.withLock { $0 }()
        if fate == .loseCommand { throw QueueError(.unreachable, "The test lost a command.") }
        let replies = try await client.execute(commands)
        if fate == .loseReply { throw QueueError(.unreachable, "The test lost a reply.") }
        return replies
    }
}
