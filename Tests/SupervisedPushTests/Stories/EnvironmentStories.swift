import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// A connection that talks to the wrong environment, where no device token is known.
@Suite("parity: F10 – feedback does not empty a table of device tokens by mistake", .timeLimit(.minutes(5)))
struct EnvironmentStories {
    /// A device token that is bad everywhere.
    private static func bad(_ number: Int) throws -> DeviceToken {
        let digits = String(number, radix: 16)
        return try DeviceToken("baadf00d" + String(repeating: "0", count: 56 - digits.count) + digits)
    }

    private func push(_ token: DeviceToken, _ stage: Rehearsal) async throws -> PushResponse {
        try await stage.runtime.push(name: "orders", Samples.flight, to: token)
    }

    private func pushBad(_ numbers: Range<Int>, _ stage: Rehearsal, _ log: FeedbackLog) async throws -> [FeedbackEvent]
    {
        for number in numbers {
            let answer = try await push(try Self.bad(number), stage)
            #expect(answer.reason == .badDeviceToken)
        }
        await until { log.count >= numbers.count }
        return log.drain()
    }

    @Test func fromTheFiftiethAnswerOnEveryEventSuspectsAndInvalidatesNothing() async throws {
        let stage = try Rehearsal.inMemory()
        let log = FeedbackLog()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig.with { $0.feedback = log.record })
        #expect(try await push(Samples.token(), stage).isAccepted)
        let events = try await pushBad(0..<500, stage, log)
        #expect(events.map(\.suspectsEnvironment) == (1...500).map { $0 >= 49 })
        #expect(events.map { $0.invalidates(registeredAt: .distantPast) } == (1...500).map { $0 < 49 })
        // It ends when the share falls.
        for number in 0..<49 { #expect(try await push(Samples.token(number), stage).isAccepted) }
        let still = try await pushBad(0..<1, stage, log)
        #expect(still.map(\.suspectsEnvironment) == [true])
        for number in 0..<2 { #expect(try await push(Samples.token(number), stage).isAccepted) }
        let ended = try await pushBad(0..<1, stage, log)
        #expect(ended.map(\.suspectsEnvironment) == [false])
        await stage.end()
    }

    @Test func anotherCredentialIsJudgedAfresh() async throws {
        let stage = try Rehearsal.inMemory()
        let log = FeedbackLog()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig.with { $0.feedback = log.record })
        #expect(try await push(Samples.token(), stage).isAccepted)
        let first = try await pushBad(0..<60, stage, log)
        #expect(first.last?.suspectsEnvironment == true)
        // These are on the old link when the credential changes; what is said of them is said of the old one.
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        for number in 0..<10 {
            stage.runtime.push(
                name: "orders", Samples.flight, to: try Self.bad(number), completion: book.completion(number))
        }
        #expect(await stage.apple.ledger.wait { $0.pushes == 71 })
        try await stage.runtime.connection(named: "orders").replaceCredential(with: stage.certificateConfig.credential)
        stage.apple.releaseAnswers()
        await book.wait(for: 10)
        await until { log.count >= 10 }
        #expect(log.drain().allSatisfy { $0.suspectsEnvironment })
        let second = try await pushBad(0..<60, stage, log)
        // Nothing has proven the environment with the new one yet.
        #expect(second.allSatisfy { $0.suspectsEnvironment })
        for number in 0..<60 { #expect(try await push(Samples.token(number), stage).isAccepted) }
        let third = try await pushBad(0..<1, stage, log)
        #expect(third.map(\.suspectsEnvironment) == [false])
        await stage.end()
    }

    @Test func theConnectionsOfAPoolAreJudgedTogether() async throws {
        let log = FeedbackLog()
        let stage = try await PoolStage(2...2, config: { $0.feedback = log.record })
        let pool = try stage.runtime.connection(named: "bulk")
        // One of them proves the environment for both.
        #expect(try await pool.members[0].push(Samples.flight, to: Samples.token()).isAccepted)
        // One after the other: answers that arrive together are counted before the first of them is told.
        for number in 0..<100 {
            _ = try await pool.members[1 - number % 2].push(Samples.flight, to: try Self.bad(number))
        }
        await until { log.count >= 100 }
        #expect(log.events.count { !$0.suspectsEnvironment } == 48)
        await stage.rehearsal.end()
    }

    @Test("parity: F10 – an answer says whether it proves anything about the device, also without a feedback handler")
    func theAnswerItselfIsSuspect() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig)
        #expect(try await push(Self.bad(0), stage).suspectsEnvironment)
        #expect(try await !push(Samples.token(), stage).suspectsEnvironment)
        let proven = try await push(Self.bad(0), stage)
        #expect(proven.reason == .badDeviceToken && !proven.suspectsEnvironment)
        for number in 0..<60 { _ = try await push(Self.bad(number), stage) }
        #expect(try await push(Self.bad(0), stage).suspectsEnvironment)
        await stage.end()
    }

    @Test func eachTopicIsProvenByAnAnswerOfItsOwn() async throws {
        let stage = try Rehearsal.inMemory { $0.topics = ["com.example.app", "com.example.other"] }
        try stage.runtime.connect(name: "orders", config: stage.patientConfig)
        var other = Samples.flight
        other.topic = "com.example.other"
        func isSuspect(_ notification: PushNotification) async throws -> Bool {
            let answer = try await stage.runtime.push(name: "orders", notification, to: try Self.bad(0))
            #expect(answer.reason == .badDeviceToken)
            return answer.suspectsEnvironment
        }
        #expect(try await push(Samples.token(), stage).isAccepted)
        #expect(try await !isSuspect(Samples.flight))
        #expect(try await isSuspect(other))
        // A device that was registered before is known in this environment.
        let gone = try await stage.runtime.push(name: "orders", other, to: Samples.unregistered())
        #expect(gone.status == 410)
        #expect(try await !isSuspect(other))
        await stage.end()
    }

    @Test func aProofOutlivesTheProcessAndItsLinks() async throws {
        let stage = try Rehearsal.inMemory()
        let owner = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig, owner: owner)
        #expect(try await push(Samples.token(), stage).isAccepted)
        stage.apple.goAway()
        _ = await owner.receive { if case .connectionUp(_, _, generation: 2) = $0 { true } else { false } }
        #expect(try await !push(Self.bad(0), stage).suspectsEnvironment)
        let pid = try #require(try stage.runtime.connection(named: "orders").status.pid)
        stage.runtime.kill(pid)
        _ = await owner.receive { if case .connectionUp(_, _, generation: 1) = $0 { true } else { false } }
        #expect(try await !push(Self.bad(1), stage).suspectsEnvironment)
        await stage.end()
    }

    @Test func aLateAnswerIsSuspectToo() async throws {
        let stage = try Rehearsal.inMemory()
        let (owner, log) = (Mailbox<LifecycleMessage>(), FeedbackLog())
        try stage.runtime.connect(
            name: "orders", config: stage.config.with { $0.feedback = log.record }, owner: owner)
        stage.apple.holdAnswers()
        let answer = Task { try await push(Self.bad(0), stage) }
        #expect(await stage.apple.ledger.wait { $0.pushes == 1 })
        stage.time?.advance(by: .seconds(10))
        await #expect(throws: PushError.self) { try await answer.value }
        stage.apple.releaseAnswers()
        let message = await owner.receive { if case .lateResponse = $0 { true } else { false } }
        guard case .lateResponse(let late)? = message, case .answered(let response) = late.outcome else {
            Issue.record("no late answer")
            return
        }
        #expect(response.suspectsEnvironment)
        #expect(await log.next()?.suspectsEnvironment == true)
        await stage.end()
    }
}
