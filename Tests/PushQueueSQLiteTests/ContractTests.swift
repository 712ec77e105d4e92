import PushQueue
import PushQueueSQLite
import PushQueueTesting
import Testing

@Suite struct ContractTests {
    @Test(arguments: QueueStoreClause.all) func aFileKeepsTheContract(_ clause: QueueStoreClause) async throws {
        let bench = QueueBench()
        try await clause.check(bench.stage { bench.queue("push", $0) })
    }

    @Test(arguments: QueueStoreClause.all) func twoConnectionsKeepTheContract(_ clause: QueueStoreClause) async throws {
        let bench = QueueBench()
        try await clause.check(
            bench.stage { SplitQueue(first: bench.queue("shop", $0), second: bench.queue("shop", $0)) })
    }

    @Test(arguments: 0..<20) func randomCallsLoseNothing(_ seed: UInt64) async throws {
        let bench = QueueBench()
        try await bench.stage { bench.queue("push", $0) }.checkRandomCalls(seed: seed)
    }

    @Test(arguments: 100..<110) func randomCallsOfTwoConnectionsLoseNothing(_ seed: UInt64) async throws {
        let bench = QueueBench()
        let stage = bench.stage { SplitQueue(first: bench.queue("shop", $0), second: bench.queue("shop", $0)) }
        try await stage.checkRandomCalls(seed: seed)
    }
}
