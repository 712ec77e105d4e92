import ProcessRuntime
import PushQueue
import QueueTestSupport

@testable import PushQueueRedis

/// A connection to a server, and the sessions that it reports.
struct RedisStage {
    let redis: RedisConnection
    let system = ProcessSystem()
    let sessions: AsyncStream<RedisServerSession>

    /// - Parameter change: Changes the configuration.
    init(_ url: String, _ change: (inout RedisConnection.Configuration) -> Void = { _ in }) throws {
        var configuration = try RedisConnection.Configuration(url: url)
        change(&configuration)
        let (sessions, reported) = AsyncStream.makeStream(of: RedisServerSession.self)
        self.sessions = sessions
        redis = try RedisConnection(configuration, system: system) { reported.yield($0) }
    }

    /// The next session that it has not told yet.
    func nextSession() async -> RedisServerSession? {
        for await session in sessions { return session }
        return nil
    }

    func run(_ words: String...) async throws(QueueError) -> RedisReply {
        try await redis.execute([RedisCommand(words: words.map { Array($0.utf8) })])[0]
    }

    /// How a call with one command ends.
    func failure(_ words: String...) async -> QueueError? {
        do throws(QueueError) {
            _ = try await redis.execute([RedisCommand(words: words.map { Array($0.utf8) })])
            return nil
        } catch { return error }
    }
}
