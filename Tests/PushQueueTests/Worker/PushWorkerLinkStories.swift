import Foundation
import ProcessRuntime
import PushTesting
import SupervisedPush
import TestSupport
import Testing

@testable import PushQueue

/// What a worker does when APNs asks for time, when no link is up, and over a pool.
@Suite(.timeLimit(.minutes(5))) struct PushWorkerLinkStories {
    @Test func theFeedbackHandlerOfTheConnectionIsCalledForAWorkersPushes() async throws {
        try await withSimulatedAPNs { apple, runtime in
            let reported = Recorder<DeviceToken>()
            let config = apple.connectionConfig.with {
                $0.feedback = { event in reported.record(event.deviceToken) }
            }
            let gone = DeviceToken.simulated(.unregistered)
            let queue = MemoryQueue()
            try await queue.enqueue(Samples.flight, to: [.simulated(), gone])
            let worker = PushWorker(queue: queue, connection: try runtime.connect(name: "orders", config: config))
            async let run: Void = worker.run()
            await reported.wait(for: 1)
            await until { queue.outcomeCount >= 2 }
            worker.stop()
            try await run
            #expect(reported.all == [gone])
            #expect(try await queue.outcomes(.feedback, after: nil, limit: 9).outcomes.map(\.token) == [gone])
        }
    }

    @Test func whatAPNsWantsLaterIsPushedLaterWithTheSameID() async throws {
        let time = ManualTime(wallClockMilliseconds: SystemTime().wallClockMilliseconds)
        try await withSimulatedAPNs(connecting: "orders", time: .manual(time)) { apple, runtime in
            apple.faults.add(FaultRule(.pushTo(Samples.doubtful), .retryAfter("60")))
            apple.faults.add(FaultRule(.pushTo(Samples.doubtful), .refuse(.serviceUnavailable), times: 1))
            let queue = MemoryQueue(time: time)
            let entry = try QueueEntry(Samples.flight, to: [Samples.token(1), Samples.doubtful(2), Samples.token(3)])
            try await queue.enqueue([entry])
            let worker = PushWorker(queue: queue, connection: try runtime.connection(named: "orders"), time: time)
            async let run: Void = worker.run()
            try await until {
                if try await queue.status().delayed > 0 { return true }
                await worker.wait { $0.inFlight == 0 }
                time.advance(by: .milliseconds(20))
                return false
            }
            #expect(queue.outcomeCount == 2)
            // Other workers would think that it is dead if it missed its heartbeats.
            while queue.outcomeCount < 3 {
                await worker.wait { $0.inFlight == 0 }
                let counter = queue.counter(of: worker.id)
                time.advance(by: .seconds(3))
                await until { queue.counter(of: worker.id) != counter }
            }
            worker.stop(within: .zero)
            try await run
            let rows = try await queue.outcomes(.all, after: nil, limit: 9).outcomes
            #expect(rows.map(\.index).sorted() == [0, 1, 2] && rows.allSatisfy { $0.kind == .delivered })
            let count = apple.ledger.count(apnsID: entry.id.apnsID(of: 1).description)
            #expect(count.accepted == 1 && count.refused == 1)
        }
    }

    @Test(arguments: [false, true])
    func aPushThatTimedOutHasTheRowOfItsLateEnd(isAnswered: Bool) async throws {
        let time = ManualTime(wallClockMilliseconds: SystemTime().wallClockMilliseconds)
        try await withSimulatedAPNs(connecting: "orders", time: .manual(time)) { apple, runtime in
            apple.holdAnswers()
            let queue = MemoryQueue(time: time)
            try await queue.enqueue(Samples.flight, to: [Samples.token(1)])
            let orders = try runtime.connection(named: "orders")
            let worker = PushWorker(queue: queue, connection: orders, time: time)
            async let run: Void = worker.run()
            try await apple.waitForPushes(1)
            // Its time is over after ten seconds at most. The heartbeats go on.
            while orders.status.lateStreams == 0 {
                let counter = queue.counter(of: worker.id)
                time.advance(by: .seconds(3))
                await until { queue.counter(of: worker.id) != counter }
            }
            #expect(queue.outcomeCount == 0)
            if isAnswered { apple.releaseAnswers() } else { await apple.cutConnections() }
            await until {
                time.advance(by: .milliseconds(20))
                return queue.outcomeCount == 1
            }
            worker.stop(within: .zero)
            try await run
            let rows = try await queue.outcomes(.all, after: nil, limit: 9).outcomes
            #expect(rows.map(\.kind) == [isAnswered ? .delivered : .unknown])
            #expect(rows.first?.reason == (isAnswered ? nil : "timed_out"))
        }
    }

    @Test func anOutageTakesNothingFromTheQueue() async throws {
        try await withSimulatedAPNs(timeLimit: nil) { apple, runtime in
            apple.refuseConnections()
            let stage = try await WorkerStage(MemoryQueue(), tokens: 1_000)
            let connection = try runtime.connect(name: "orders", config: apple.connectionConfig)
            let worker = PushWorker(queue: stage.queue, connection: connection)
            async let run: Void = worker.run()
            await worker.wait { $0.isLeased }
            await until { connection.status.phase == .down }
            #expect(try await stage.queue.status().waiting == 4 && worker.status.taken == 0)
            apple.acceptConnections()
            await stage.waitForOutcomes(1_000)
            worker.stop(within: .seconds(10))
            try await run
            #expect(try await stage.isComplete)
        }
    }

    @Test func aPoolWorksAQueue() async throws {
        try await withSimulatedAPNs { apple, runtime in
            let stage = try await WorkerStage(MemoryQueue(), tokens: 4_000)
            let pool = try runtime.connect(name: "orders", size: 2, config: apple.connectionConfig)
            let worker = PushWorker(queue: stage.queue, connection: pool)
            async let run: Void = worker.run()
            await stage.waitForOutcomes(1_000)
            apple.goAway()
            await stage.waitForOutcomes(4_000)
            worker.stop(within: .seconds(10))
            try await run
            #expect(try await stage.isComplete)
            #expect(try await stage.outcomes.allSatisfy { $0.kind == .delivered })
            #expect(apple.ledger.repeatedDeviceTokens == 0)
        }
    }
}
