import ProcessRuntime
import PushSimulator
import PushTransport
import SupervisedPush
import TestSupport
import Testing

/// Keys that a secret store hands out while the connection dials.
@Suite("parity: E4 – a key from an async loader", .timeLimit(.minutes(5)))
struct CredentialLoaderStories {
    private func config(_ stage: Rehearsal, _ vault: Vault) -> PushConnection.Configuration {
        let credentials = stage.apple.credentials
        return stage.patientConfig.with {
            $0.credential = .token(
                key: .loader("vault") { try await vault.key() }, keyID: credentials.keyID, teamID: credentials.teamID)
        }
    }

    @Test func pushesWaitForTheKeyAndAPoolLoadsItOnce() async throws {
        let stage = try Rehearsal.inMemory()
        let vault = Vault([.success(stage.apple.credentials.signingKeyPEM)], isSlow: true)
        try stage.runtime.connect(name: "bulk", size: 4, config: config(stage, vault))
        let book = OutcomeBook()
        for number in 0..<100 {
            stage.runtime.push(
                name: "bulk", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
        vault.open()
        await book.wait(for: 100)
        #expect(book.summary == ["accepted": 100] && book.endedOnceEach && vault.calls == 1)
        #expect(await stage.apple.ledger.wait { $0.handshakes == 4 })
        #expect(try stage.runtime.connection(named: "bulk").providerToken()?.keyID == stage.apple.credentials.keyID)
        await stage.end()
    }

    @Test func aStoreThatFailsIsAnOutageAndPushesWait() async throws {
        let stage = try Rehearsal.inMemory()
        let time = try #require(stage.time)
        // It is down, then brings what is no key, then works.
        let vault = Vault([
            .failure(Vault.Sealed()), .success("rubbish"), .success(stage.apple.credentials.signingKeyPEM),
        ])
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: config(stage, vault), owner: mailbox)
        let book = OutcomeBook()
        for number in 0..<20 {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
        var causes: [LinkFailure] = []
        var heard: [String] = []
        while heard.last != "connectionUp", let message = await mailbox.receive() {
            heard.append(message.word)
            guard case .reconnecting(_, "orders", let attempt, let delay, let cause) = message else { continue }
            #expect(attempt == causes.count + 1)
            causes.append(cause)
            await time.waitUntilArmed(by: time.now.advanced(by: delay))
            time.advance(by: delay)
        }
        await book.wait(for: 20)
        #expect(book.summary == ["accepted": 20] && book.endedOnceEach && vault.calls == 3)
        #expect(heard == ["reconnecting", "reconnecting", "connectionUp"])
        #expect(causes.map(\.layer) == [.credential, .credential])
        #expect(causes.first?.description.contains("loaded from vault: Sealed") == true)
        #expect(causes.last?.description.contains("What was loaded can't be used.") == true)
        #expect(try stage.runtime.connection(named: "orders").status.counters.suspensions == 0)
        await stage.end()
    }

    @Test func aStoreThatHangsIsNotAskedTwice() async throws {
        let stage = try Rehearsal.inMemory()
        let time = try #require(stage.time)
        let vault = Vault([.success(stage.apple.credentials.signingKeyPEM)], isSlow: true)
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: config(stage, vault), owner: mailbox)
        await time.waitUntilArmed(by: time.now.advanced(by: .seconds(15)))
        time.advance(by: .seconds(15))
        while let message = await mailbox.receive() {
            guard case .reconnecting(_, _, 1, _, let cause) = message else { continue }
            #expect(cause.layer == .credential && cause.description.contains("loader"))
            break
        }
        await time.waitUntilArmed(by: time.now.advanced(by: .seconds(1)))
        time.advance(by: .seconds(1))
        vault.open()
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(1)).isAccepted)
        #expect(vault.calls == 1)
        await stage.end()
    }

    @Test func aKeyThatApnsRefusesIsLoadedAgainByTheProbe() async throws {
        let stage = try Rehearsal.inMemory()
        let credentials = stage.apple.credentials
        let wrong = try ThrowAwayCredentials().signingKeyPEM
        let vault = Vault([.success(credentials.signingKeyPEM), .success(wrong), .success(credentials.signingKeyPEM)])
        try stage.runtime.connect(name: "orders", config: config(stage, vault))
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(0)).isAccepted)
        // The store has another key by now, which is not the team's.
        try await stage.runtime.connection(named: "orders").reloadCredential()
        for number in 1...3 {
            let answer = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(number))
            #expect(answer.reason == .invalidProviderToken)
        }
        await #expect(throws: PushError.self) {
            try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(4))
        }
        stage.time?.advance(by: .seconds(60))
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(5)).isAccepted)
        #expect(vault.calls == 3)
        await stage.end()
    }

    @Test func topicsOfALoadedCertificateCount() async throws {
        let stage = try Rehearsal.inMemory()
        let credentials = stage.apple.credentials
        let vault = Vault([.success(credentials.providerCertificatePEM)])
        let config = stage.patientConfig.with {
            $0.credential = .certificate(
                .loader("vault") { try await vault.key() }, privateKey: .pem(credentials.providerKeyPEM))
            $0.defaults.topic = nil
        }
        try stage.runtime.connect(name: "orders", config: config)
        try await stage.runtime.connection(named: "orders").waitUntilUp()
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(1)).isAccepted)
        var foreign = Samples.flight
        foreign.topic = "com.example.other"
        let error = await #expect(throws: PushError.self) {
            try await stage.runtime.push(name: "orders", foreign, to: Samples.token(2))
        }
        #expect(error?.code == .invalidRequest && error?.certainty == .notSent)
        #expect(stage.apple.ledger.snapshot.pushes == 1)
        await stage.end()
    }

    @Test("parity: F12 – a pool's connections come up once each with a loaded credential")
    func aPoolTakesALoadedCredentialOnce() async throws {
        let stage = try Rehearsal.inMemory()
        let time = try #require(stage.time)
        let credentials = stage.apple.credentials
        let certificate = Array(credentials.providerCertificatePEM.utf8)
        let key = Array(credentials.providerKeyPEM.utf8)
        let end = Date(unixSeconds: try Identity(certificate: certificate, key: key).notAfter)
        time.setWallClock(milliseconds: (end.unixSeconds - 5 * 86_400) * 1_000)
        let mailbox = Mailbox<LifecycleMessage>(limit: 1_000)
        try stage.runtime.connect(name: "bulk", size: 3, config: stage.patientConfig, owner: mailbox)
        try await reach(stage) { $0.allSatisfy { $0.phase == .up } }

        let vault = Vault([.success(credentials.providerCertificatePEM)])
        try await stage.runtime.connection(named: "bulk").replaceCredential(
            with: .certificate(.loader("vault") { try await vault.key() }, privateKey: .bytes(key)))
        try await reach(stage) { $0.allSatisfy { $0.phase == .up && $0.generation >= 2 } }
        for number in 0..<30 {
            let answer = try await stage.runtime.push(name: "bulk", Samples.flight, to: Samples.token(number))
            #expect(answer.isAccepted)
        }
        #expect(try stage.runtime.connection(named: "bulk").members.map(\.status).map(\.generation) == [2, 2, 2])
        #expect(vault.calls == 1 && stage.apple.ledger.snapshot.connections == 6)
        let warning = await mailbox.receive(timeout: .seconds(120)) {
            if case .credentialExpiring(_, "bulk", end) = $0 { true } else { false }
        }
        #expect(warning != nil)
        await stage.end()
    }

    /// Asks again until the pool's connections are so, for what no event announces.
    private func reach(_ stage: Rehearsal, _ condition: ([ConnectionStatus]) -> Bool) async throws {
        try await until { try condition(stage.runtime.connection(named: "bulk").members.map(\.status)) }
    }

    @Test func whatIsWrongBeforeAnyLoadIsToldByConnect() throws {
        let stage = try Rehearsal.inMemory()
        let credential = Credential.token(key: .loader("vault") { [] }, keyID: "short", teamID: "DEF123GHIJ")
        #expect(throws: ConnectError.self) {
            try stage.runtime.connect(name: "orders", config: stage.config.with { $0.credential = credential })
        }
        #expect("\(credential)".contains("loaded from vault"))
    }
}
