import Foundation
import ProcessRuntime
import PushTesting
import SupervisedPush
import TestSupport
import Testing

@testable import PushQueue

@Suite(.timeLimit(.minutes(2))) struct PushWorkerLaneStories {
    /// The connection sends one push to a device at a time, in the order in which they were taken.
    @Test func anUrgentPushDoesNotPassOneToItsDeviceThatAWorkerHas() async throws {
        try await withSimulatedAPNs { apple, runtime in
            apple.holdAnswers()
            var config = apple.connectionConfig
            config.ordered = .perDevice
            let queue = MemoryQueue()
            let (device, other) = (Samples.token(1), Samples.token(2))
            let first = try QueueEntry(Samples.flight, to: [device])
            let second = try QueueEntry(Samples.flight, to: [device], isUrgent: true)
            let third = try QueueEntry(Samples.flight, to: [other], isUrgent: true)
            let worker = PushWorker(queue: queue, connection: try runtime.connect(name: "orders", config: config))
            async let run: Void = worker.run()
            try await queue.enqueue([first])
            #expect(await apple.ledger.wait { $0.pushes == 1 })
            try await queue.enqueue([second, third])
            #expect(await apple.ledger.wait { $0.pushes == 2 })
            #expect(apple.ledger.count(deviceToken: other.hex).accepted == 1)
            apple.releaseAnswers()
            await until { queue.outcomeCount == 3 }
            worker.stop(within: .seconds(10))
            try await run
            let ids = apple.ledger.records.map(\.apnsID)
            #expect(ids == [first, third, second].map { $0.id.apnsID(of: 0).description })
        }
    }

    @Test func urgentEntriesGoOutBeforeABacklog() async throws {
        try await withSimulatedAPNs { apple, runtime in
            let queue = MemoryQueue()
            try await queue.enqueue((0..<40).map { try QueueEntry(Samples.flight, to: [Samples.token($0)]) })
            let urgent = try (100..<107).map { try QueueEntry(Samples.flight, to: [Samples.token($0)], isUrgent: true) }
            try await queue.enqueue(urgent)
            let connection = try runtime.connect(name: "orders", config: apple.connectionConfig)
            let worker = PushWorker(queue: queue, connection: connection)
            async let run: Void = worker.run()
            await until { queue.outcomeCount == 47 }
            worker.stop(within: .seconds(10))
            try await run
            let ids = apple.ledger.records.prefix(7).map(\.apnsID)
            #expect(ids == urgent.map { $0.id.apnsID(of: 0).description })
        }
    }
}
