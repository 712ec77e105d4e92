import Dispatch
import ProcessRuntime
import PushSimulator
import PushTransport
import Testing

/// Faults that a provider meets while it connects, each by a rule for the first connection: the second is served.
@Suite("parity: F8 – faults before the first push", .timeLimit(.minutes(5))) struct ConnectingFaultTests {
    /// Connects once and hands back why it ended; then connects again, which must succeed.
    private func meet(
        _ fault: Fault, _ stage: Rehearsal.Stage = .memory, certificate: Bool = false
    ) async throws -> TransportError? {
        let rehearsal = try Rehearsal(stage)
        let id = rehearsal.apns.faults.add(FaultRule(.connecting, fault, on: .nth(1)))
        let provider = TestProvider()
        _ = try await provider.connect(
            rehearsal.connector, to: rehearsal.endpoint, trusting: rehearsal.apns.credentials,
            certificate: certificate, serverName: rehearsal.endpoint.host)
        try #require(
            await provider.wait { sightings in
                sightings.contains {
                    switch $0 {
                    case .closed, .failed: true
                    default: false
                    }
                }
            })
        #expect(rehearsal.apns.faults.count(of: id) == 1)
        #expect(rehearsal.apns.faults.firings.map(\.connection.number) == [1])
        #expect(await rehearsal.apns.ledger.wait { $0.openConnections == 0 && $0.faults == 1 })
        let other = try await rehearsal.provider(certificate: certificate)
        other.push(rehearsal.headers())
        #expect(await other.waitForResponses(1))
        return provider.sightings.lazy.compactMap {
            switch $0 {
            case .closed(let error): error
            case .failed(let error): error
            default: nil
            }
        }.first
    }

    @Test(
        arguments: Rehearsal.Stage.allCases,
        [
            (TLSFault.expiredCertificate, TransportError.Code.certificateExpired), (.wrongHost, .wrongHost),
            (.untrustedAuthority, .untrustedIssuer), (.noALPN, .noHTTP2),
        ])
    func tlsIsNotWhatItShouldBe(
        _ stage: Rehearsal.Stage, _ expected: (fault: TLSFault, code: TransportError.Code)
    ) async throws {
        let error = try await meet(.tls(expected.fault), stage)
        #expect(error?.layer == .tls)
        #expect(error?.code == expected.code)
    }

    @Test func theWrongProtocolIsChosen() async throws {
        #expect(try await meet(.tls(.http1))?.layer == .tls)
    }

    @Test(arguments: Rehearsal.Stage.allCases)
    func aClientCertificateIsRefusedWithAnAlert(_ stage: Rehearsal.Stage) async throws {
        #expect(try await meet(.tls(.refusedClientCertificate), stage, certificate: true)?.code == .certificateRefused)
    }

    @Test func aProviderWithoutACertificateIsServedNonetheless() async throws {
        let rehearsal = try Rehearsal()
        rehearsal.apns.faults.add(FaultRule(.connecting, .tls(.refusedClientCertificate)))
        let provider = try await rehearsal.provider()
        provider.push(rehearsal.headers())
        #expect(await provider.waitForResponses(1))
    }

    @Test(arguments: Rehearsal.Stage.allCases)
    func plainTextComesInPlaceOfTLS(_ stage: Rehearsal.Stage) async throws {
        #expect(try await meet(.plainText, stage)?.code == .protocolViolation)
    }

    @Test(arguments: Rehearsal.Stage.allCases)
    func aConnectionIsTurnedAwayWithFIN(_ stage: Rehearsal.Stage) async throws {
        let error = try await meet(.cut(.finish), stage)
        #expect(error?.code == .closedInHandshake || error?.layer == .socket)
    }

    @Test func connectionsAreRefusedForATime() async throws {
        let time = ManualTime()
        let rehearsal = try Rehearsal { $0.time = time }
        rehearsal.apns.faults.add(
            FaultRule(.connecting, .cut(.reset), between: .seconds(10)..<(.seconds(20)), name: "closed"))
        _ = try await rehearsal.provider()
        time.advance(by: .seconds(10))
        let refused = TestProvider()
        #expect(
            try await !refused.connect(
                rehearsal.connector, to: rehearsal.endpoint, trusting: rehearsal.apns.credentials))
        time.advance(by: .seconds(10))
        _ = try await rehearsal.provider()
        #expect(rehearsal.apns.faults.count(named: "closed") == 1)
    }

    @Test(arguments: Rehearsal.Stage.allCases)
    func theHandshakeBeginsLate(_ stage: Rehearsal.Stage) async throws {
        let time = ManualTime()
        let rehearsal = try Rehearsal(stage) { $0.time = time }
        rehearsal.apns.faults.add(FaultRule(.connecting, .delayHandshake(.seconds(7))))
        async let provider = rehearsal.provider()
        let due = time.now.advanced(by: .seconds(7))
        #expect(await time.waitUntilArmed(by: due) == due)
        #expect(rehearsal.apns.ledger.snapshot.handshakes == 0)
        time.advance(by: .seconds(7))
        let late = try await provider
        late.push(rehearsal.headers())
        #expect(await late.waitForResponses(1))
    }

    @Test func theHandshakeComesAFewBytesAtATime() async throws {
        let time = ManualTime()
        let rehearsal = try Rehearsal { $0.time = time }
        rehearsal.apns.faults.add(
            FaultRule(.connecting, .dribbleHandshake(Dribble(bytes: 100, every: .seconds(1))), times: 1))
        let ticking = Task {
            while !Task.isCancelled, await time.waitUntilArmed() != nil { time.advance(by: .seconds(1)) }
        }
        let provider = try await rehearsal.provider()
        ticking.cancel()
        // A server's part is a certificate of some hundred bytes and more.
        #expect(time.now.nanoseconds >= 5_000_000_000)
        provider.push(rehearsal.headers())
        #expect(await provider.waitForResponses(1))
    }

    @Test func aConnectionIsAcceptedAndNotAnswered() async throws {
        let rehearsal = try Rehearsal()
        rehearsal.apns.faults.add(FaultRule(.connecting, .deafen, on: .nth(1)))
        let ignored = TestProvider()
        async let isUp = ignored.connect(
            rehearsal.connector, to: rehearsal.endpoint, trusting: rehearsal.apns.credentials)
        try #require(await rehearsal.apns.ledger.wait(within: .seconds(120)) { $0.openConnections == 1 })
        _ = try await rehearsal.provider()
        #expect(await rehearsal.apns.ledger.wait { $0.handshakes == 1 })
        await rehearsal.apns.cutConnections()
        #expect(try await !isUp)
    }

    @Test func credentialsFromAnOlderDirectoryHaveNoAuthorityKeyAndSaySo() throws {
        let directory = try TemporaryDirectory()
        let files = try ThrowAwayCredentials().write(to: directory.path)
        _ = try ThrowAwayCredentials(directory: directory.path)
        directory.delete(files.authorityKey)
        var configuration = SimulatedAPNs.Configuration()
        configuration.credentials = try ThrowAwayCredentials(directory: directory.path)
        _ = try SimulatedAPNs(configuration)
        configuration.script = FaultScript(rules: [FaultRule(.connecting, .tls(.wrongHost))])
        #expect {
            _ = try SimulatedAPNs(configuration)
        } throws: { error in
            (error as? SimulatorError)?.code == .invalidCredential
        }
    }
}
