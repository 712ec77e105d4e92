import Foundation
import PushTesting
import SupervisedPush
import TestSupport
import Testing

@testable import PushQueue

@Suite("parity: F23 – workers and campaigns that are paused and cancelled", .timeLimit(.minutes(5)))
struct CampaignWorkerStories {
    @Test func aWorkersOutcomesAreCountedForTheirCampaign() async throws {
        try await withSimulatedAPNs(connecting: "orders") { _, runtime in
            let queue = MemoryQueue()
            let name = try CampaignName("spring")
            let place = try await queue.begin(name, with: CampaignInput(records: "aa", author: "anna"))
            let batch = CampaignBatch(after: place, through: 3, isLast: true)
            let tokens = [DeviceToken.simulated(), .simulated(number: 2), .simulated(.unregistered)]
            try await queue.enqueue([QueueEntry(Samples.flight, to: tokens, id: batch.id(ofLine: 1))], as: batch)
            try await queue.enqueue([QueueEntry(Samples.flight, to: [.simulated(number: 3)])])
            let worker = PushWorker(queue: queue, connection: try runtime.connection(named: "orders"))
            async let run: Void = worker.run()
            await until { queue.outcomeCount == 4 }
            worker.stop(within: .seconds(10))
            try await run
            let standing = try #require(try await queue.campaigns().first)
            #expect(standing.outcomes.delivered == 2 && standing.outcomes.rejected == ["Unregistered": 1])
            #expect(standing.outcomes.count == 3 && standing.state == .done)
        }
    }
}
