import Foundation
import ProcessRuntime
import PushTesting
import SupervisedPush
import TestSupport
import Testing

@testable import PushQueue

@Suite(.timeLimit(.minutes(2))) struct PushWorkerCampaignRateStories {
    /// Puts a campaign of entries of one token each.
    private func put(_ tokens: Range<Int>, as name: String, into queue: MemoryQueue) async throws {
        let input = CampaignInput(records: name, author: "anna on web1")
        let place = try await queue.begin(CampaignName(name), with: input)
        let batch = CampaignBatch(after: place, through: tokens.count, isLast: true)
        let entries = try tokens.map { try QueueEntry(Samples.flight, to: [Samples.token($0)]) }
        try await queue.enqueue(entries, as: batch)
    }

    @Test func aCampaignKeepsItsRateWhileAnotherGoesOn() async throws {
        let time = ManualTime(wallClockMilliseconds: SystemTime().wallClockMilliseconds)
        try await withSimulatedAPNs(connecting: "orders", time: .manual(time)) { apple, runtime in
            let (queue, spring) = (MemoryQueue(time: time), try CampaignName("spring"))
            try await put(0..<20, as: "spring", into: queue)
            try await queue.steer(.rate(QueueRate(perSecond: 0.001, burst: 2)), campaign: spring)
            try await put(100..<105, as: "autumn", into: queue)
            let worker = PushWorker(queue: queue, connection: try runtime.connection(named: "orders"), time: time)
            async let run: Void = worker.run()
            /// Lets time pass, with its heartbeats, until there are so many outcomes; returns how many seconds.
            func pass(until count: Int) async -> Int {
                var seconds = 0
                while queue.outcomeCount < count {
                    await worker.wait { $0.inFlight == 0 }
                    let counter = queue.counter(of: worker.id)
                    time.advance(by: .seconds(3))
                    seconds += 3
                    await until { queue.counter(of: worker.id) != counter }
                }
                return seconds
            }
            _ = await pass(until: 7)
            let tokens = Set(try await queue.outcomes(.all, after: nil, limit: 99).outcomes.map(\.token))
            #expect(tokens == Set((Array(0..<2) + Array(100..<105)).map { Samples.token($0) }))
            #expect(apple.ledger.snapshot.pushes == 7)

            try await queue.steer(.rate(QueueRate(perSecond: 0.5, burst: 1)), campaign: spring)
            let seconds = await pass(until: 13)
            #expect(queue.outcomeCount - 7 <= 1 + seconds / 2)

            try await queue.steer(.rate(nil), campaign: spring)
            #expect(await apple.ledger.wait { $0.pushes == 25 })
            _ = await pass(until: 25)
            worker.stop(within: .zero)
            try await run
            #expect(apple.ledger.repeatedDeviceTokens == 0)
        }
    }
}
