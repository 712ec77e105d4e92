import PushQueue
import PushQueueTesting
import QueueTestSupport
import Testing

@testable import PushQueueRedis

/// The contract of all stores, against a real server.
@Suite struct RedisContractTests {
    /// A stage with a server of its own, which ends with it.
    private func stage() throws -> QueueStoreStage {
        let server = try RedisServer()
        return QueueStoreStage(
            { maxEntries, maxOutcomes in
                var options = RedisQueue.Configuration()
                (options.maxEntries, options.maxOutcomes) = (maxEntries, maxOutcomes)
                return try QueueBench(server, options: options).queue
            },
            putUnreadable: { store in
                let queue = try #require(store as? RedisQueue)
                try await server.connect()("XADD", queue.keys.stream, "*", "what", "is this")
            },
            storeUnreadable: { store in
                let list = try #require(store as? RedisQueue).keys.stream + ":o"
                try await server.connect()("XADD", list, "*", "n", "1", "rows", #"{"outcome":"diverted"}"#)
            })
    }

    @Test(arguments: QueueStoreClause.all)
    func keeps(_ clause: QueueStoreClause) async throws { try await clause.check(stage()) }

    @Test(arguments: 1...10)
    func randomCallsLoseNothing(seed: Int) async throws { try await stage().checkRandomCalls(seed: UInt64(seed)) }
}
