import ProcessRuntime
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// Broadcasts over ordinary connections: they are pushes, and go to no device.
@Suite("parity: F11 – broadcast push and channel management together", .timeLimit(.minutes(5)))
struct BroadcastStories {
    private static let update = PushNotification(
        payload: Payload(unchecked: Array(#"{"aps":{"event":"update","content-state":{}}}"#.utf8)))
    private static let app = "com.example.app"

    private func channel(
        _ stage: Rehearsal, _ policy: ChannelRegistry.StoragePolicy = .noStorage
    ) throws -> ChannelID {
        try ChannelID(try #require(stage.apple.channels.create(for: stage.apple.credentials.topic, storing: policy)).id)
    }

    private func next(
        _ mailbox: Mailbox<LifecycleMessage>, _ isIt: @escaping @Sendable (LifecycleMessage) -> Bool
    ) async -> LifecycleMessage? {
        await mailbox.receive(timeout: .seconds(120), where: isIt)
    }

    @Test(arguments: [true, false])
    func aChannelIsMadeBroadcastToListedReadAndDeleted(inMemory: Bool) async throws {
        let stage = inMemory ? try Rehearsal.inMemory() : try Rehearsal.overLoopback()
        let channels = try stage.runtime.channels(config: stage.managementConfig)
        let pid = try #require(try stage.runtime.connect(name: "live", config: stage.patientConfig).pid)
        let first = try await channels.create(storage: .mostRecentMessage)
        let second = try await channels.create(storage: .noStorage)
        #expect(try await channels.list() == [first, second])
        #expect(try await channels.read(first) == BroadcastChannel(id: first, storagePolicy: .mostRecentMessage))

        var stored = Self.update
        stored.expiration = Expiration(unixSeconds: 4_000_000_000)
        stored.priority = .conserving
        let id = APNSID()
        stored.apnsID = .fixed(id)
        let answer = try await stage.runtime.connection(named: "live").broadcasts.push(stored, to: first)
        #expect(answer.isAccepted && answer.requestID == id && answer.apnsID == nil)
        #expect(try await stage.runtime.connection(pid).broadcasts.push(Self.update, to: second).isAccepted)
        let book = OutcomeBook()
        let handle = try stage.runtime.connection(named: "live").broadcasts.push(
            Self.update, to: second, bundleID: stage.apple.credentials.topic,
            completion: book.completion(1))
        await book.wait(for: 1)
        #expect(book.summary == ["accepted": 1] && handle.attempts == 1)

        try await channels.delete(first)
        #expect(try await channels.list() == [second])
        let gone = try await stage.runtime.connection(named: "live").broadcasts.push(stored, to: first)
        #expect(gone.reason == .channelNotRegistered && gone.advice == .forgetChannel)
        let never = try await stage.runtime.connection(pid).broadcasts.push(Self.update, to: ChannelID("AAAA"))
        #expect(never.reason == .badChannelID && never.advice == .forgetChannel)

        let ledger = stage.apple.ledger
        let sent = ledger.channelRecords.filter { $0.action == .broadcast }
        #expect(sent.map(\.channelID) == [first, second, second, first].map(\.text) + ["AAAA"])
        #expect(sent.map(\.priority) == ["5", "10", "10", "5", "10"])
        #expect(sent.map(\.expiration) == ["4000000000", "0", "0", "4000000000", "0"])
        #expect(sent.allSatisfy { $0.bundleID == stage.apple.credentials.topic && $0.requestID != nil })
        #expect(ledger.snapshot.pushes == 0 && ledger.snapshot.broadcasts.accepted == 3)
        // One authority: the same token on both connections.
        #expect(Set(ledger.channelRecords.map(\.providerToken)) == [1])
        await channels.close()
        let closed = await #expect(throws: ChannelError.self) { try await channels.list() }
        #expect(closed?.code == .failed && closed?.cause?.code == .closed && closed?.certainty == .notSent)
        await stage.end()
    }

    @Test func aPoolBroadcastsToo() async throws {
        let stage = try Rehearsal.inMemory()
        let pid = try #require(try stage.runtime.connect(name: "live", size: 3...3, config: stage.patientConfig).pid)
        let ids = try (0..<20).map { _ in try channel(stage) }
        for id in ids {
            #expect(
                try await stage.runtime.connection(named: "live").broadcasts.push(
                    Self.update, to: id, options: PushOptions(ordered: .perDevice)
                ).isAccepted)
            #expect(try await stage.runtime.connection(pid).broadcasts.push(Self.update, to: id).isAccepted)
        }
        #expect(stage.apple.ledger.snapshot.broadcasts.accepted == 40)
        await stage.end()
    }

    @Test func withACertificateTheBundleIDIsTheCertificates() async throws {
        let stage = try Rehearsal.inMemory()
        let config = stage.certificateConfig.with { $0.defaults.topic = nil }
        let port = stage.managementConfig.port
        try stage.runtime.connect(name: "live", config: config)
        let channels = try stage.runtime.channels(config: config.with { $0.port = port })
        #expect(channels.bundleID == stage.apple.credentials.topic)
        let id = try await channels.create(storage: .noStorage)
        #expect(try await stage.runtime.connection(named: "live").broadcasts.push(Self.update, to: id).isAccepted)
        let error = await #expect(throws: PushError.self) {
            try await stage.runtime.connection(named: "live").broadcasts.push(
                Self.update, to: id, bundleID: "com.example.another")
        }
        #expect(error?.code == .invalidRequest && error?.certainty == .notSent)
        await stage.end()
    }

    @Test func whatAPNsRefusesIsAnAnswerAndNeverSuspendsTheConnection() async throws {
        let stage = try Rehearsal.inMemory { $0.channels = ChannelRegistry(enabledBundleIDs: ["com.example.app"]) }
        try stage.runtime.connect(name: "live", config: stage.patientConfig)
        let id = try channel(stage)
        var stored = Self.update
        stored.expiration = Expiration(unixSeconds: 4_000_000_000)
        #expect(
            try await stage.runtime.connection(named: "live").broadcasts.push(stored, to: id).reason
                == .badExpirationDate)
        var late = Self.update
        late.priority = PushPriority(rawValue: 7)
        #expect(try await stage.runtime.connection(named: "live").broadcasts.push(late, to: id).reason == .badPriority)
        late.priority = nil
        late.pushType = PushType(rawValue: "tomorrow")
        #expect(
            try await stage.runtime.connection(named: "live").broadcasts.push(late, to: id).reason == .invalidPushType)
        let suffixed = "com.example.app.push-type.liveactivity"
        #expect(
            try await stage.runtime.connection(named: "live").broadcasts.push(Self.update, to: id, bundleID: suffixed)
                .reason
                == .topicDisallowed)
        stage.apple.channels.enabledBundleIDs = []
        let disabled = try await stage.runtime.connection(named: "live").broadcasts.push(Self.update, to: id)
        #expect(disabled.reason == .broadcastFeatureNotEnabled && disabled.advice == .fixCredential)
        #expect(try await stage.runtime.push(name: "live", Samples.flight, to: Samples.token()).isAccepted)
        await stage.end()
    }

    @Test func aCredentialForAnotherAppIsNotRefusedForGood() async throws {
        let stage = try Rehearsal.inMemory { $0.topics = ["com.example.app"] }
        try stage.runtime.connect(name: "live", config: stage.patientConfig)
        let id = try channel(stage)
        for _ in 0..<5 {
            let answer = try await stage.runtime.connection(named: "live").broadcasts.push(
                Self.update, to: id, bundleID: "com.example.another")
            #expect(answer.reason == .topicMismatch && answer.advice == .fixCredential)
        }
        #expect(try await stage.runtime.connection(named: "live").broadcasts.push(Self.update, to: id).isAccepted)
        await stage.end()
    }

    @Test func whatCannotBeABroadcastIsRefusedAtTheCall() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "live", config: stage.patientConfig)
        try stage.runtime.connect(name: "bare", config: stage.patientConfig.with { $0.defaults.topic = nil })
        let id = try channel(stage)
        func error(_ name: String, _ notification: PushNotification) async -> PushError? {
            await #expect(throws: PushError.self) {
                try await stage.runtime.connection(named: name).broadcasts.push(notification, to: id)
            }
        }
        #expect(await error("bare", Self.update)?.description.contains("bundle id is missing") == true)
        let large = Payload(unchecked: [UInt8](repeating: 0x20, count: 5_121))
        #expect(await error("live", PushNotification(payload: large))?.code == .payloadTooLarge)
        var alert = Self.update
        alert.pushType = .alert
        #expect(await error("live", alert)?.description.contains("liveactivity") == true)
        let book = OutcomeBook()
        try stage.runtime.connection(named: "live").broadcasts.push(alert, to: id, completion: book.completion(1))
        await book.wait(for: 1)
        #expect(book.summary == ["invalid_request not_sent": 1])
        #expect(stage.apple.ledger.snapshot.broadcasts.requests == 0)
        await stage.end()
    }

    @Test func aLateAnswerNamesTheChannelAndNoDevice() async throws {
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        let config = stage.patientConfig.with { $0.timeout = .seconds(10) }
        try stage.runtime.connect(name: "live", config: config, owner: mailbox)
        let id = try channel(stage)
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        try stage.runtime.connection(named: "live").broadcasts.push(
            Self.update, to: id, context: "goal", completion: book.completion(1))
        #expect(await stage.apple.ledger.wait { $0.broadcasts.requests == 1 })
        await stage.time?.waitUntilArmed()
        stage.time?.advance(by: .seconds(10))
        await book.wait(for: 1)
        #expect(book.summary == ["timed_out unknown": 1])
        stage.apple.releaseAnswers()
        let message = await next(mailbox) { if case .lateResponse = $0 { true } else { false } }
        guard case .lateResponse(let late)? = message else { Issue.record("\(String(describing: message))"); return }
        #expect(late.channelID == id && late.deviceToken == nil && late.context as? String == "goal")
        guard case .answered(let response) = late.outcome else { Issue.record("\(late.outcome)"); return }
        #expect(response.isAccepted)
        await stage.end()
    }

    @Test func aBroadcastFiresNoFeedbackAndIsHandedBackAsACountOnly() async throws {
        let stage = try Rehearsal.inMemory()
        let log = FeedbackLog()
        try stage.runtime.connect(name: "live", config: stage.patientConfig.with { $0.feedback = log.record })
        let id = try channel(stage)
        stage.apple.faults.add(FaultRule(.push, .refuse(.unregistered), times: 1))
        let gone = try await stage.runtime.connection(named: "live").broadcasts.push(Self.update, to: id)
        #expect(gone.status == 410)
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        try stage.runtime.connection(named: "live").broadcasts.push(Self.update, to: id, completion: book.completion(1))
        _ = try stage.runtime.send(name: "live", Samples.flight, to: Samples.token(1))
        #expect(await stage.apple.ledger.wait { $0.broadcasts.requests == 2 && $0.pushes == 1 })
        let handBack = try await stage.runtime.close(name: "live", within: .zero)
        #expect(handBack.unknown.map(\.deviceToken) == [Samples.token(1)] && handBack.answeredElsewhere == 1)
        await book.wait(for: 1)
        #expect(book.endedOnceEach && book.count == 1)
        #expect(log.events.isEmpty)
        await stage.end()
    }

    @Test func goAwayInTheMiddleSendsWhatWasNotProcessedAgain() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "live", config: stage.patientConfig)
        let id = try channel(stage)
        #expect(try await stage.runtime.connection(named: "live").broadcasts.push(Self.update, to: id).isAccepted)
        stage.apple.faults.add(FaultRule(.pushNumber(20), .goAway(GoAway()), times: 1))
        let book = OutcomeBook()
        for number in 0..<100 {
            try stage.runtime.connection(named: "live").broadcasts.push(
                Self.update, to: id, completion: book.completion(number))
        }
        await book.wait(for: 100)
        #expect(book.summary == ["accepted": 100] && book.endedOnceEach)
        #expect(stage.apple.ledger.snapshot.broadcasts.accepted == 101)
        #expect(stage.apple.ledger.snapshot.connections == 2)
        await stage.end()
    }

    @Test func answersThatAreRetriedComeFromTheChannelAndDoNotHoldDevicesUp() async throws {
        let stage = try Rehearsal.inMemory()
        let config = stage.patientConfig.with { $0.retry.statusRetry = StatusRetryPolicy(retries: 2) }
        try stage.runtime.connect(name: "live", config: config)
        let id = try channel(stage)
        #expect(try await stage.runtime.connection(named: "live").broadcasts.push(Self.update, to: id).isAccepted)
        stage.apple.faults.add(FaultRule(.push, .refuse(.tooManyRequests), times: 1))
        let book = OutcomeBook()
        try stage.runtime.connection(named: "live").broadcasts.push(Self.update, to: id, completion: book.completion(1))
        #expect(await stage.apple.ledger.wait { $0.broadcasts.requests == 2 })
        // The channel waits for a second; a device does not.
        #expect(try await stage.runtime.push(name: "live", Samples.flight, to: Samples.token()).isAccepted)
        #expect(book.count == 0)
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(1)))
        stage.time?.advance(by: .seconds(1))
        await book.wait(for: 1)
        #expect(book.summary == ["accepted": 1])
        await stage.end()
    }
}
