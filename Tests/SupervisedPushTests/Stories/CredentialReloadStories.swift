import Logging
import ProcessRuntime
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// Loaders that are polled, and credentials that are reloaded by a call.
@Suite("parity: F12 – credentials are reloaded", .timeLimit(.minutes(5)))
struct CredentialReloadStories {
    /// Certificate and key, as a store keeps them together.
    private func pem(_ credentials: ThrowAwayCredentials) -> String {
        credentials.providerCertificatePEM + credentials.providerKeyPEM
    }

    private func config(_ stage: Rehearsal, _ vault: Vault, _ reload: CredentialReload = .byCall)
        -> PushConnection.Configuration
    {
        stage.patientConfig.with {
            $0.credential = .certificate(.loader("vault") { try await vault.key() })
            $0.credentialReload = reload
        }
    }

    private func push(_ stage: Rehearsal, _ number: Int, on name: String = "orders") async throws -> Bool {
        try await stage.runtime.push(name: name, Samples.flight, to: Samples.token(number)).isAccepted
    }

    /// Lets intervals pass until the store has been asked so often, each once its poll is over: a load that is under way must
    /// not grow older than a minute.
    private func poll(_ stage: Rehearsal, _ vault: Vault, until calls: Int) async throws {
        let time = try #require(stage.time)
        await time.waitUntilArmed(by: time.now.advanced(by: .seconds(30)))
        let idle = time.armedCount
        while vault.calls < calls {
            let before = vault.calls
            await time.waitUntilArmed(by: time.now.advanced(by: .seconds(30)))
            time.advance(by: .seconds(30))
            // A poll is left out if the one before is not over yet, and a link that comes up has timers of its own.
            _ = await reaches(within: .seconds(1)) { vault.calls > before }
            _ = await reaches(within: .seconds(1)) { time.armedCount <= idle }
        }
    }

    private func failure(in mailbox: Mailbox<LifecycleMessage>) async -> ConnectError? {
        while let message = await mailbox.receive(timeout: .seconds(600)) {
            if case .credentialReloadFailed(_, _, let error) = message { return error }
        }
        return nil
    }

    @Test func aPolledLoaderIsAskedAndOnlyAnotherCredentialChangesAnything() async throws {
        let stage = try Rehearsal.inMemory()
        let vault = Vault([.success(pem(stage.apple.credentials))])
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: config(stage, vault, .every(.seconds(30))), owner: mailbox)
        #expect(try await push(stage, 0) && vault.calls == 1)
        try await poll(stage, vault, until: 6)
        #expect(try await push(stage, 1))
        #expect(stage.apple.ledger.snapshot.connections == 1)
        vault.answer(.success(try pem(stage.apple.credentials.renewed())))
        try await poll(stage, vault, until: vault.calls + 1)
        while let message = await mailbox.receive(timeout: .seconds(600)) {
            if case .connectionUp(_, _, 2) = message { break }
        }
        try await poll(stage, vault, until: vault.calls + 3)
        #expect(try await push(stage, 2))
        #expect(stage.apple.ledger.snapshot.connections == 2)
        await stage.end()
    }

    @Test func aPollThatFailsIsToldOnceForEachFailureAndChangesNothing() async throws {
        let stage = try Rehearsal.inMemory()
        let good = pem(stage.apple.credentials)
        let vault = Vault([.success(good)])
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: config(stage, vault, .every(.seconds(30))), owner: mailbox)
        #expect(try await push(stage, 0))
        vault.answer(.failure(Vault.Sealed()))
        try await poll(stage, vault, until: 5)
        let sealed = await failure(in: mailbox)
        #expect(sealed?.code == .credential && sealed?.description.contains("Sealed") == true)
        vault.answer(.success("rubbish"))
        try await poll(stage, vault, until: vault.calls + 4)
        // Not told in between: the store was sealed all the time.
        let unusable = await failure(in: mailbox)?.description ?? "none"
        #expect(unusable.contains("What was loaded can't be used."))
        #expect(try await push(stage, 1))
        #expect(stage.apple.ledger.snapshot.connections == 1)
        #expect(try stage.runtime.connection(named: "orders").status.phase == .up)
        await stage.end()
    }

    @Test func aPoolPollsOnceForAllItsConnections() async throws {
        let stage = try Rehearsal.inMemory()
        let time = try #require(stage.time)
        let vault = Vault([.success(pem(stage.apple.credentials))])
        try stage.runtime.connect(name: "bulk", size: 4, config: config(stage, vault, .every(.seconds(30))))
        for number in 0..<40 { #expect(try await push(stage, number, on: "bulk")) }
        let bulk = try stage.runtime.connection(named: "bulk")
        await until { bulk.members.count { $0.status.phase == .up } == 4 }
        #expect(vault.calls == 1 && stage.apple.ledger.snapshot.handshakes == 4)
        vault.answer(.success(try pem(stage.apple.credentials.renewed())))
        await time.waitUntilArmed(by: time.now.advanced(by: .seconds(30)))
        time.advance(by: .seconds(30))
        #expect(await stage.apple.ledger.wait { $0.handshakes == 8 })
        for number in 40..<80 { #expect(try await push(stage, number, on: "bulk")) }
        #expect(vault.calls == 2 && stage.apple.ledger.snapshot.connections == 8)
        await stage.end()
    }

    @Test func aCertificateForOtherTopicsIsTakenWithAWarning() async throws {
        let stage = try Rehearsal.inMemory()
        let vault = Vault([.success(pem(stage.apple.credentials))])
        let log = CapturedLog()
        let orders = try stage.runtime.connect(
            name: "orders", config: config(stage, vault).with { $0.watching.logger = log.logger(.warning) })
        #expect(try await push(stage, 0))
        func warnings() -> [String] { log.lines.filter { $0.contains("not for all topics") } }
        vault.answer(.success(try pem(stage.apple.credentials.renewed())))
        try await orders.reloadCredential()
        #expect(warnings().isEmpty, "a renewal has the same topics")
        vault.answer(.success(try pem(stage.apple.credentials.renewed(certificateTopic: "com.example.other"))))
        try await orders.reloadCredential()
        #expect(warnings().count == 1)
        #expect(warnings().first?.contains("com.example.app, ") == true, "\(log.lines)")
        #expect(warnings().first?.contains("com.example.other") == false)
        await stage.end()
    }

    @Test func aReloadThatIsSlowDoesNotPutTheOldCredentialBack() async throws {
        let stage = try Rehearsal.inMemory()
        let vault = Vault([.success(pem(stage.apple.credentials))])
        try stage.runtime.connect(name: "orders", config: config(stage, vault))
        #expect(try await push(stage, 0))
        vault.close()
        // It would differ from what is in use, before and after.
        vault.answer(.success(try pem(stage.apple.credentials.renewed())))
        let reload = Task { try await stage.runtime.connection(named: "orders").reloadCredential() }
        await until { vault.calls >= 2 }
        let renewed = try stage.apple.credentials.renewed()
        try await stage.runtime.connection(named: "orders").replaceCredential(with: .certificate(.pem(pem(renewed))))
        vault.open()
        try await reload.value
        #expect(try await push(stage, 1))
        #expect(try stage.runtime.connection(named: "orders").status.generation == 2)
        #expect(stage.apple.ledger.snapshot.connections == 2)
        await stage.end()
    }

    @Test func aLoaderThatBringsTheSameIsNotDialledWithAndOneThatFailsIsThrown() async throws {
        let stage = try Rehearsal.inMemory()
        let vault = Vault([.success(pem(stage.apple.credentials))])
        try stage.runtime.connect(name: "orders", config: config(stage, vault))
        #expect(try await push(stage, 0))
        try await stage.runtime.connection(named: "orders").reloadCredential()
        #expect(vault.calls == 2 && stage.apple.ledger.snapshot.connections == 1)
        vault.answer(.failure(Vault.Sealed()))
        let error = await #expect(throws: ConnectError.self) {
            try await stage.runtime.connection(named: "orders").reloadCredential()
        }
        #expect(error?.code == .credential)
        #expect(try await push(stage, 1))
        await stage.end()
    }

    @Test func aLoaderThatDoesNotAnswerEndsAReloadAfterAMinute() async throws {
        let stage = try Rehearsal.inMemory()
        let time = try #require(stage.time)
        let vault = Vault([.success(pem(stage.apple.credentials))])
        try stage.runtime.connect(name: "orders", config: config(stage, vault))
        #expect(try await push(stage, 0))
        vault.close()
        let reload = Task { try await stage.runtime.connection(named: "orders").reloadCredential() }
        await until { vault.calls >= 2 }
        time.advance(by: .seconds(60))
        let error = await #expect(throws: ConnectError.self) { try await reload.value }
        #expect(error?.description.contains("not loaded within 60 s") == true)
        #expect(try await push(stage, 1))
        vault.open()
        await stage.end()
    }

    @Test func allCredentialsAreReloadedAndThoseThatFailAreNamed() async throws {
        let stage = try Rehearsal.inMemory()
        let good = pem(stage.apple.credentials)
        let vaults = (0..<4).map { _ in Vault([.success(good)]) }
        try stage.runtime.connect(name: "orders", config: config(stage, vaults[0]))
        try stage.runtime.connect(name: "news", config: config(stage, vaults[1]))
        let anonymous = try #require(try stage.runtime.connect(config: config(stage, vaults[2])).pid)
        try stage.runtime.connect(name: "bulk", size: 2, config: config(stage, vaults[3]))
        for name in ["orders", "news", "bulk"] { try await stage.runtime.connection(named: name).waitUntilUp() }
        try await stage.runtime.connection(anonymous).waitUntilUp()
        #expect(await stage.apple.ledger.wait { $0.handshakes == 5 })
        #expect(vaults.map(\.calls) == [1, 1, 1, 1])

        let renewed = try pem(stage.apple.credentials.renewed())
        for (number, vault) in vaults.enumerated() {
            vault.answer(number == 1 ? .failure(Vault.Sealed()) : .success(renewed))
        }
        let failures = await stage.runtime.reloadCredentials()
        #expect(failures.count == 1)
        #expect(failures.first?.name == "news" && failures.first?.pid == stage.runtime.pid(of: "news"))
        #expect(failures.first?.error.description.contains("Sealed") == true)
        #expect(await stage.apple.ledger.wait { $0.handshakes == 9 })
        #expect(vaults.map(\.calls) == [2, 2, 2, 2])
        // How a connection stands is told at the end of a burst.
        _ = try await stage.runtime.push(anonymous, Samples.flight, to: Samples.token(0))
        #expect(try stage.runtime.connection(anonymous).status.generation == 2)
        #expect(try stage.runtime.connection(named: "news").status.generation == 1)
        await stage.end()
    }

    @Test func aPolledTokenSourceThatGivesTheSameTokenChangesNothingNotEvenItsAge() async throws {
        let stage = try Rehearsal.inMemory()
        let time = try #require(stage.time)
        let token = try stage.apple.credentials.providerToken(
            issuedAt: Date(unixMilliseconds: time.wallClockMilliseconds))
        let vault = Vault([.success(token)])
        let config = stage.patientConfig.with {
            $0.credential = .tokens(from: "signer") {
                try BearerToken(String(decoding: try await vault.key(), as: UTF8.self))
            }
            $0.credentialReload = .every(.seconds(30))
        }
        try stage.runtime.connect(name: "orders", config: config)
        #expect(try await push(stage, 0))
        try await poll(stage, vault, until: 5)
        #expect(try await push(stage, 1))
        #expect(stage.apple.ledger.snapshot.connections == 1)
        let age = try #require(stage.runtime.connection(named: "orders").status.tokenAge)
        #expect(age >= .seconds(4 * 30))
        await stage.end()
    }
}
