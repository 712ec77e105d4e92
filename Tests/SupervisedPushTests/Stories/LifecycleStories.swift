import ProcessRuntime
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct LifecycleStories {
    @Test("parity: E14, G1 – the owner is subscribed before the dial, and hears why the connection ended")
    func theOwnerHearsEverything() async throws {
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        let pid = try #require(try stage.runtime.connect(name: "orders", config: stage.config, owner: mailbox).pid)
        guard case .connectionUp(pid, "orders", 1)? = await mailbox.receive() else { Issue.record("not up"); return }
        try await stage.runtime.close(name: "orders")
        guard case .down(pid, .normal)? = await mailbox.receive() else { Issue.record("not down"); return }
        #expect(mailbox.count == 0)
        await stage.end()
    }

    @Test func aLaterSubscriberFirstHearsWhereTheConnectionStands() async throws {
        let stage = try Rehearsal.inMemory()
        let pid = try #require(try stage.runtime.connect(name: "orders", config: stage.config).pid)
        try await stage.runtime.connection(named: "orders").waitUntilUp()
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.subscribe(name: "orders", mailbox)
        guard case .current(.up, pid, 1)? = await mailbox.receive() else { Issue.record("not current"); return }
        let byPid = Mailbox<LifecycleMessage>()
        try stage.runtime.connection(pid).subscribe(byPid)
        #expect(byPid.count == 1)
        #expect(throws: LookupError.self) { try stage.runtime.subscribe(name: "nobody", mailbox) }
        await stage.end()
    }

    @Test func aSubscriberAfterThePauseHearsThatTheConnectionDialsAgain() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.refuseConnections()
        let owner = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.config, owner: owner)
        _ = await owner.receive { if case .reconnecting = $0 { true } else { false } }
        stage.apple.mute()
        stage.apple.acceptConnections()
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(1)))
        stage.time?.advance(by: .seconds(1))
        try await until { try stage.runtime.connection(named: "orders").status.phase == .dialing }
        let mailbox = Mailbox<LifecycleMessage>()
        while true {
            try stage.runtime.subscribe(name: "orders", mailbox)
            guard case .current(let phase, _, 0)? = await mailbox.receive() else { Issue.record("not current"); break }
            if phase == .dialing { break }
        }
        await stage.end()
    }

    @Test func aReleasedMailboxEndsItsSubscription() async throws {
        let stage = try Rehearsal.inMemory()
        var mailbox: Mailbox<LifecycleMessage>? = Mailbox()
        weak let released = mailbox
        try stage.runtime.connect(name: "orders", config: stage.config, owner: mailbox)
        mailbox = nil
        #expect(released == nil)
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token()).isAccepted)
        await stage.end()
    }

    @Test("parity: E14, E15 – `reconnecting` once per failed attempt, with growing delays")
    func everyFailedAttemptIsTold() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.refuseConnections()
        let mailbox = Mailbox<LifecycleMessage>()
        try stage.runtime.connect(name: "orders", config: stage.config, owner: mailbox)
        for (number, seconds) in [(1, 1), (2, 3), (3, 7), (4, 10), (5, 10)] {
            guard case .reconnecting(_, "orders", number, let delay, _)? = await mailbox.receive() else {
                Issue.record("attempt \(number) was not told")
                return
            }
            #expect(delay <= .seconds(seconds) && delay >= .seconds(seconds) * 0.8)
            if number == 5 { stage.apple.acceptConnections() }
            await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: delay))
            stage.time?.advance(by: delay)
        }
        guard case .connectionUp(_, _, 1)? = await mailbox.receive() else { Issue.record("not up"); return }
        await stage.end()
    }

    @Test("parity: E19 – waitUntilUp by name and by pid, with its time")
    func waitUntilUpEndsEitherWay() async throws {
        let stage = try Rehearsal.inMemory()
        let pid = try #require(try stage.runtime.connect(name: "orders", config: stage.config).pid)
        try await stage.runtime.connection(pid).waitUntilUp()
        try await stage.runtime.connection(named: "orders").waitUntilUp()

        stage.apple.mute()
        try stage.runtime.connect(name: "mute", config: stage.config)
        async let outcome = failure {
            try await stage.runtime.connection(named: "mute").waitUntilUp(timeout: .seconds(5))
        }
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(5)))
        stage.time?.advance(by: .seconds(5))
        #expect(await outcome?.code == .timedOut)
        await stage.end()
    }

    @Test func waitUntilUpNoticesThatTheConnectionIsClosed() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.mute()
        try stage.runtime.connect(name: "orders", config: stage.config)
        async let outcome = failure {
            try await stage.runtime.connection(named: "orders").waitUntilUp(timeout: .seconds(7))
        }
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(7)))
        try await stage.runtime.close(name: "orders", within: .zero)
        #expect(await outcome?.lookup?.code == .closed)
        await stage.end()
    }

    @Test func aCancelledTaskWaitsNoLongerForTheConnection() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.mute()
        try stage.runtime.connect(name: "orders", config: stage.config)
        let task = Task { try await stage.runtime.connection(named: "orders").waitUntilUp() }
        task.cancel()
        let error = await #expect(throws: NotUpError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        await stage.end()
    }

    private func failure(_ body: () async throws -> Void) async -> NotUpError? {
        do { try await body() } catch { return error as? NotUpError }
        return nil
    }

    @Test("parity: X1 – a configuration is a value, changed in copies")
    func aConfigurationIsChangedInCopies() throws {
        let stage = try Rehearsal.inMemory()
        let config = stage.config
        let other = config.with {
            $0.port = 2_197
            $0.environment = .development
            $0.host = nil
        }
        #expect(config.port == 443 && other.port == 2_197)
        #expect(other.effectiveHost == "api.sandbox.push.apple.com")
    }

    @Test("parity: E3, P11 – the environment picks the host; host and port can be any")
    func theEnvironmentPicksTheHost() throws {
        let credential = Credential.token(key: .pem(""), teamID: "DEF123GHIJ")
        #expect(PushConnection.Configuration(credential: credential).effectiveHost == "api.push.apple.com")
        #expect(PushConnection.Configuration(credential: credential).port == 443)
        #expect(PushConnection.Configuration(host: "localhost", credential: credential).effectiveHost == "localhost")
    }
}
