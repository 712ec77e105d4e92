import ProcessRuntime
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// Credentials that APNs refuses from the first push on, where the configuration gives up then: the connection ends, everybody is told
/// once, the name is free.
@Suite(.timeLimit(.minutes(5))) struct RefusedFromTheStartStories {
    /// Connects, pushes `count` times and waits for all outcomes; then what the owner heard is over.
    private func pushInVain(
        _ stage: Rehearsal, _ config: PushConnection.Configuration, count: Int
    ) async throws -> (OutcomeBook, [LifecycleMessage]) {
        let mailbox = Mailbox<LifecycleMessage>()
        // All are called before the server says a word, and with it the end.
        stage.apple.faults.add(FaultRule(.connecting, .delayHandshake(.seconds(1)), times: 1))
        try stage.runtime.connect(
            name: "orders", config: config.with { $0.retry.onRefusedCredential = .giveUp }, owner: mailbox)
        let book = OutcomeBook()
        for number in 0..<count {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(1)))
        stage.time?.advance(by: .seconds(1))
        await book.wait(for: count)
        return (book, await mailbox.throughTheEnd())
    }

    private func expectRefusal(
        _ messages: [LifecycleMessage], _ reason: RejectionReason?, _ layer: ErrorLayer, wasUp: Bool
    ) {
        var messages = messages[...]
        if wasUp, case .connectionUp? = messages.first { messages = messages.dropFirst() }
        guard messages.count == 2,
            case .down(_, .failure(let error as CredentialRefusal))? = messages.first,
            case .givenUp("orders")? = messages.last
        else { Issue.record("heard \(messages)"); return }
        #expect(error.reason == reason && error.layer == layer)
    }

    @Test("parity: E6, P7 – a certificate of the other environment ends the connection before the first push")
    func aCertificateOfTheOtherEnvironment() async throws {
        let credentials = try ThrowAwayCredentials(environments: [.development])
        let stage = try Rehearsal.inMemory { $0.credentials = credentials }
        let (book, messages) = try await pushInVain(stage, stage.certificateConfig, count: 50)
        #expect(book.summary == ["credential_refused not_sent": 50] && book.endedOnceEach)
        expectRefusal(messages, .badCertificateEnvironment, .http2, wasUp: false)
        #expect(stage.apple.ledger.snapshot.pushes == 0 && stage.apple.ledger.snapshot.connections == 1)

        // The name is free, and with a credential that is right it works.
        #expect(stage.runtime.pid(of: "orders") == nil)
        try stage.runtime.connect(name: "orders", config: stage.config)
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token()).isAccepted)
        await stage.end()
    }

    @Test(arguments: [SimulatedAPNs.UntrustedCertificate.alert, .goAway])
    func aCertificateThatIsNotTrusted(how: SimulatedAPNs.UntrustedCertificate) async throws {
        let stranger = try ThrowAwayCredentials()
        let stage = try Rehearsal.inMemory { $0.untrustedCertificate = how }
        let config = stage.config.with {
            $0.credential = .certificate(
                .pem(stranger.providerCertificatePEM), privateKey: .pem(stranger.providerKeyPEM))
        }
        let (book, messages) = try await pushInVain(stage, config, count: 20)
        #expect(book.summary == ["credential_refused not_sent": 20])
        #expect(book.endedOnceEach)
        switch how {
        case .alert: expectRefusal(messages, nil, .tls, wasUp: false)
        case .goAway: expectRefusal(messages, .badCertificate, .http2, wasUp: false)
        }
        #expect(stage.apple.ledger.snapshot.pushes == 0 && stage.apple.ledger.snapshot.connections == 1)
        await stage.end()
    }

    @Test func aKeyThatIsNotTheTeams() async throws {
        let stranger = try ThrowAwayCredentials()
        let stage = try Rehearsal.inMemory()
        let config = stage.config.with {
            $0.credential = .token(
                key: .pem(stranger.signingKeyPEM), keyID: stage.apple.credentials.keyID,
                teamID: stage.apple.credentials.teamID)
        }
        let (book, messages) = try await pushInVain(stage, config, count: 50)
        // APNs allows one push at a time until a token was accepted: three tell that it never will be.
        #expect(book.summary == ["rejected": 3, "credential_refused not_sent": 47] && book.endedOnceEach)
        expectRefusal(messages, .invalidProviderToken, .apns, wasUp: true)
        #expect(stage.apple.ledger.snapshot.refusals == [.invalidProviderToken: 3])
        await stage.end()
    }

    @Test func thousandsInFlightWithACertificateKeepTheirAnswers() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.faults.add(FaultRule(.push, .refuse(.badCertificate)))
        let (book, messages) = try await pushInVain(stage, stage.certificateConfig, count: 2_000)
        let sent = stage.apple.ledger.snapshot.pushes
        #expect(sent >= 3 && sent < 2_000)
        #expect(book.summary == ["rejected": sent, "credential_refused not_sent": 2_000 - sent] && book.endedOnceEach)
        expectRefusal(messages, .badCertificate, .apns, wasUp: true)
        await stage.end()
    }

    @Test func whoWaitsForTheLinkIsToldAtOnce() async throws {
        let credentials = try ThrowAwayCredentials(environments: [.development])
        let stage = try Rehearsal.inMemory { $0.credentials = credentials }
        let connection = try stage.runtime.connect(config: stage.certificateConfig)
        let error = await #expect(throws: NotUpError.self) { try await connection.waitUntilUp() }
        // The connection may have ended before the wait began.
        #expect(error?.code == .credentialRefused || error?.code == .ended)
        #expect(error?.refusal != nil)
        await stage.end()
    }

    @Test func fireAndForgetPushesAreHandedBack() async throws {
        let credentials = try ThrowAwayCredentials(environments: [.development])
        let stage = try Rehearsal.inMemory { $0.credentials = credentials }
        let mailbox = Mailbox<LifecycleMessage>()
        stage.apple.mute()
        try stage.runtime.connect(
            name: "orders", config: stage.certificateConfig.with { $0.retry.onRefusedCredential = .giveUp },
            owner: mailbox)
        for number in 0..<10 {
            try stage.runtime.send(name: "orders", Samples.flight, to: Samples.token(number), context: number)
        }
        stage.apple.unmute()
        var returned: [Int] = []
        for message in await mailbox.throughTheEnd() {
            if case .handedBack(_, "orders", let handBack) = message {
                returned += handBack.notSent.compactMap { $0.context as? Int }
                #expect(handBack.unprocessed.isEmpty && handBack.unknown.isEmpty)
            }
        }
        #expect(returned == Array(0..<10))
        await stage.end()
    }
}

/// Credentials that APNs takes first and refuses later: the connection is suspended, tries again in a while, and recovers.
@Suite(.timeLimit(.minutes(5))) struct SuspendedStories {
    private static let refusing = GoAway(reason: "BadCertificateEnvironment", ending: .whenAnswered)

    /// A connection that had a push accepted, then was told by GOAWAY that its credential is refused.
    private func suspended(
        certificate: Bool = true
    ) async throws -> (Rehearsal, Mailbox<LifecycleMessage>) {
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        let config = certificate ? stage.certificateConfig : stage.config
        try stage.runtime.connect(
            name: "orders", config: config.with { $0.retry.probeCeiling = .seconds(15) }, owner: mailbox)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        guard case .connectionUp(_, "orders", 1)? = await mailbox.receive() else {
            Issue.record("not up"); return (stage, mailbox)
        }
        let reason = certificate ? "BadCertificateEnvironment" : "InvalidProviderToken"
        stage.apple.goAway(GoAway(reason: reason))
        let message = await mailbox.receive()
        guard case .suspended(_, "orders", let refusal, .seconds(1))? = message else {
            Issue.record("heard \(message)")
            return (stage, mailbox)
        }
        #expect(refusal.reason?.rawValue == reason)
        return (stage, mailbox)
    }

    private func push(_ stage: Rehearsal, _ number: Int) async -> Result<PushResponse, PushError> {
        let book = OutcomeBook()
        stage.runtime.push(
            name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        await book.wait(for: 1)
        return book.outcomes(number)[0]
    }

    private func expectRefused(_ stage: Rehearsal, _ number: Int) async {
        let outcome = await push(stage, number)
        guard case .failure(let error) = outcome else { Issue.record("\(outcome)"); return }
        #expect(error.code == .credentialRefused && error.certainty == .notSent && error.layer == .apns)
    }

    @Test(
        "parity: P7 – after the first accepted push: suspended, a probe after a second, and back",
        arguments: [true, false])
    func aSuspendedConnectionRecovers(certificate: Bool) async throws {
        let (stage, mailbox) = try await suspended(certificate: certificate)
        let later = Mailbox<LifecycleMessage>()
        try stage.runtime.subscribe(name: "orders", later)
        guard case .current(.suspended, _, 1)? = await later.receive() else { Issue.record("not current"); return }
        for number in 0..<10 { await expectRefused(stage, number) }
        #expect(stage.apple.ledger.snapshot.connections == 1)

        stage.time?.advance(by: .seconds(1))
        let outcome = await push(stage, 100)
        #expect(try outcome.get().isAccepted)
        guard case .connectionUp(_, "orders", 2)? = await mailbox.receive() else { Issue.record("not up"); return }
        guard case .connectionUp(_, "orders", 2)? = await later.receive() else { Issue.record("not up"); return }
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(101)).isAccepted)
        #expect(stage.apple.ledger.snapshot.connections == 2 && stage.apple.ledger.snapshot.accepted == 3)
        #expect(mailbox.count == 0)
        await stage.end()
    }

    @Test(
        "parity: P7, F12 – the same credential given again ends the suspension, before the pause is over",
        arguments: [true, false], [true, false])
    func theSameCredentialGivenAgainEndsTheSuspension(certificate: Bool, reloads: Bool) async throws {
        let (stage, mailbox) = try await suspended(certificate: certificate)
        await expectRefused(stage, 0)
        let same = (certificate ? stage.certificateConfig : stage.config).credential
        if reloads {
            try await stage.runtime.connection(named: "orders").reloadCredential()
        } else {
            try await stage.runtime.connection(named: "orders").replaceCredential(with: same)
        }
        #expect(try await push(stage, 1).get().isAccepted)
        guard case .connectionUp(_, "orders", 2)? = await mailbox.receive() else { Issue.record("not up"); return }
        // Up again, it is in use: once more it changes nothing.
        try await stage.runtime.connection(named: "orders").replaceCredential(with: same)
        #expect(try await push(stage, 2).get().isAccepted)
        #expect(stage.apple.ledger.snapshot.connections == 2 && mailbox.count == 0)
        await stage.end()
    }

    @Test func eachRefusedProbeDoublesThePauseAndIsToldOnce() async throws {
        let (stage, mailbox) = try await suspended()
        stage.apple.faults.add(FaultRule(.connected, .goAway(Self.refusing)))
        var pause = 1
        for (number, next) in [(0, 2), (1, 4), (2, 8), (3, 15), (4, 15)] {
            stage.time?.advance(by: .milliseconds(pause * 1_000 - 1))
            await expectRefused(stage, number * 100)
            #expect(stage.apple.ledger.snapshot.connections == number + 1)
            stage.time?.advance(by: .milliseconds(1))
            let outcome = await push(stage, number)
            guard case .failure(let error) = outcome else { Issue.record("\(outcome)"); return }
            #expect(error.code == .credentialRefused)
            #expect(stage.apple.ledger.snapshot.connections == number + 2)
            let message = await mailbox.receive()
            guard case .suspended(_, _, _, .seconds(next))? = message else { Issue.record("\(message)"); return }
            pause = next
        }
        stage.apple.faults.removeAll()
        stage.time?.advance(by: .seconds(900))
        #expect(try await push(stage, 77).get().isAccepted)
        await stage.end()
    }

    @Test("parity: P7 – a name survives a credential that is refused before the first accepted push")
    func aNameSurvivesARefusedCredential() async throws {
        let stranger = try ThrowAwayCredentials()
        let stage = try Rehearsal.inMemory()
        let credentials = stage.apple.credentials
        func config(_ key: String) -> Credential {
            .token(key: .pem(key), keyID: credentials.keyID, teamID: credentials.teamID)
        }
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(
            name: "orders", config: stage.config.with { $0.credential = config(stranger.signingKeyPEM) }, owner: mailbox
        )
        let book = OutcomeBook()
        for number in 0..<50 {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
        await book.wait(for: 50)
        #expect(book.summary == ["rejected": 3, "credential_refused not_sent": 47] && book.endedOnceEach)
        let told = await mailbox.receive { if case .suspended = $0 { true } else { false } }
        guard case .suspended(_, "orders", let cause, .seconds(1))? = told else { Issue.record("\(told)"); return }
        // The name stays, and says why.
        #expect(try stage.runtime.connection(named: "orders").status.phase == .suspended)
        #expect(try !stage.runtime.connection(named: "orders").flightRecord().entries.isEmpty)
        let outcome = await push(stage, 51)
        guard case .failure(let error) = outcome else { Issue.record("\(outcome)"); return }
        #expect(error.code == .credentialRefused && error.description.contains(cause.description))
        // Another credential brings it back, without a probe.
        try await stage.runtime.connection(named: "orders").replaceCredential(with: config(credentials.signingKeyPEM))
        #expect(try await push(stage, 52).get().isAccepted)
        #expect(stage.apple.ledger.snapshot.refusals == [.invalidProviderToken: 3])
        await stage.end()
    }

    @Test func whatWaitsIsAnsweredAndWhatFliesMayFinish() async throws {
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(
            name: "orders", config: stage.certificateConfig.with { $0.limits.maxInFlight = 40 }, owner: mailbox)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        for number in 0..<100 {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(number), completion: book.completion(number))
        }
        #expect(await stage.apple.ledger.wait { $0.pushes == 41 })
        // Streams 3, 5 … 61 belong to the first thirty.
        stage.apple.goAway(GoAway(reason: "BadCertificate", lastStream: .exactly(61)))
        await book.wait(for: 70)
        #expect(book.summary == ["credential_refused not_sent": 60, "credential_refused unprocessed": 10])
        stage.apple.releaseAnswers()
        await book.wait(for: 100)
        #expect(
            book.summary == ["accepted": 30, "credential_refused not_sent": 60, "credential_refused unprocessed": 10]
                && book.endedOnceEach)
        await stage.end()
    }

    @Test func aSuccessorOfAKilledProcessRemembersThatTheCredentialWasAccepted() async throws {
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        let pid = try #require(
            try stage.runtime.connect(name: "orders", config: stage.certificateConfig, owner: mailbox).pid)
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token())
        stage.apple.faults.add(FaultRule(.connected, .goAway(Self.refusing)))
        stage.runtime.kill(pid)
        let message = await mailbox.receive { if case .suspended = $0 { true } else { false } }
        guard case .suspended(let successor, "orders", _, _)? = message else { Issue.record("\(message)"); return }
        #expect(successor != pid && stage.runtime.pid(of: "orders") == successor)
        await stage.end()
    }

    @Test func aSuspendedConnectionRefusesAtTheCallAndClosesCleanly() async throws {
        let (stage, mailbox) = try await suspended()
        for number in 0..<3 {
            let error = #expect(throws: PushError.self) {
                try stage.runtime.send(name: "orders", Samples.flight, to: Samples.token(number))
            }
            #expect(error?.code == .credentialRefused && error?.certainty == .notSent)
        }
        let handBack = try await stage.runtime.close(name: "orders")
        #expect(handBack.isEmpty)
        guard case .down(_, .normal)? = await mailbox.receive() else { Issue.record("not down"); return }
        #expect(mailbox.count == 0 && stage.runtime.pid(of: "orders") == nil)
        await stage.end()
    }

    @Test func oneBrokenTenantAmongManyChangesNothingForTheOthers() async throws {
        let stranger = try ThrowAwayCredentials()
        let stage = try Rehearsal.inMemory()
        let tenants = 200
        let broken = 77
        let wrong = Credential.token(
            key: .pem(stranger.signingKeyPEM), keyID: stage.apple.credentials.keyID,
            teamID: stage.apple.credentials.teamID)
        let config = stage.patientConfig
        let mailbox = Mailbox<LifecycleMessage>(limit: 10_000)
        for tenant in 0..<tenants {
            try stage.runtime.connect(
                name: "tenant-\(tenant)", config: tenant == broken ? config.with { $0.credential = wrong } : config,
                owner: mailbox)
        }
        let book = OutcomeBook()
        for number in 0..<tenants * 10 {
            stage.runtime.push(
                name: "tenant-\(number % tenants)", Samples.flight, to: Samples.token(number),
                completion: book.completion(number))
        }
        await book.wait(for: tenants * 10)
        #expect(
            book.summary == ["accepted": (tenants - 1) * 10, "rejected": 3, "credential_refused not_sent": 7]
                && book.endedOnceEach)
        // Each came up once, and one is suspended.
        var up = 0
        var others: [LifecycleMessage] = []
        while others.isEmpty || up < tenants {
            guard let message = await mailbox.receive() else { break }
            if case .connectionUp(_, _, 1) = message { up += 1 } else { others.append(message) }
        }
        guard others.count == 1, case .suspended(_, "tenant-77", let refusal, _) = others[0] else {
            Issue.record("heard \(others)")
            return
        }
        #expect(refusal.reason == .invalidProviderToken)
        #expect(stage.runtime.names.count == tenants)
        #expect(stage.apple.ledger.snapshot.connections == tenants)
        await stage.end()
    }
}

extension Mailbox<LifecycleMessage> {
    /// Everything up to and with `givenUp`.
    fileprivate func throughTheEnd() async -> [LifecycleMessage] {
        var messages: [LifecycleMessage] = []
        for await message in self {
            messages.append(message)
            if case .givenUp = message { break }
        }
        return messages
    }
}
