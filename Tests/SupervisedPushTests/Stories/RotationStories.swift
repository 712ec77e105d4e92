import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// Keys and certificates are replaced while pushes are in flight: none fails, none is sent twice.
@Suite("parity: F12 – hot rotation of credentials", .timeLimit(.minutes(5)))
struct RotationStories {
    /// A simulator that knows a second key of the team, and what belongs to it.
    private func stage() throws -> (Rehearsal, renewed: ThrowAwayCredentials) {
        let credentials = try ThrowAwayCredentials()
        let renewed = try credentials.renewed()
        let key = try renewed.signingKey()
        let stage = try Rehearsal.inMemory {
            $0.credentials = credentials
            $0.keys = [key]
        }
        return (stage, renewed)
    }

    private func key(_ credentials: ThrowAwayCredentials) -> Credential {
        .token(key: .pem(credentials.signingKeyPEM), keyID: credentials.keyID, teamID: credentials.teamID)
    }

    private func certificate(_ credentials: ThrowAwayCredentials) -> Credential {
        .certificate(.pem(credentials.providerCertificatePEM), privateKey: .pem(credentials.providerKeyPEM))
    }

    @Test(arguments: [false, true], [false, true])
    func aThousandInFlightDoNotNotice(fromCertificate: Bool, toCertificate: Bool) async throws {
        let (stage, renewed) = try stage()
        let config = stage.patientConfig.with {
            if fromCertificate { $0.credential = certificate(stage.apple.credentials) }
        }
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: config, owner: mailbox)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        func push(_ numbers: Range<Int>) {
            for number in numbers {
                stage.runtime.push(
                    name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
            }
        }
        push(0..<1_000)
        #expect(await stage.apple.ledger.wait { $0.pushes == 1_001 })
        // Some wait, beyond the limit of the old link.
        push(1_000..<1_050)
        try await stage.runtime.connection(named: "orders").replaceCredential(
            with: toCertificate ? certificate(renewed) : key(renewed))
        push(1_050..<1_100)
        stage.apple.releaseAnswers()
        await book.wait(for: 1_100)
        #expect(book.summary == ["accepted": 1_100] && book.endedOnceEach)
        let ledger = stage.apple.ledger
        #expect(ledger.snapshot.refusals.isEmpty && ledger.snapshot.pushes == 1_101)
        #expect(ledger.repeatedAPNSIDs == 0 && ledger.repeatedDeviceTokens == 0)
        #expect(ledger.snapshot.connections == 2)
        // What was in flight ended with the old credential, what came later bore the new one.
        let connections = Set(ledger.records.prefix(1_001).map(\.connection))
        #expect(connections.count == 1 && !ledger.records.suffix(100).contains { connections.contains($0.connection) })
        mailbox.close()
        let heard = await mailbox.reduce(into: []) { $0.append($1.word) }
        #expect(heard == ["connectionUp", "draining", "connectionUp"])
        await stage.end()
    }

    @Test func aPoolFollowsItsFirstConnection() async throws {
        let (stage, renewed) = try stage()
        let bulk = try stage.runtime.connect(name: "bulk", size: 4, config: stage.patientConfig)
        // One that still connects has one link, with the new credential.
        for member in bulk.members { try await member.waitUntilUp(timeout: .seconds(600)) }
        let book = OutcomeBook()
        func push(_ numbers: Range<Int>) async {
            for number in numbers {
                stage.runtime.push(
                    name: "bulk", Samples.flight, to: Samples.token(number), completion: book.completion(number))
            }
            await book.wait(for: numbers.upperBound)
        }
        await push(0..<400)
        try await bulk.replaceCredential(with: key(renewed))
        await push(400..<800)
        #expect(await stage.apple.ledger.wait { $0.handshakes == 8 })
        let before = stage.apple.ledger.records.count
        // All are at their second link.
        await until { bulk.members.allSatisfy { $0.status.generation >= 2 } }
        await push(800..<1_200)
        #expect(book.summary == ["accepted": 1_200] && book.endedOnceEach)
        #expect(Set(stage.apple.ledger.records[before...].map(\.providerToken)) == [2])
        #expect(stage.apple.ledger.snapshot.refusals.isEmpty && stage.apple.ledger.repeatedAPNSIDs == 0)
        await stage.end()
    }

    @Test(arguments: [SimulatedAPNs.UntrustedCertificate.alert, .goAway])
    func aCertificateThatApnsRefusesIsGivenBack(how: SimulatedAPNs.UntrustedCertificate) async throws {
        let stage = try Rehearsal.inMemory { $0.untrustedCertificate = how }
        try stage.runtime.connect(name: "orders", config: stage.certificateConfig)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(1))
        let stranger = try ThrowAwayCredentials()
        let error = await #expect(throws: ConnectError.self) {
            try await stage.runtime.connection(named: "orders").replaceCredential(with: certificate(stranger))
        }
        #expect(error?.code == .replacement && error?.description.contains("stays in use") == true)
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(2)).isAccepted)
        #expect(try stage.runtime.connection(named: "orders").status.generation == 1)
        await stage.end()
    }

    @Test func aKeyThatApnsDoesNotKnowSuspendsAndAGoodOneEndsThat() async throws {
        let (stage, renewed) = try stage()
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig, owner: mailbox)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(0))
        try await stage.runtime.connection(named: "orders").replaceCredential(with: key(ThrowAwayCredentials()))
        for number in 1...3 {
            let answer = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(number))
            #expect(answer.reason == .invalidProviderToken)
        }
        let error = await #expect(throws: PushError.self) {
            try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(4))
        }
        #expect(error?.code == .credentialRefused && error?.certainty == .notSent)
        try await stage.runtime.connection(named: "orders").replaceCredential(with: key(renewed))
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(5)).isAccepted)
        #expect(try stage.runtime.connection(named: "orders").providerToken()?.keyID == renewed.keyID)
        await stage.end()
    }

    @Test func trustRootsAreReplacedAloneAndGivenBackIfTheServerIsNotTrusted() async throws {
        let (stage, _) = try stage()
        try stage.runtime.connect(name: "orders", config: stage.config)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(0))
        let stranger = try ThrowAwayCredentials().authorityPEM
        let same = key(stage.apple.credentials)
        let error = await #expect(throws: ConnectError.self) {
            try await stage.runtime.connection(named: "orders").replaceCredential(with: same, trust: .pem(stranger))
        }
        #expect(error?.code == .replacement)
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(1)).isAccepted)
        let both = TrustRoots.pem(stranger).adding(.pem(stage.apple.credentials.authorityPEM))
        try await stage.runtime.connection(named: "orders").replaceCredential(with: same, trust: both)
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(2)).isAccepted)
        #expect(try stage.runtime.connection(named: "orders").status.generation == 2)
        #expect(stage.apple.ledger.snapshot.refusals.isEmpty)
        await stage.end()
    }

    @Test func theSameCredentialAgainChangesNothing() async throws {
        let (stage, _) = try stage()
        try stage.runtime.connect(name: "orders", config: stage.config)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(0))
        try await stage.runtime.connection(named: "orders").replaceCredential(with: key(stage.apple.credentials))
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(1))
        #expect(stage.apple.ledger.snapshot.connections == 1)
        await stage.end()
    }

    @Test func whatCannotBeReadOrFoundIsToldBeforeAnyNetwork() async throws {
        let (stage, renewed) = try stage()
        try stage.runtime.connect(name: "orders", config: stage.config)
        let unreadable = await #expect(throws: ConnectError.self) {
            try await stage.runtime.connection(named: "orders").replaceCredential(
                with: .token(key: .file("/nowhere/AuthKey_ABC123DEFG.p8"), teamID: "DEF123GHIJ"))
        }
        #expect(unreadable?.code == .credential)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(0))
        #expect(stage.apple.ledger.snapshot.connections == 1)
        let orders = try stage.runtime.connection(named: "orders")
        await orders.close()
        let ended = await #expect(throws: ConnectError.self) { try await orders.replaceCredential(with: key(renewed)) }
        #expect(ended?.code == .notFound)
        await stage.end()
    }
}
