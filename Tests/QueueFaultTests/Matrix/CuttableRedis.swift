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
    private let isPatient: Bool
    /// The connection for commands that wait.
    let waiting: CuttableRedis?

    /// - Parameters:
    ///   - isPatient: Whether calls wait for longer than those of a worker, because nobody repeats them.
    ///   - hasTwin: Whether there is a second connection, for commands that wait.
    init(_ server: RedisServer, isPatient: Bool = false, hasTwin: Bool = true) throws {
        self.isPatient = isPatient
        state = Locked(State(client: try Self.connect(to: server.url, isPatient: isPatient)))
        waiting = hasTwin ? try CuttableRedis(server, isPatient: isPatient, hasTwin: false) : nil
    }

    private static func connect(to url: String, isPatient: Bool) throws -> RedisConnection {
        let configuration: RedisConnection.Configuration
        if isPatient { configuration = try .patient(url) } else { configuration = try .init(url: url) }
        return try RedisConnection(configuration)
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
        let client = try Self.connect(to: url, isPatient: isPatient)
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
