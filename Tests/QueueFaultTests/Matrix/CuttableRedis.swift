import PushLocking
import PushQueue
import PushQueueRedis
import QueueTestSupport

/// A network to Redis that can be cut, and led to another server.
final class CuttableRedis: RedisCommands {
    private struct State {
        var client: any RedisCommands
        var isCut = false
    }

    private let state: Locked<State>
    /// The connection for commands that wait.
    let waiting: CuttableRedis?

    /// - Parameter hasTwin: Whether there is a second connection, for commands that wait.
    init(_ server: RedisServer, hasTwin: Bool = true) throws {
        state = Locked(State(client: try RedisConnection(.init(url: server.url))))
        waiting = hasTwin ? try CuttableRedis(server, hasTwin: false) : nil
    }

    /// From now on no command gets through, and no reply to one that is under way.
    func cut() {
        state.withLock { $0.isCut = true }
        waiting?.cut()
    }

    func heal() {
        state.withLock { $0.isCut = false }
        waiting?.heal()
    }

    /// Each command goes to this server from now on.
    func lead(to server: RedisServer) throws { try lead(to: server.url) }

    /// Each command goes to the server of this address from now on.
    func lead(to url: String) throws {
        let client = try RedisConnection(.init(url: url))
        state.withLock { $0.client = client }
        try waiting?.lead(to: url)
    }

    func execute(_ commands: [RedisCommand]) async throws(QueueError) -> [RedisReply] {
        let replies = try await client().execute(commands)
        _ = try client()
        return replies
    }

    private func client() throws(QueueError) -> any RedisCommands {
        let state = state.withLock { $0 }
        if state.isCut { throw QueueError(.unreachable, "The test has cut the network.") }
        return state.client
    }
}
