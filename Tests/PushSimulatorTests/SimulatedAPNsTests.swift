import ProcessRuntime
import PushHTTP2
import PushSimulator
import PushTransport
import Testing

@Suite(.timeLimit(.minutes(5))) struct SimulatedAPNsTests {
    @Test("parity: P11 – a local simulator is a target", arguments: Rehearsal.Stage.allCases)
    func aPushIsAnsweredAndItsIDEchoed(_ stage: Rehearsal.Stage) async throws {
        let rehearsal = try Rehearsal(stage)
        let provider = try await rehearsal.provider()
        let id = "123e4567-e89b-12d3-a456-426614174000"
        provider.push(rehearsal.headers([("apns-id", id)]))
        try #require(await provider.waitForResponses(1))
        let response = try #require(provider.responses.first)
        #expect(response.status == 200)
        #expect(response.headers.first("apns-id") == id)
        #expect(response.headers.first("apns-unique-id") == nil)
        #expect(response.headers.first("content-type") == nil)
        #expect(response.body.isEmpty)
        let snapshot = rehearsal.apns.ledger.snapshot
        #expect(snapshot.pushes == 1)
        #expect(snapshot.accepted == 1)
        #expect(snapshot.handshakes == 1)
        #expect(rehearsal.apns.ledger.count(apnsID: id.uppercased()).accepted == 1)
        #expect(rehearsal.apns.ledger.records.first?.topic == "com.example.app")
        #expect(rehearsal.apns.connectionCount == 1)
    }

    @Test func anIDThatWasNotGivenIsMadeInUpperCase() async throws {
        let rehearsal = try Rehearsal { $0.environment = .development }
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers())
        provider.push(rehearsal.headers([("apns-id", "rubbish")]))
        try #require(await provider.waitForResponses(2))
        let responses = provider.responses
        let made = try responses.map { try #require($0.headers.first("apns-id")) }
        let unique = try responses.map { try #require($0.headers.first("apns-unique-id")) }
        for id in made + unique {
            #expect(id.count == 36)
            #expect(id.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
        }
        #expect(made.allSatisfy { $0 == $0.uppercased() })
        #expect(unique.allSatisfy { $0 == $0.lowercased() })
        #expect(Set(made + unique).count == 4)
        #expect(responses.map(\.status) == [200, 400])
    }

    @Test func refusalsCarryReasonAndTimestamp() async throws {
        let rehearsal = try Rehearsal {
            $0.devices.set(
                .unregistered(since: Date(timeIntervalSince1970: 1_750_000_000)), for: "deadbeef" + Rehearsal.device)
        }
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers(to: "deadbeef" + Rehearsal.device))
        try #require(await provider.waitForResponses(1))
        let response = try #require(provider.responses.first)
        #expect(response.status == 410)
        #expect(response.headers.first("content-type") == "application/json")
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == #"{"reason":"Unregistered","timestamp":1750000000000}"#)
        #expect(rehearsal.apns.ledger.snapshot.refusals == [.unregistered: 1])
    }

    @Test("the standard 410s say now, as the next full second", arguments: ["deadbeef", "deadc0de"])
    func theStandardRefusalsSayNow(_ prefix: String) async throws {
        let time = ManualTime(wallClockMilliseconds: 1_800_000_000_250)
        let rehearsal = try Rehearsal { $0.time = time }
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers(to: prefix + Rehearsal.device))
        try #require(await provider.waitForResponses(1))
        time.advance(by: .seconds(60))
        provider.push(rehearsal.headers(to: prefix + Rehearsal.device))
        try #require(await provider.waitForResponses(2))
        let bodies = provider.responses.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies[0].hasSuffix(#""timestamp":1800000001000}"#))
        #expect(bodies[1].hasSuffix(#""timestamp":1800000061000}"#))
    }

    @Test func theStreamLimitIsOneUntilATokenWasAccepted() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        try #require(await provider.wait { $0.contains { if case .settings = $0 { true } else { false } } })
        #expect(provider.limits == [1])
        provider.push(rehearsal.headers(authorization: false))
        try #require(await provider.waitForResponses(1))
        #expect(provider.limits == [1])
        provider.push(rehearsal.headers(), count: 50)
        try #require(await provider.waitForResponses(51))
        #expect(provider.limits == [1, 1000])
        #expect(provider.responses.map(\.status) == [403] + [Int](repeating: 200, count: 50))
    }

    @Test func aCertificateHasTheFullLimitFromTheStart() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider(certificate: true)
        provider.push(rehearsal.headers(authorization: false), count: 10)
        try #require(await provider.waitForResponses(10))
        #expect(provider.limits == [1000])
        #expect(provider.responses.allSatisfy { $0.status == 200 })
    }

    @Test func theFirstSettingsAreThoseOfAPNs() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        try #require(await provider.wait { $0.count >= 2 })
        guard case .settings(let settings)? = provider.sightings.dropFirst().first else {
            Issue.record("no SETTINGS")
            return
        }
        #expect(
            settings
                == PeerSettings(
                    maxConcurrentStreams: 1, initialWindowSize: 65_535, maxFrameSize: 16_384, headerTableSize: 4096,
                    maxHeaderListSize: 8000))
    }

    @Test func aCertificateOfTheOtherEnvironmentGetsGoAway() async throws {
        let rehearsal = try Rehearsal {
            $0.credentials = try? ThrowAwayCredentials(environments: [.development])
            $0.environment = .production
        }
        let provider = try await rehearsal.provider(certificate: true)
        try #require(await provider.wait { $0.contains { if case .goAway = $0 { true } else { false } } })
        #expect(provider.goAways.first?.text == #"{"reason":"BadCertificateEnvironment"}"#)
        #expect(provider.goAways.first?.lastStreamID == 0)
        #expect(await provider.waitUntilClosed())
    }

    @Test func aCertificateOfAStrangerGetsGoAwayOrAnAlert() async throws {
        let stranger = try ThrowAwayCredentials()
        for manner in [SimulatedAPNs.UntrustedCertificate.goAway, .alert] {
            let rehearsal = try Rehearsal { $0.untrustedCertificate = manner }
            let provider = TestProvider()
            _ = try await provider.connect(
                rehearsal.connector, to: rehearsal.endpoint, trusting: stranger.trusting(rehearsal.apns.credentials),
                certificate: true, serverName: "localhost")
            #expect(await provider.waitUntilClosed())
            #expect(provider.goAways.map(\.text) == (manner == .goAway ? [#"{"reason":"BadCertificate"}"#] : []))
        }
    }

    @Test func aLargeBodyIsCountedAndRefused() async throws {
        let rehearsal = try Rehearsal()
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers(), body: 4096)
        provider.push(rehearsal.headers(), body: 4097)
        provider.push(rehearsal.headers(), body: 200_000)
        provider.push(rehearsal.headers(), body: 0)
        try #require(await provider.waitForResponses(4))
        let answers = Dictionary(uniqueKeysWithValues: provider.responses.map { ($0.tag, $0.status) })
        #expect(answers == [0: 200, 1: 413, 2: 413, 3: 400])
    }

    @Test func aTokenExpiresByTheInjectedClock() async throws {
        let time = ManualTime()
        let rehearsal = try Rehearsal { $0.time = time }
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers())
        try #require(await provider.waitForResponses(1))
        time.setWallClock(milliseconds: time.wallClockMilliseconds + 3_601_000)
        provider.push(rehearsal.headers())
        try #require(await provider.waitForResponses(2))
        #expect(provider.responses.map(\.status) == [200, 403])
        #expect(rehearsal.apns.ledger.snapshot.refusals == [.expiredProviderToken: 1])
    }

    @Test(arguments: Rehearsal.Stage.allCases) func manyPushesAreAnsweredOnceEach(_ stage: Rehearsal.Stage) async throws
    {
        let rehearsal = try Rehearsal(stage)
        let provider = try await rehearsal.provider()
        let count = 2000
        provider.push(rehearsal.headers(), count: count) { [("apns-id", Self.id($0))] }
        try #require(await provider.waitForResponses(count))
        #expect(Set(provider.responses.map(\.tag)).count == count)
        #expect(rehearsal.apns.ledger.snapshot.accepted == count)
        #expect(rehearsal.apns.ledger.snapshot.answered == count)
        #expect(rehearsal.apns.ledger.repeatedAPNSIDs == 0)
        #expect(rehearsal.apns.ledger.repeatedDeviceTokens == 1)
        #expect(rehearsal.apns.ledger.count(deviceToken: Rehearsal.device).accepted == count)
    }

    static func id(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-0000-0000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    @Test func aSimulatorStopsAndStartsOnItsPort() async throws {
        let rehearsal = try Rehearsal(.loopback)
        let first = try await rehearsal.provider()
        rehearsal.apns.stop()
        #expect(await first.waitUntilClosed())
        #expect(await rehearsal.apns.ledger.wait { $0.openConnections == 0 })
        let refused = TestProvider()
        #expect(
            try await !refused.connect(
                rehearsal.connector, to: rehearsal.endpoint, trusting: rehearsal.apns.credentials))
        #expect(try rehearsal.apns.start() == rehearsal.endpoint.port)
        let second = try await rehearsal.provider()
        second.push(rehearsal.headers())
        #expect(await second.waitForResponses(1))
        #expect(throws: SimulatorError.self) { try rehearsal.apns.start() }
    }

    @Test func aProviderThatLeavesIsForgotten() async throws {
        let rehearsal = try Rehearsal(.loopback)
        let provider = try await rehearsal.provider()
        #expect(await rehearsal.apns.ledger.wait { $0.openConnections == 1 && $0.handshakes == 1 })
        provider.close()
        #expect(await rehearsal.apns.ledger.wait { $0.openConnections == 0 })
        #expect(rehearsal.apns.connectionCount == 0)
    }

    @Test func aPortInUseIsAClearError() throws {
        let rehearsal = try Rehearsal(.loopback)
        var configuration = SimulatedAPNs.Configuration()
        configuration.port = rehearsal.endpoint.port
        let second = try SimulatedAPNs(configuration)
        #expect { try second.start() } throws: { ($0 as? SimulatorError)?.code == .listen }
    }
}
