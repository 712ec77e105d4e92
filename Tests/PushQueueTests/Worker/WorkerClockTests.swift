import PushQueue
import PushTesting
import Testing

/// A worker in a test of a reader's own, as the page of the module has it.
@Suite(.timeLimit(.minutes(5))) struct WorkerClockTests {
    @Test func queueWorkerAndRuntimeGoByOneClock() async throws {
        let time = ManualTime()
        try await withSimulatedAPNs(connecting: "orders", time: .manual(time)) { apple, runtime in
            let queue = MemoryQueue(time: time)
            let worker = PushWorker(queue: queue, connection: try runtime.connection(named: "orders"), time: time)
            let run = Task { try await worker.run() }
            try await queue.enqueue([QueueEntry(.alert(title: "Gate", body: "B12"), to: [.simulated()])])
            try await apple.waitForPushes(1)
            worker.stop(within: .seconds(10))
            try await run.value
            #expect(try await queue.outcomes(.all, after: nil, limit: 10).outcomes.map(\.kind) == [.delivered])
        }
    }
}
