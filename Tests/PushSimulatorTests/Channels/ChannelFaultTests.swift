import ProcessRuntime
import PushHTTP2
import PushSimulator
import PushTransport
import Testing

/// Faults know no difference between the ports.
@Suite(.timeLimit(.minutes(5))) struct ChannelFaultTests {
    private let channels = ChannelStories.channels
    private let app = "com.example.app"

    private func create(_ rehearsal: Rehearsal, _ provider: TestProvider, count: Int = 1) {
        provider.request(rehearsal.headers("POST", channels), ChannelStories.creation, count: count)
    }

    @Test("parity: F11 – a request about channels can be refused, and then does nothing")
    func aRefusalOnPurposeMakesNoChannel() async throws {
        let rehearsal = try Rehearsal()
        rehearsal.apns.faults.add(FaultRule(.pushNumber(2), .refuse(.featureNotEnabled)))
        let manager = try await rehearsal.provider(management: true)
        create(rehearsal, manager, count: 3)
        try #require(await manager.waitForResponses(3))
        let statuses = Dictionary(uniqueKeysWithValues: manager.responses.map { ($0.tag, $0.status) })
        #expect(statuses == [0: 201, 1: 400, 2: 201])
        #expect(rehearsal.apns.channels.channels(of: app).count == 2)
        #expect(rehearsal.apns.ledger.snapshot.channelRequests.refusals == [.featureNotEnabled: 1])
        #expect(rehearsal.apns.ledger.snapshot.faults == 1)
    }

    @Test func anAnswerOfManagementCanBeDelayed() async throws {
        let time = ManualTime()
        let rehearsal = try Rehearsal { $0.time = time }
        rehearsal.apns.faults.add(FaultRule(.push, .delay(.fixed(.seconds(5)))))
        let manager = try await rehearsal.provider(management: true)
        create(rehearsal, manager)
        #expect(await rehearsal.apns.ledger.wait { $0.channelRequests.accepted == 1 })
        #expect(manager.responses.isEmpty)
        await time.waitUntilArmed()
        time.advance(by: .seconds(5))
        try #require(await manager.waitForResponses(1))
        #expect(manager.responses.map(\.status) == [201])
    }

    @Test func anAnswerOfManagementCanBeHeldBackAndSpoiled() async throws {
        let rehearsal = try Rehearsal()
        rehearsal.apns.faults.add(FaultRule(.pushNumber(2), .malformedAnswer(.status("299"))))
        rehearsal.apns.holdAnswers()
        let manager = try await rehearsal.provider(management: true)
        create(rehearsal, manager)
        #expect(await rehearsal.apns.ledger.wait { $0.channelRequests.accepted == 1 })
        #expect(manager.responses.isEmpty)
        rehearsal.apns.releaseAnswers()
        try #require(await manager.waitForResponses(1))
        create(rehearsal, manager)
        try #require(await manager.waitForResponses(2))
        #expect(manager.responses.map(\.status) == [201, 299])
        #expect(manager.responses[1].headers.first("apns-channel-id")?.count == 24)
    }

    @Test func aStreamOfManagementCanBeReset() async throws {
        let rehearsal = try Rehearsal()
        rehearsal.apns.faults.add(FaultRule(.pushNumber(2), .resetStream(code: 7)))
        rehearsal.apns.faults.add(FaultRule(.pushNumber(3), .resetStream(code: 2)))
        let manager = try await rehearsal.provider(management: true)
        create(rehearsal, manager)
        try #require(await manager.waitForResponses(1))
        create(rehearsal, manager, count: 2)
        #expect(
            await manager.wait {
                $0.count { if case .streamClosed = $0 { true } else { false } } == 2
            })
        // REFUSED_STREAM says that nothing was done; any other code says nothing.
        #expect(rehearsal.apns.channels.channels(of: app).count == 2)
        #expect(rehearsal.apns.ledger.snapshot.channelRequests.requests == 2)
        #expect(rehearsal.apns.ledger.snapshot.resets == 2)
    }

    @Test func managementSaysGoAway() async throws {
        let rehearsal = try Rehearsal()
        rehearsal.apns.faults.add(FaultRule(.pushNumber(1), .goAway(GoAway(reason: "Shutdown"))))
        let manager = try await rehearsal.provider(management: true)
        create(rehearsal, manager)
        try #require(await manager.waitForResponses(1))
        #expect(await manager.wait { $0.contains { if case .goAway = $0 { true } else { false } } })
        #expect(manager.goAways.map(\.text) == [#"{"reason":"Shutdown"}"#])
        #expect(manager.goAways.first?.lastStreamID == 1)
    }

    @Test(arguments: Rehearsal.Stage.allCases) func managementIsCut(_ stage: Rehearsal.Stage) async throws {
        let rehearsal = try Rehearsal(stage)
        rehearsal.apns.faults.add(FaultRule(.pushNumber(2), .cut(.reset), on: .nth(2)))
        let pusher = try await rehearsal.provider()
        let manager = try await rehearsal.provider(management: true)
        create(rehearsal, manager)
        try #require(await manager.waitForResponses(1))
        create(rehearsal, manager)
        #expect(await manager.waitUntilClosed())
        #expect(manager.responses.count == 1)
        // Done, and not said: what a client can't know.
        #expect(await rehearsal.apns.ledger.wait { $0.channelRequests.accepted == 2 })
        #expect(rehearsal.apns.channels.channels(of: app).count == 2)
        #expect(!pusher.isClosed)
        #expect(await rehearsal.apns.ledger.wait { $0.openConnections == 1 })
    }

    @Test func connectionsToManagementCanBeTurnedAway() async throws {
        let rehearsal = try Rehearsal(.loopback)
        rehearsal.apns.refuseConnections()
        let refused = TestProvider()
        #expect(
            try await !refused.connect(
                rehearsal.connector, to: rehearsal.management, trusting: rehearsal.apns.credentials))
        rehearsal.apns.acceptConnections()
        _ = try await rehearsal.provider(management: true)
    }

    @Test func broadcastsCountAsPushesForRulesAndNotAsDevices() async throws {
        let rehearsal = try Rehearsal()
        let channel = try #require(rehearsal.apns.channels.create(for: app)?.id)
        rehearsal.apns.faults.add(FaultRule(.pushNumber(2), .refuse(.tooManyRequests)))
        rehearsal.apns.faults.add(FaultRule(.pushTo(""), .refuse(.shutdown)))
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.broadcast(to: channel))
        try #require(await provider.waitForResponses(1))
        provider.push(rehearsal.broadcast(to: channel))
        try #require(await provider.waitForResponses(2))
        provider.push(rehearsal.headers())
        try #require(await provider.waitForResponses(3))
        #expect(provider.responses.map(\.status) == [200, 429, 503])
    }
}
