import ProcessRuntime
import PushQueue
import QueueTestSupport
import TestSupport
import Testing

@testable import PushQueueRedis

/// A connection to a server, and the sessions that it reports.
struct RedisStage {
    let redis: RedisConnection
    let system = ProcessSystem()
    let sessions: AsyncStream<RedisServerSession>

    /// - Parameter change: Changes the configuration, with which calls wait for long.
    init(_ url: String, _ change: (inout RedisConnection.Configuration) -> Void = { _ in }) throws {
        var configuration = try RedisConnection.Configuration.patient(url)
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
    func failure(_ words: String...) async -> QueueError? { await end(of: words) }

    /// How a call with one command ends where no connection can be made: with the cause.
    ///
    /// While the first attempt to connect is under way there is none yet. A call that ends then speaks of what was not done "in time", and is made
    /// again.
    func cause(_ words: String...) async -> QueueError? {
        var error: QueueError?
        await until {
            error = await end(of: words)
            return error?.description.contains("in time") != true
        }
        return error
    }

    private func end(of words: [String]) async -> QueueError? {
        do throws(QueueError) {
            _ = try await redis.execute([RedisCommand(words: words.map { Array($0.utf8) })])
            return nil
        } catch { return error }
    }
}
