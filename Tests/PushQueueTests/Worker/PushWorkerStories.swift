import Foundation
import ProcessRuntime
import PushTesting
import SupervisedPush
import TestSupport
import Testing

@testable import PushQueue

@Suite(.timeLimit(.minutes(5))) struct PushWorkerStories {
    @Test func aCampaignThroughGoAwaysAndCutLinksHasOneOutcomeForEachToken() async throws {
        try await withSimulatedAPNs(connecting: "orders", timeLimit: nil) { apple, runtime in
            let stage = try await WorkerStage(MemoryQueue(), tokens: 10_000)
            let worker = PushWorker(queue: stage.queue, connection: try runtime.connection(named: "orders"))
            async let run: Void = worker.run()
            for step in 1...6 {
                await stage.waitForOutcomes(step * 1_500)
                if step % 3 == 0 { await apple.cutConnections() } else { apple.goAway() }
            }
            await stage.waitForOutcomes(10_000)
            worker.stop(within: .seconds(10))
            try await run
            #expect(try await stage.isComplete)
            let outcomes = try await stage.outcomes
            let delivered = outcomes.filter { $0.kind == .delivered }
            #expect(
                outcomes.allSatisfy { $0.kind == .delivered || ($0.kind == .unknown && $0.reason == "connection_lost") }
            )
            for outcome in delivered {
                #expect(apple.ledger.count(deviceToken: outcome.token.hex).accepted == 1)
                #expect(outcome.apnsID.map { apple.ledger.count(apnsID: $0.description).accepted } == 1)
            }
            #expect(apple.ledger.repeatedDeviceTokens == 0)
            #expect(worker.status.settled == 10_000 && worker.status.taken == 0 && worker.status.failedCalls == 0)
            #expect(try await stage.queue.status().taken == 0)
        }
    }

    @Test("parity: F10 – a worker in the wrong environment stores no outcome that would remove a device")
    func aWorkerInTheWrongEnvironmentReportsSuspects() async throws {
        try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
            let queue = MemoryQueue()
            let bad = (0..<40).map { DeviceToken.simulated(.bad, number: $0) }
            try await queue.enqueue([QueueEntry(Samples.flight, to: bad)])
            let worker = PushWorker(queue: queue, connection: try runtime.connection(named: "orders"))
            async let run: Void = worker.run()
            await until { queue.outcomeCount >= 40 }
            // One answer proves the environment for what comes later.
            try await queue.enqueue([QueueEntry(Samples.flight, to: [.simulated()])])
            await until { queue.outcomeCount >= 41 }
            try await queue.enqueue([QueueEntry(Samples.flight, to: [bad[0], .simulated(.unregistered)])])
            await until { queue.outcomeCount >= 43 }
            worker.stop(within: .seconds(10))
            try await run
            let reported = try await queue.outcomes(.feedback, after: nil, limit: .max).outcomes
            #expect(reported.count == 42)
            #expect(
                reported.prefix(40).allSatisfy { $0.suspectsEnvironment && !$0.invalidates(registeredAt: .distantPast) }
            )
            #expect(
                reported.suffix(2).allSatisfy { !$0.suspectsEnvironment && $0.invalidates(registeredAt: .distantPast) })
        }
    }

    @Test func aStopLeavesNothingTakenAndNothingInDoubt() async throws {
        try await withSimulatedAPNs(connecting: "orders", timeLimit: nil) { apple, runtime in
            // A thousand answers come, and no more until it is to stop. A link that has none yet takes few pushes.
            apple.holdAnswers()
            let stage = try await WorkerStage(MemoryQueue(), tokens: 8_000, perEntry: 700)
            let worker = PushWorker(queue: stage.queue, connection: try runtime.connection(named: "orders"))
            async let run: Void = worker.run()
            for answered in stride(from: 50, through: 1_000, by: 50) {
                #expect(await apple.ledger.wait(within: .seconds(120)) { $0.pushes >= answered })
                apple.releaseAnswers(50)
            }
            await stage.waitForOutcomes(1_000)
            worker.stop(within: .seconds(30))
            apple.releaseAnswers()
            try await run
            let status = try await stage.queue.status()
            #expect(status.taken == 0 && status.waiting + status.delayed > 0)
            let count = try await stage.outcomes.count
            #expect(apple.ledger.snapshot.accepted == count)
            // Another worker goes on where it ended.
            let next = PushWorker(queue: stage.queue, connection: try runtime.connection(named: "orders"))
            async let rest: Void = next.run()
            await stage.waitForOutcomes(8_000)
            next.stop(within: .seconds(30))
            try await rest
            #expect(try await stage.isComplete)
            #expect(apple.ledger.repeatedDeviceTokens == 0 && next.status.inDoubt == 0)
        }
    }

    @Test func aRefusedCredentialTakesNothingOutOfTheQueue() async throws {
        try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
            let connection = try runtime.connection(named: "orders")
            let right = apple.connectionConfig.credential
            let wrong = try ThrowAwayCredentials()
            try await connection.replaceCredential(
                with: .token(key: .pem(wrong.signingKeyPEM), keyID: wrong.keyID, teamID: wrong.teamID))
            let stage = try await WorkerStage(MemoryQueue(), tokens: 20, perEntry: 7)
            let worker = PushWorker(queue: stage.queue, connection: connection)
            async let run: Void = worker.run()
            await until { connection.status.refusal != nil }
            await worker.wait { $0.inFlight == 0 }
            #expect(stage.queue.outcomeCount == 0)
            try await connection.replaceCredential(with: right)
            await stage.waitForOutcomes(20)
            worker.stop(within: .seconds(10))
            try await run
            let outcomes = try await stage.outcomes
            #expect(try await stage.isComplete && outcomes.allSatisfy { $0.kind == .delivered })
        }
    }

    @Test func twoWorkersShareAQueue() async throws {
        try await withSimulatedAPNs(connecting: "one", "two") { apple, runtime in
            apple.holdAnswers()
            let stage = try await WorkerStage(MemoryQueue(), tokens: 2_560)
            let configuration = PushWorker.Configuration(maxTokens: 256)
            let workers = try ["one", "two"].map {
                PushWorker(
                    queue: stage.queue, connection: try runtime.connection(named: $0),
                    configuration: configuration)
            }
            let runs = workers.map { worker in Task { try await worker.run() } }
            for worker in workers { await worker.wait { $0.inFlight == 256 } }
            #expect(try await stage.queue.status().waiting == 8)
            apple.releaseAnswers()
            await stage.waitForOutcomes(2_560)
            for worker in workers { worker.stop(within: .seconds(30)) }
            for run in runs { try await run.value }
            #expect(workers.allSatisfy { $0.status.settled >= 256 && $0.status.inFlight == 0 })
            #expect(workers.reduce(0) { $0 + $1.status.settled } == 2_560)
            #expect(try await stage.isComplete)
        }
    }

    @Test(arguments: [false, true])
    func whatADeadWorkerHadIsTakenOver(_ neverRepeats: Bool) async throws {
        let time = ManualTime(wallClockMilliseconds: SystemTime().wallClockMilliseconds)
        try await withSimulatedAPNs(connecting: "one", "two", time: .manual(time)) { apple, runtime in
            apple.holdAnswers()
            let stage = try await WorkerStage(
                MemoryQueue(time: time), tokens: 20, perEntry: 10, neverRepeats: neverRepeats)
            let first = PushWorker(queue: stage.queue, connection: try runtime.connection(named: "one"), time: time)
            let run = Task { try await first.run() }
            #expect(await apple.ledger.wait { $0.pushes == 20 })
            first.abandon()
            await #expect(throws: CancellationError.self) { try await run.value }
            apple.releaseAnswers()

            let second = PushWorker(queue: stage.queue, connection: try runtime.connection(named: "two"), time: time)
            let secondRun = Task { try await second.run() }
            await second.wait { $0.isLeased }
            while stage.queue.outcomeCount < 20 {
                // An answer takes no time here, but a moment of the machine's.
                await second.wait { $0.inFlight == 0 }
                let counter = stage.queue.counter(of: second.id)
                time.advance(by: .seconds(3))
                await until { stage.queue.counter(of: second.id) != counter }
            }
            second.stop(within: .zero)
            try await secondRun.value
            #expect(try await stage.isComplete)
            let outcomes = try await stage.outcomes
            #expect(outcomes.allSatisfy { $0.kind == (neverRepeats ? .unknown : .delivered) })
            #expect(outcomes.allSatisfy { $0.reason == (neverRepeats ? "interrupted" : nil) })
            #expect(second.status.inDoubt == 20 && second.status.takenOver == 2)
            #expect(second.status.outcomes == [neverRepeats ? .unknown : .delivered: 20])
            #expect(apple.ledger.repeatedAPNSIDs == (neverRepeats ? 0 : 20))
        }
    }

    @Test func aLateAnswerIsTheOutcomeOfAPushThatTimedOut() async throws {
        let time = ManualTime(wallClockMilliseconds: SystemTime().wallClockMilliseconds)
        try await withSimulatedAPNs(connecting: "one", time: .manual(time)) { apple, runtime in
            apple.holdAnswers()
            let stage = try await WorkerStage(MemoryQueue(time: time), tokens: 20)
            let connection = try runtime.connection(named: "one")
            let worker = PushWorker(queue: stage.queue, connection: connection, time: time)
            async let run: Void = worker.run()
            #expect(await apple.ledger.wait { $0.pushes == 20 })
            for _ in 0..<5 {
                let counter = stage.queue.counter(of: worker.id)
                time.advance(by: .seconds(3))
                await until { stage.queue.counter(of: worker.id) != counter }
            }
            await until { connection.status.lateStreams >= 20 }
            #expect(stage.queue.outcomeCount == 0 && worker.status.inFlight == 20)
            apple.releaseAnswers()
            await worker.wait { $0.inFlight == 0 }
            time.advance(by: .milliseconds(20))
            await stage.waitForOutcomes(20)
            worker.stop(within: .zero)
            try await run
            #expect(try await stage.outcomes.allSatisfy { $0.kind == .delivered })
            #expect(apple.ledger.repeatedAPNSIDs == 0)
        }
    }

    @Test(arguments: 0..<3) func aStoreThatFailsNowAndThenLosesNothing(_ seed: UInt64) async throws {
        try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
            let stage = try await WorkerStage(MemoryQueue(), tokens: 2_000, perEntry: 300)
            let worker = PushWorker(
                queue: FailingQueue(stage.queue, seed: seed), connection: try runtime.connection(named: "orders"))
            async let run: Void = worker.run()
            await stage.waitForOutcomes(2_000)
            worker.stop(within: .seconds(10))
            try await run
            #expect(try await stage.isComplete)
            #expect(try await stage.outcomes.allSatisfy { $0.kind == .delivered })
            #expect(apple.ledger.repeatedDeviceTokens == 0)
            #expect(worker.status.failedCalls > 0 && worker.status.lastError == FailingQueue.sentence)
            #expect(try await stage.queue.status().taken == 0)
        }
    }

    @Test func aStoreThatDoesNotAnswerIsOpenedLaterAndOneThatRefusesEndsTheWorker() async throws {
        let time = ManualTime(wallClockMilliseconds: SystemTime().wallClockMilliseconds)
        try await withSimulatedAPNs(connecting: "orders", time: .manual(time)) { _, runtime in
            let errors = [QueueError(.unreachable, FailingQueue.sentence), QueueError(.refused, "The login is wrong.")]
            let store = FailingQueue(MemoryQueue(time: time), seed: 1, openErrors: errors)
            let worker = PushWorker(queue: store, connection: try runtime.connection(named: "orders"), time: time)
            let run = Task { try await worker.run() }
            await worker.wait { $0.failedCalls == 1 }
            // The failure is counted before the next attempt is planned.
            await worker.wait {
                time.advance(by: .seconds(1))
                return $0.failedCalls == 2
            }
            let error = await #expect(throws: QueueError.self) { try await run.value }
            #expect(error?.code == .refused && worker.status.lastError == "The login is wrong.")
        }
    }

    @Test func workersPushNoMoreThanTheRateOfTheQueueAllows() async throws {
        try await withSimulatedAPNs(connecting: "one", "two") { apple, runtime in
            let stage = try await WorkerStage(MemoryQueue(), tokens: 300, perEntry: 50)
            let configuration = PushWorker.Configuration(rate: QueueRate(perSecond: 0.001, burst: 100))
            let workers = try ["one", "two"].map {
                PushWorker(
                    queue: stage.queue, connection: try runtime.connection(named: $0),
                    configuration: configuration)
            }
            let runs = workers.map { worker in Task { try await worker.run() } }
            await stage.waitForOutcomes(100)
            for worker in workers {
                await worker.wait { $0.isLeased }
                worker.stop(within: .seconds(30))
            }
            for run in runs { try await run.value }
            // An entry that is larger than what is left of the burst goes out, and is paid for later.
            #expect(apple.ledger.snapshot.accepted <= 150)
            #expect(try await stage.queue.status().waiting >= 3)
        }
    }

    @Test func aWorkerThatWasStoppedBeforeItBeganEndsAtOnce() async throws {
        try await withSimulatedAPNs(connecting: "orders") { _, runtime in
            let stage = try await WorkerStage(MemoryQueue(), tokens: 1)
            let worker = PushWorker(queue: stage.queue, connection: try runtime.connection(named: "orders"))
            worker.stop(within: .seconds(1))
            try await worker.run()
            #expect(try await stage.queue.status().waiting == 1)
            await #expect(throws: QueueError.self) { try await worker.run() }
        }
    }

    @Test func whenItsConnectionIsClosedAWorkerEndsWithAnError() async throws {
        try await withSimulatedAPNs(connecting: "orders") { apple, runtime in
            let stage = try await WorkerStage(MemoryQueue(), tokens: 300, perEntry: 3)
            let connection = try runtime.connection(named: "orders")
            let worker = PushWorker(queue: stage.queue, connection: connection)
            let run = Task { try await worker.run() }
            await stage.waitForOutcomes(1)
            await connection.close()
            let error = await #expect(throws: PushError.self) { try await run.value }
            #expect(error?.code == .closed)
            #expect(try await stage.queue.status().taken == 0)
            #expect(apple.ledger.repeatedDeviceTokens == 0)
        }
    }

    @Test func rejectionsAreOutcomesAndPushesThatCannotBeSentFail() async throws {
        try await withSimulatedAPNs(connecting: "orders") { _, runtime in
            let queue = MemoryQueue()
            let gone = try QueueEntry(Samples.flight, to: [Samples.unregistered(), Samples.token()])
            var large = gone
            large.id = EntryID()
            large.notification = .alert(title: "Flight A998", body: String(repeating: "x", count: 5_000))
            try await queue.enqueue([gone, large])
            let worker = PushWorker(queue: queue, connection: try runtime.connection(named: "orders"))
            async let run: Void = worker.run()
            await until { queue.outcomeCount >= 4 }
            worker.stop(within: .seconds(10))
            try await run
            let rows = try await queue.outcomes(.all, after: nil, limit: 9).outcomes
            let texts = rows.map {
                "\($0.index) \($0.kind) \($0.certainty.rawValue) \($0.reason ?? "-") \($0.attempts)"
            }
            #expect(
                texts.sorted() == [
                    "0 failed not_sent payload_too_large 0", "0 rejected answered Unregistered 1",
                    "1 delivered answered - 1", "1 failed not_sent payload_too_large 0",
                ])
            let feedback = try await queue.outcomes(.feedback, after: nil, limit: 9).outcomes
            #expect(feedback.map(\.status) == [410] && feedback.allSatisfy { $0.timestamp != nil })
        }
    }
}

extension PushWorker.Configuration {
    fileprivate func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}
