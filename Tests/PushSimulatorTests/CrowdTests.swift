import HandWrittenFrames
import ProcessRuntime
import PushHTTP2
import PushTransport
import Testing

@testable import PushSimulator

/// Connections of strangers and of the idle: they keep nobody out.
@Suite(.timeLimit(.minutes(5))) struct CrowdTests {
    private static let hour = Duration.seconds(3600)

    enum Stranger: CaseIterable, Sendable {
        /// Connects and sends nothing.
        case silent
        /// Finishes TLS, and sends no request.
        case idle
        /// Sends requests that are refused, because it has no credential.
        case refused
        /// Stops in the middle of a head.
        case halting
        /// Stops in the middle of a body.
        case stuck
    }

    private func arrive(_ stranger: Stranger, _ rehearsal: Rehearsal) async throws -> AnyObject {
        guard stranger != .silent else {
            let socket = RawSocket()
            // One that makes room before it knows that it is connected is reset, and was there.
            try? await socket.send("", to: rehearsal.endpoint)
            return socket
        }
        let provider = try await rehearsal.provider()
        switch stranger {
        case .silent, .idle: break
        case .halting: try #require(await HalfARequest.beforeTheContinuation.begin(rehearsal, provider))
        case .refused:
            provider.push(rehearsal.headers(authorization: false))
            try #require(await provider.waitForResponses(1))
        case .stuck:
            provider.push(rehearsal.headers(authorization: false), body: 100_000)
            provider.ping(1)
            try #require(await provider.wait { $0.contains { if case .pong = $0 { true } else { false } } })
        }
        return provider
    }

    @Test(arguments: Stranger.allCases)
    func manyStrangersDoNotKeepAClientOut(_ stranger: Stranger) async throws {
        let rehearsal = try Rehearsal(.loopback) { $0.maxConnections = 16 }
        if stranger == .stuck {
            rehearsal.apns.faults.add(FaultRule(.connected, .window(.withhold, of: .all), on: .first(50)))
        }
        let first = try await rehearsal.provider()
        first.push(rehearsal.headers())
        try #require(await first.waitForResponses(1))
        var crowd: [AnyObject] = []
        for count in 2...50 {
            crowd.append(try await arrive(stranger, rehearsal))
            // Who comes while two still make room is turned away: the next one waits until they are gone.
            try #require(await rehearsal.apns.ledger.wait { $0.connections == count })
            await rehearsal.apns.core.tellAndWait(.ordersChanged, .all)
            try #require(await rehearsal.apns.ledger.wait { $0.openConnections <= 16 })
        }
        let client = try await rehearsal.provider()
        client.push(rehearsal.headers())
        #expect(await client.waitForResponses(1))
        // The one that pushed before them is still there.
        first.push(rehearsal.headers())
        #expect(await first.waitForResponses(2))
        #expect(await rehearsal.apns.ledger.wait { $0.openConnections <= 16 })
        withExtendedLifetime(crowd) {}
    }

    @Test func whoPushedLatelyOrWaitsForAnAnswerMakesNoRoom() async throws {
        let time = ManualTime()
        let rehearsal = try Rehearsal(.memory) {
            $0.time = time
            $0.maxConnections = 2
        }
        let (one, two) = (try await rehearsal.provider(), try await rehearsal.provider())
        for provider in [one, two] {
            provider.push(rehearsal.headers())
            try #require(await provider.waitForResponses(1))
        }
        #expect(try await connects(rehearsal) == false)
        time.advance(by: .seconds(10))
        // The second one waits for an answer, the first one is idle.
        rehearsal.apns.holdAnswers()
        two.push(rehearsal.headers())
        try #require(await rehearsal.apns.ledger.wait { $0.pushes == 3 })
        time.advance(by: Self.hour)
        #expect(try await connects(rehearsal))
        #expect(await one.waitUntilClosed())
        #expect(one.goAways.map(\.code) == [.noError])
        rehearsal.apns.releaseAnswers()
        #expect(await two.waitForResponses(2))
    }

    private func connects(_ rehearsal: Rehearsal) async throws -> Bool {
        let provider = TestProvider()
        provider.keep(rehearsal.apns)
        return try await provider.connect(
            rehearsal.connector, to: rehearsal.endpoint, trusting: rehearsal.apns.credentials,
            serverName: rehearsal.endpoint.host)
    }

    @Test(arguments: [false, true])
    func aHandshakeHasTenSecondsAndAnEstablishedConnectionAllTime(finishesTLS: Bool) async throws {
        let time = ManualTime()
        let rehearsal = try Rehearsal(.loopback) { $0.time = time }
        let idle = try await rehearsal.provider()
        idle.push(rehearsal.headers())
        #expect(await idle.waitForResponses(1))
        let silent: AnyObject
        if finishesTLS {
            silent = try await rehearsal.provider(speaksHTTP2: false)
            try #require(await rehearsal.apns.ledger.wait { $0.handshakes == 2 })
        } else {
            let socket = RawSocket()
            try await socket.send("", to: rehearsal.endpoint)
            try #require(await rehearsal.apns.ledger.wait { $0.connections == 2 })
            silent = socket
        }
        let due = time.now.advanced(by: .seconds(10))
        #expect(await time.waitUntilArmed(by: due) == due)
        time.advance(by: .milliseconds(9_999))
        #expect(rehearsal.apns.connectionCount == 2)
        time.advance(by: .milliseconds(1))
        #expect(await rehearsal.apns.ledger.wait { $0.openConnections == 1 })
        time.advance(by: Self.hour)
        idle.push(rehearsal.headers())
        #expect(await idle.waitForResponses(2))
        withExtendedLifetime(silent) {}
    }

    /// On a busy machine the simulator may read a provider's first bytes after their deadline.
    @Test func whoSentTheFirstBytesInTimeIsServed() async throws {
        let time = ManualTime()
        let rehearsal = try Rehearsal(.loopback) { $0.time = time }
        for count in 1...100 {
            let provider = try await rehearsal.provider()
            time.advance(by: .seconds(30))
            provider.push(rehearsal.headers())
            try #require(await provider.waitForResponses(1))
            try #require(rehearsal.apns.ledger.snapshot.pushes == count)
        }
    }

    @Test func aConnectionThatARuleKeepsSilentStays() async throws {
        let time = ManualTime()
        let rehearsal = try Rehearsal(.loopback) { $0.time = time }
        rehearsal.apns.faults.add(FaultRule(.connecting, .deafen, on: .nth(1)))
        let silent = RawSocket()
        try await silent.send("", to: rehearsal.endpoint)
        try #require(await rehearsal.apns.ledger.wait { $0.openConnections == 1 })
        let other = try await rehearsal.provider()
        try #require(await rehearsal.apns.ledger.wait { $0.handshakes == 1 })
        time.advance(by: Self.hour)
        other.push(rehearsal.headers())
        #expect(await other.waitForResponses(1))
        #expect(rehearsal.apns.connectionCount == 2)
        withExtendedLifetime(silent) {}
    }

    @Test func theLimitFollowsTheDescriptors() {
        #expect(DescriptorLimit.connections(descriptors: 1_024) == 420)
        #expect(DescriptorLimit.connections(descriptors: 20_000) == 8_722)
        #expect(DescriptorLimit.connections(descriptors: 1 << 20) == 20_000)
        #expect(DescriptorLimit.connections(descriptors: 10) == 1)
    }

    @Test func aRequestWithMoreHeadersThanAnnouncedIsNotProcessed() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers([("x-long", String(repeating: "x", count: 8_000))]))
        try #require(await provider.waitForResponses(1))
        #expect(provider.responses.map(\.status) == [431])
        provider.push(rehearsal.headers([("x-long", String(repeating: "x", count: 6_000))]))
        try #require(await provider.waitForResponses(2))
        #expect(provider.responses.map(\.status) == [431, 200])
        let snapshot = rehearsal.apns.ledger.snapshot
        #expect((snapshot.oversizedHeaders, snapshot.pushes, snapshot.refused) == (1, 1, 0))
    }
}
