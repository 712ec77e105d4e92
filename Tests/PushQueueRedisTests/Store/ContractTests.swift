import PushQueue
import PushQueueRedis
import QueueStoreContract
import Testing

/// The contract of all stores, against a real server.
@Suite struct RedisContractTests {
    /// A stage with a server of its own, which ends with it.
    private func stage() throws -> ContractStage {
        let server = try RedisServer()
        return ContractStage { maxEntries in
            var options = RedisQueueOptions()
            options.maxEntries = maxEntries
            return try QueueBench(server, options: options).queue
        }
    }

    @Test(arguments: ContractClause.all)
    func keeps(_ clause: ContractClause) async throws { try await clause.check(stage()) }

    @Test(arguments: 1...10)
    func randomCallsLoseNothing(seed: Int) async throws { try await stage().checkRandomCalls(seed: UInt64(seed)) }
}
