import PushQueue
import QueueStoreContract
import QueueTestSupport
import Testing

@testable import PushQueueRedis

/// The contract of all stores, against a real server.
@Suite struct RedisContractTests {
    /// A stage with a server of its own, which ends with it.
    private func stage() throws -> ContractStage {
        let server = try RedisServer()
        @Sendable func queue(_ change: (inout RedisQueueOptions) -> Void) throws -> RedisQueue {
            var options = RedisQueueOptions()
            change(&options)
            return try QueueBench(server, options: options).queue
        }
        var stage = ContractStage { maxEntries in try queue { $0.maxEntries = maxEntries } }
        stage.makeCutting = { maxOutcomes in try queue { $0.maxOutcomes = maxOutcomes } }
        stage.putUnreadable = { store in
            let queue = try #require(store as? RedisQueue)
            let words = ["XADD", queue.keys.stream, "*", "what", "is this"]
            _ = try await server.connect().execute([RedisCommand(words: words.map { Array($0.utf8) })])
        }
        return stage
    }

    @Test(arguments: ContractClause.all)
    func keeps(_ clause: ContractClause) async throws { try await clause.check(stage()) }

    @Test(arguments: 1...10)
    func randomCallsLoseNothing(seed: Int) async throws { try await stage().checkRandomCalls(seed: UInt64(seed)) }
}
