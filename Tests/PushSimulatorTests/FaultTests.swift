import ProcessRuntime
import PushHTTP2
import PushTransport
import Testing

@testable import PushSimulator

@Suite("parity: F8 – a simulator that misbehaves on request", .timeLimit(.minutes(5))) struct FaultTests {
    @Test func heldAnswersAreProcessedAndComeWhenReleased() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers())
        try #require(await provider.waitForResponses(1))
        rehearsal.apns.holdAnswers()
        provider.push(rehearsal.headers(), count: 3)
        try #require(await rehearsal.apns.ledger.wait { $0.pushes == 4 })
        provider.ping(17)
        try #require(await provider.wait { $0.contains { if case .pong(17) = $0 { true } else { false } } })
        #expect(provider.responses.count == 1)
        rehearsal.apns.releaseAnswers(1)
        try #require(await provider.waitForResponses(2))
        #expect(rehearsal.apns.ledger.snapshot.answered == 2)
        rehearsal.apns.releaseAnswers()
        try #require(await provider.waitForResponses(4))
        #expect(provider.responses.map(\.tag) == [0, 1, 2, 3])
        provider.push(rehearsal.headers())
        #expect(await provider.waitForResponses(5))
    }

    @Test func aHeldPushThatIsResetIsForgotten() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers())
        try #require(await provider.waitForResponses(1))
        rehearsal.apns.holdAnswers()
        provider.push(rehearsal.headers(), count: 2)
        try #require(await rehearsal.apns.ledger.wait { $0.pushes == 3 })
        provider.reset(3)
        provider.ping(1)
        try #require(await provider.wait { $0.contains { if case .pong(1) = $0 { true } else { false } } })
        rehearsal.apns.releaseAnswers()
        try #require(await provider.waitForResponses(2))
        #expect(provider.responses.map(\.tag) == [0, 2])
        #expect(rehearsal.apns.ledger.snapshot.answered == 2)
    }

    @Test(arguments: Rehearsal.Stage.allCases, [Fault.Cut.finish, .reset])
    func cutConnectionsEndWithoutAnAnswer(_ stage: Rehearsal.Stage, _ cut: Fault.Cut) async throws {
        let rehearsal = try Rehearsal(stage)
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers())
        try #require(await provider.waitForResponses(1))
        rehearsal.apns.holdAnswers()
        provider.push(rehearsal.headers(), count: 5)
        try #require(await rehearsal.apns.ledger.wait { $0.pushes == 6 })
        await rehearsal.apns.cutConnections(cut)
        #expect(await provider.waitUntilClosed())
        guard case .closed(let error)? = provider.sightings.last else {
            Issue.record("not closed")
            return
        }
        // Without close_notify even a FIN is no orderly end (RFC 8446, section 6.1).
        #expect(error != nil)
        #expect(provider.responses.count == 1)
        #expect(await rehearsal.apns.ledger.wait { $0.openConnections == 0 })
        #expect(rehearsal.apns.ledger.snapshot.accepted == 6)
    }

    @Test(arguments: Rehearsal.Stage.allCases)
    func goAwaySaysWhatWasProcessedAndAnswersIt(_ stage: Rehearsal.Stage) async throws {
        let rehearsal = try Rehearsal(stage)
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers())
        try #require(await provider.waitForResponses(1))
        rehearsal.apns.holdAnswers()
        provider.push(rehearsal.headers(), count: 2)
        try #require(await rehearsal.apns.ledger.wait { $0.pushes == 3 })
        rehearsal.apns.goAway(GoAway(code: 2, reason: "Shut \"down\""))
        try #require(await provider.wait { $0.contains { if case .goAway = $0 { true } else { false } } })
        #expect(provider.goAways.first?.lastStreamID == 5)
        #expect(provider.goAways.first?.code.rawValue == 2)
        #expect(provider.goAways.first?.text == #"{"reason":"Shut \"down\""}"#)
        #expect(!provider.isClosed)
        rehearsal.apns.releaseAnswers()
        #expect(await provider.waitForResponses(3))
        #expect(await provider.waitUntilClosed())
    }

    @Test func anAnnouncedGoAwayComesInTwoSteps() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers())
        try #require(await provider.waitForResponses(1))
        rehearsal.apns.holdAnswers()
        provider.push(rehearsal.headers())
        try #require(await rehearsal.apns.ledger.wait { $0.pushes == 2 })
        rehearsal.apns.goAway(GoAway(isAnnounced: true, ending: .leftOpen))
        try #require(await Self.goAways(2, provider))
        #expect(provider.goAways.map(\.lastStreamID) == [.max, 3])
        #expect(!provider.isClosed)
    }

    private static func goAways(_ count: Int, _ provider: TestProvider) async -> Bool {
        await provider.wait { sightings in
            sightings.count { if case .goAway = $0 { true } else { false } } >= count
        }
    }

    @Test func goAwayMayNameAnyStreamAndIgnoresThoseAbove() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers())
        try #require(await provider.waitForResponses(1))
        rehearsal.apns.faults.add(FaultRule(.pushNumber(3), .goAway(GoAway(lastStream: .exactly(7))), times: 1))
        provider.push(rehearsal.headers(), count: 6)
        try #require(await provider.wait { $0.contains { if case .goAway = $0 { true } else { false } } })
        #expect(await provider.waitUntilClosed())
        // Streams 1, 3, 5 and 7 were processed, 9, 11 and 13 were not.
        #expect(rehearsal.apns.ledger.snapshot.pushes == 4)
        #expect(provider.responses.map(\.tag).sorted() == [0, 1, 2, 3])
        #expect(rehearsal.apns.faults.rules.isEmpty)
    }

    @Test func aDrainingServerAnswersShutdown() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider(certificate: true)
        try #require(await provider.wait { $0.count >= 2 })
        rehearsal.apns.faults.add(
            FaultRule(
                .pushNumber(1), .goAway(GoAway(lastStream: .exactly(.max), ending: .leftOpen, refusesPushes: true))))
        provider.push(rehearsal.headers(authorization: false), count: 2)
        try #require(await provider.wait { $0.contains { if case .goAway = $0 { true } else { false } } })
        #expect(await rehearsal.apns.ledger.wait { $0.pushes == 2 })
        #expect(await provider.waitForResponses(2))
        #expect(rehearsal.apns.ledger.snapshot.refusals == [.shutdown: 1])
    }

    @Test func aConnectionIsCutAfterSoManyPushes() async throws {
        let rehearsal = try Rehearsal(.loopback)
        rehearsal.apns.faults.add(FaultRule(.pushNumber(4), .cut(.reset), times: 1))
        let first = try await rehearsal.provider()
        first.push(rehearsal.headers(), count: 10)
        #expect(await first.waitUntilClosed())
        #expect(first.responses.map(\.tag) == [0, 1, 2])
        #expect(rehearsal.apns.ledger.snapshot.pushes == 4)
        let second = try await rehearsal.provider()
        second.push(rehearsal.headers(), count: 10)
        #expect(await second.waitForResponses(10))
    }

    @Test func answersTakeTheirTime() async throws {
        let time = ManualTime()
        let rehearsal = try Rehearsal { $0.time = time }
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers())
        try #require(await provider.waitForResponses(1))
        rehearsal.apns.delayAnswers(by: .fixed(.milliseconds(250)))
        provider.push(rehearsal.headers(), count: 2)
        try #require(await rehearsal.apns.ledger.wait { $0.pushes == 3 })
        let due = time.now.advanced(by: .milliseconds(250))
        #expect(await time.waitUntilArmed(by: due) == due)
        time.advance(by: .milliseconds(249))
        provider.ping(5)
        try #require(await provider.wait { $0.contains { if case .pong(5) = $0 { true } else { false } } })
        #expect(provider.responses.count == 1)
        time.advance(by: .milliseconds(1))
        #expect(await provider.waitForResponses(3))
        #expect(provider.responses.map(\.tag) == [0, 1, 2])
    }

    @Test func oneDeviceMayBeSlowOrRefusedOrReset() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        rehearsal.apns.faults.add(FaultRule(.pushTo("bb"), .refuse(.serviceUnavailable), times: 2))
        rehearsal.apns.faults.add(FaultRule(.pushTo("CC"), .resetStream(code: 7)))
        rehearsal.apns.faults.add(FaultRule(.pushTo("dd"), .resetStream(code: 2)))
        provider.push(rehearsal.headers())
        try #require(await provider.waitForResponses(1))
        for device in ["bb00", "BB01", "bb02"] { provider.push(rehearsal.headers(to: device)) }
        try #require(await provider.waitForResponses(4))
        #expect(provider.responses.sorted { $0.tag < $1.tag }.map(\.status) == [200, 503, 503, 200])
        provider.push(rehearsal.headers(to: "cc00"))
        provider.push(rehearsal.headers(to: "dd00"))
        try #require(
            await provider.wait { sightings in
                sightings.count { if case .streamClosed = $0 { true } else { false } } == 2
            })
        let codes = provider.sightings.compactMap { if case .streamClosed(_, let code) = $0 { code } else { nil } }
        #expect(codes == [.refusedStream, .internalError])
        #expect(rehearsal.apns.ledger.count(deviceToken: "cc00").accepted == 0)
        #expect(rehearsal.apns.ledger.count(deviceToken: "dd00").accepted == 1)
        #expect(rehearsal.apns.ledger.snapshot.resets == 2)
    }

    @Test func aMuteServerProcessesAndSaysNothing() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers())
        try #require(await provider.waitForResponses(1))
        rehearsal.apns.mute()
        provider.ping(9)
        provider.push(rehearsal.headers(), count: 2)
        try #require(await rehearsal.apns.ledger.wait { $0.pushes == 3 })
        #expect(provider.responses.count == 1)
        rehearsal.apns.unmute()
        #expect(await provider.waitForResponses(3))
        #expect(await provider.wait { $0.contains { if case .pong(9) = $0 { true } else { false } } })
    }

    @Test func aDeafServerProcessesNothing() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        rehearsal.apns.faults.add(FaultRule(.pushNumber(2), .deafen, times: 1))
        provider.push(rehearsal.headers())
        try #require(await provider.waitForResponses(1))
        provider.push(rehearsal.headers(), count: 5)
        try #require(await rehearsal.apns.ledger.wait { $0.pushes == 2 })
        rehearsal.apns.unmute()
        let other = try await rehearsal.provider()
        other.push(rehearsal.headers())
        try #require(await other.waitForResponses(1))
        #expect(provider.responses.count == 1)
        await rehearsal.apns.cutConnections(on: .only(try #require(rehearsal.apns.connections.first)))
        #expect(await provider.waitUntilClosed())
        #expect(!other.isClosed)
        #expect(rehearsal.apns.ledger.snapshot.pushes == 3)
    }

    @Test func aDeafenedConnectionIsForgottenWithItsEnd() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers())
        try #require(await provider.waitForResponses(1))
        rehearsal.apns.deafen()
        provider.push(rehearsal.headers(), count: 5)
        let other = try await rehearsal.provider()
        other.push(rehearsal.headers())
        try #require(await other.waitForResponses(1))
        let connections = rehearsal.apns.connections
        #expect(rehearsal.apns.core.faults.current.deaf == [connections[0]])
        await rehearsal.apns.cutConnections(on: .only(connections[0]))
        #expect(await provider.waitUntilClosed())
        try #require(await rehearsal.apns.ledger.wait(within: .seconds(120)) { $0.openConnections == 1 })
        #expect(rehearsal.apns.ledger.snapshot.pushes == 2)
        #expect(rehearsal.apns.core.faults.current.deaf.isEmpty)
    }

    @Test(arguments: Rehearsal.Stage.allCases)
    func newConnectionsAreRefusedForATime(_ stage: Rehearsal.Stage) async throws {
        let time = ManualTime()
        let rehearsal = try Rehearsal(stage) { $0.time = time }
        let old = try await rehearsal.provider()
        rehearsal.apns.refuseConnections(for: .seconds(30))
        let refused = TestProvider()
        #expect(
            try await !refused.connect(
                rehearsal.connector, to: rehearsal.endpoint, trusting: rehearsal.apns.credentials))
        time.advance(by: .seconds(30))
        _ = try await rehearsal.provider()
        old.push(rehearsal.headers())
        #expect(await old.waitForResponses(1))
    }

    @Test func ignoredConnectionsGetNoHandshake() async throws {
        let rehearsal = try Rehearsal(.loopback)
        rehearsal.apns.ignoreConnections()
        let ignored = TestProvider()
        async let isUp = ignored.connect(
            rehearsal.connector, to: rehearsal.endpoint, trusting: rehearsal.apns.credentials)
        try #require(await rehearsal.apns.ledger.wait(within: .seconds(120)) { $0.openConnections == 1 })
        rehearsal.apns.acceptConnections()
        _ = try await rehearsal.provider()
        #expect(await rehearsal.apns.ledger.wait { $0.handshakes == 1 })
        await rehearsal.apns.cutConnections()
        #expect(try await !isUp)
        #expect(await rehearsal.apns.ledger.wait { $0.openConnections == 0 })
    }

    @Test func aRuleTurnsTheFirstConnectionAway() async throws {
        let rehearsal = try Rehearsal()
        rehearsal.apns.faults.add(FaultRule(.connecting, .cut(.reset), times: 1))
        let refused = TestProvider()
        #expect(
            try await !refused.connect(
                rehearsal.connector, to: rehearsal.endpoint, trusting: rehearsal.apns.credentials))
        _ = try await rehearsal.provider()
    }

    @Test func settingsChangeWhileConnected() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider(certificate: true)
        try #require(await provider.wait { $0.count >= 2 })
        rehearsal.apns.changeSettings(SettingsChange(maxConcurrentStreams: 0))
        try #require(await provider.wait { $0.count >= 3 })
        #expect(provider.limits == [1000, 0])
        provider.push(rehearsal.headers(authorization: false), count: 3)
        rehearsal.apns.changeSettings(SettingsChange(maxConcurrentStreams: 2))
        #expect(await provider.waitForResponses(3))
    }

    @Test func aLimitOfStreamsThatAFaultSetOutlivesTheFirstProviderToken() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        try #require(await provider.wait { $0.count >= 2 })
        rehearsal.apns.changeSettings(SettingsChange(maxConcurrentStreams: 2))
        try #require(await provider.wait { $0.count >= 3 })
        // The limit of a connection without an accepted token is 1. With one, it is the fault's and not the policy's.
        provider.push(rehearsal.headers(), count: 3)
        #expect(await provider.waitForResponses(3))
        #expect(provider.limits == [1, 2])
    }

    @Test func aConnectionWithTooManyRefusalsIsSentAway() async throws {
        let rehearsal = try Rehearsal { $0.strictness.refusalsUntilGoAway = 3 }
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers(to: "deadbeef"), count: 5)
        try #require(await provider.waitForResponses(5))
        provider.push(rehearsal.headers(to: "baadf00d"), count: 3)
        try #require(await provider.wait { $0.contains { if case .goAway = $0 { true } else { false } } })
        #expect(await provider.waitForResponses(8))
        #expect(await provider.waitUntilClosed())
    }

    @Test func garbageInPlaceOfHTTP2EndsOneConnectionOnly() async throws {
        let rehearsal = try Rehearsal(.loopback)
        let provider = try await rehearsal.provider()
        let socket = RawSocket()
        try await socket.send("GET / HTTP/1.1\r\n\r\n", to: rehearsal.endpoint)
        #expect(await rehearsal.apns.ledger.wait { $0.connections == 2 && $0.openConnections == 1 })
        provider.push(rehearsal.headers())
        #expect(await provider.waitForResponses(1))
    }
}
