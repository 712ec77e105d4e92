import Logging
import ProcessRuntime
import PushQueueServiceLifecycle
import PushTesting
import SupervisedPush
import TestSupport
import Testing

@testable import PushQueue

@Suite("a worker as a service: it runs until shutdown is asked for, then ends in order", .timeLimit(.minutes(5)))
struct WorkerServiceStories {
    private func group(_ services: any Service...) -> ServiceGroup {
        ServiceGroup(services: services, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test func aGracefulShutdownStoresTheAnswersAndThenEndsTheRuntime() async throws {
        try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
            apple.holdAnswers()
            let stage = try await WorkerStage(MemoryQueue(), tokens: 30, perEntry: 10)
            let worker = PushWorker(queue: stage.queue, connection: try runtime.connection(named: "orders"))
            let group = group(runtime, worker)
            let running = Task { try await group.run() }
            #expect(await apple.ledger.wait { $0.pushes == 30 })
            await group.triggerGracefulShutdown()
            #expect(stage.queue.outcomeCount == 0)
            apple.releaseAnswers()
            try await running.value
            #expect(try await stage.isComplete)
            #expect(try await stage.outcomes.allSatisfy { $0.kind == .delivered })
            #expect(try await stage.queue.status().taken == 0 && worker.status.inFlight == 0)
            #expect(runtime.names.isEmpty)
        }
    }

    /// How a worker is ended while no answer comes.
    enum End: CaseIterable { case gracefulShutdown, cancelledTask, stop }

    @Test(arguments: End.allCases) func eachWayToEndWaitsForAnswersAsLongAsConfigured(_ end: End) async throws {
        let time = ManualTime(wallClockMilliseconds: SystemTime().wallClockMilliseconds)
        try await withSimulatedAPNs(connecting: "orders", time: .manual(time)) { apple, runtime in
            apple.holdAnswers()
            let stage = try await WorkerStage(MemoryQueue(time: time), tokens: 10)
            let worker = PushWorker(
                queue: stage.queue, connection: try runtime.connection(named: "orders"),
                configuration: .init(stopTime: .milliseconds(300)), time: time)
            let group = group(worker)
            let running = Task { () async throws in
                if end == .gracefulShutdown { try await group.run() } else { try await worker.run() }
            }
            #expect(await apple.ledger.wait { $0.pushes == 10 })
            switch end {
            case .gracefulShutdown: await group.triggerGracefulShutdown()
            case .cancelledTask: running.cancel()
            case .stop: worker.stop()
            }
            // No other timer is as early as that of a worker that knows when it ends.
            let end = await time.waitUntilArmed(by: time.now.advanced(by: .milliseconds(300)))
            #expect(end == time.now.advanced(by: .milliseconds(300)))
            #expect(worker.status.inFlight == 10)
            // Then it has 2 s for its last calls. What was written and has no answer stays in doubt.
            time.advance(by: .milliseconds(2_300))
            try await running.value
            #expect(try await stage.queue.status().taken == 1)
            #expect(stage.queue.outcomeCount == 0)
            apple.releaseAnswers()
        }
    }

    @Test func aWorkerThatCannotUseItsQueueEndsTheGroupWithTheCause() async throws {
        try await withSimulatedAPNs(connecting: "orders") { _, runtime in
            let queue = FailingQueue(MemoryQueue(), seed: 1, openErrors: [QueueError(.refused, "The login is wrong.")])
            let worker = PushWorker(queue: queue, connection: try runtime.connection(named: "orders"))
            let error = await #expect(throws: QueueError.self) { try await group(runtime, worker).run() }
            #expect(error?.code == .refused && runtime.names.isEmpty)
        }
    }
}
