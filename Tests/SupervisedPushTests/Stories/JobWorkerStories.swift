import ProcessRuntime
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

@testable import JobWorker

/// The worker of `Examples/JobWorker`: how a push ended tells it whether the job goes back into the queue.
@Suite("parity: R13 – certainty tells a job whether to retry", .timeLimit(.minutes(5))) struct JobWorkerStories {
    /// What the worker made of one job whose first push meets a fault.
    private func tally(
        _ kind: Job.Kind, _ fault: Fault?, to device: DeviceToken = Samples.token(), isClosed: Bool = false,
        reconnects: Bool = false
    ) async throws -> (tally: Tally, attempts: Int) {
        let stage = try Rehearsal.inMemory()
        let owner = Mailbox<LifecycleMessage>()
        let config = stage.patientConfig.with { $0.retry.resend = .never }
        let connection = try stage.runtime.connect(name: "jobs", config: config, owner: owner)
        if let fault { stage.apple.faults.add(FaultRule(.push, fault, times: 1)) }
        if isClosed { await connection.close() }
        let worker = Worker(connection: connection)
        async let working = worker.work(through: [Job(number: 1, kind: kind, deviceToken: device)])
        if reconnects {
            _ = await owner.receive { if case .reconnecting = $0 { true } else { false } }
            await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(1)))
            stage.time?.advance(by: .seconds(1))
        }
        let tally = await working
        #expect(tally.ended == 1)
        // However often it went out: to APNs it was one push.
        #expect(Set(stage.apple.ledger.records.map(\.apnsID)).count <= 1)
        let attempts = stage.apple.ledger.snapshot.pushes
        await stage.end()
        return (tally, attempts)
    }

    @Test(arguments: [Job.Kind.orderStatus, .oneTimeCode]) func whatWasNotProcessedGoesAgain(kind: Job.Kind)
        async throws
    {
        let (tally, attempts) = try await tally(kind, .resetStream(code: 7))
        #expect(tally.delivered == 1 && tally.requeued == ["unprocessed": 1] && attempts == 1)
    }

    @Test func whatWasNotSentGoesAgainUntilItsAttemptsAreUsedUp() async throws {
        let (tally, attempts) = try await tally(.oneTimeCode, nil, isClosed: true)
        #expect(tally.failed == 1 && tally.requeued == ["not_sent": Worker.maxAttempts - 1] && attempts == 0)
    }

    @Test func whatIsUnknownGoesAgainWhereADuplicateDoesNoHarm() async throws {
        let (tally, attempts) = try await tally(.orderStatus, .cut(.reset), reconnects: true)
        #expect(tally.delivered == 1 && tally.requeued == ["unknown, but harmless": 1] && attempts == 2)
    }

    @Test func whatIsUnknownIsForAPersonWhereADuplicateWouldDoHarm() async throws {
        let (tally, attempts) = try await tally(.oneTimeCode, .cut(.reset))
        #expect(tally.deadLetters == 1 && tally.requeued.isEmpty && attempts == 1)
    }

    @Test func anAnswerSaysItself() async throws {
        let busy = try await tally(.oneTimeCode, .refuse(.serviceUnavailable))
        #expect(busy.tally.delivered == 1 && busy.tally.requeued == ["503": 1] && busy.attempts == 2)
        let wrong = try await tally(.orderStatus, .refuse(.topicDisallowed))
        #expect(wrong.tally.failed == 1 && wrong.tally.requeued.isEmpty && wrong.attempts == 1)
        let gone = try await tally(.orderStatus, nil, to: Samples.unregistered())
        #expect(gone.tally.tokensDropped == 1 && gone.tally.requeued.isEmpty && gone.attempts == 1)
    }
}
