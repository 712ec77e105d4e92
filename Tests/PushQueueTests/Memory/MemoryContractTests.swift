import Foundation
import ProcessRuntime
import PushQueueTesting
import Testing

@testable import PushQueue

@Suite struct MemoryContractTests {
    /// A queue with a clock of its own, which stands still but for the steps of the contract.
    private static func stage() -> QueueStoreStage {
        let time = ManualTime()
        return QueueStoreStage(
            { MemoryQueue(maxEntries: $0, maxOutcomes: $1 ?? 1_000_000, time: time) },
            putUnreadable: { store in
                try (store as? MemoryQueue)?.add([.failure(QueueError(.invalidEntry, "The entry has no payload."))])
            },
            now: { Date(timeIntervalSince1970: Double(time.wallClockMilliseconds) / 1_000) },
            pass: { time.advance(by: $0) })
    }

    @Test(arguments: QueueStoreClause.all) func theMemoryKeepsTheContract(_ clause: QueueStoreClause) async throws {
        try await clause.check(Self.stage())
    }

    @Test(arguments: 0..<20) func randomCallsLoseNothing(_ seed: UInt64) async throws {
        try await Self.stage().checkRandomCalls(seed: seed)
    }
}
