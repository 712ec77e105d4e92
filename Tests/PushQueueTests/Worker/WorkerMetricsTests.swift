import CoreMetrics
import MetricsTestKit
import PushTesting
import SupervisedPush
import TestSupport
import Testing

@testable import PushQueue

/// What a worker counts.
@Suite(.timeLimit(.minutes(5))) struct WorkerMetricsTests {
    private let metrics = TestMetrics()

    private func total(_ label: String, _ key: String, _ value: String) throws -> Int64 {
        let label = "supervised_push_queue_\(label)_total"
        return try metrics.expectCounter(label, [("connection", "orders"), (key, value)]).totalValue
    }

    private func gauge(_ label: String) throws -> Double? {
        try metrics.expectGauge("supervised_push_queue_\(label)", [("connection", "orders")]).lastValue
    }

    private func watch(_ name: String? = "orders") -> WorkerWatch {
        WorkerWatch(nil, metrics: WorkerMetrics(.factory(metrics), name: name), time: ManualTime())
    }

    @Test func aWorkerCountsWhatItTookAndSettled() async throws {
        try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
            let stage = try await WorkerStage(MemoryQueue(), tokens: 600)
            let configuration = PushWorker.Configuration(metrics: .factory(metrics))
            let worker = PushWorker(
                queue: stage.queue, connection: try runtime.connection(named: "orders"), configuration: configuration)
            async let run: Void = worker.run()
            await stage.waitForOutcomes(600)
            await until { (try? gauge("leased")) == 1 }
            worker.stop(within: .seconds(30))
            try await run
            #expect(try total("outcomes", "outcome", "delivered") == 600)
            // On a busy machine a heartbeat can be late, and what was given back is taken again.
            #expect(try total("events", "event", "entry_taken") >= 3)
            #expect(try gauge("taken") == 0 && gauge("in_flight") == 0 && gauge("leased") == 0)
            // Labels are the connection's name, and words.
            let labels = Set(metrics.counters.flatMap(\.dimensions).map(\.1))
            let words = WorkerMetrics.Event.allCases.map(\.rawValue)
            #expect(labels == Set(words + ["orders", "delivered"]))
        }
    }

    @Test func failuresAreCountedByTheirCodes() throws {
        let watch = watch()
        for code in [QueueError.Code.unreachable, .refused, .refused, .lost] {
            watch.callFailed(QueueError(code, "It failed."))
        }
        #expect(try total("failures", "code", "unreachable") == 1)
        #expect(try total("failures", "code", "refused") == 2)
        #expect(try total("failures", "code", "lost") == 1)
    }

    @Test func lossesAndDeadLettersAreEvents() throws {
        let watch = watch()
        watch.tell(.lostEntries(3))
        watch.tell(.leaseLost)
        watch.settled([Settlement(TakenEntry.Key("1"), rows: [], fate: .dead("Three workers died with it."))]) { _ in
            nil
        }
        #expect(try total("events", "event", "entry_lost") == 3)
        #expect(try total("events", "event", "lease_lost") == 1)
        #expect(try total("events", "event", "dead_letter") == 1)
    }

    @Test func whatTheMachineCountsIsAddedOnce() throws {
        let watch = watch()
        var machine = WorkerMachine(WorkerID("me"))
        (machine.doubtsSeen, machine.postponed, machine.takenOver) = (5, 4, 2)
        watch.publish(machine)
        machine.doubtsSeen = 6
        watch.publish(machine)
        #expect(try total("events", "event", "token_in_doubt") == 6)
        #expect(try total("events", "event", "token_postponed") == 4)
        #expect(try total("events", "event", "entry_taken_over") == 2)
    }

    @Test func anAnonymousConnectionHasNoGauges() {
        let watch = watch(nil)
        var machine = WorkerMachine(WorkerID("me"))
        machine.flying = 1
        watch.publish(machine)
        #expect(metrics.recorders.isEmpty)
    }
}
