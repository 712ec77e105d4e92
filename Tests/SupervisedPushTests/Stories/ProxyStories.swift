import ProcessRuntime
import PushSimulator
import PushTransport
import SupervisedPush
import TestSupport
import Testing

/// The way to APNs leads through a proxy, or to another port.
@Suite(.timeLimit(.minutes(5))) struct ProxyStories {
    private static let place = Endpoint(host: "proxy.example", port: 3_128)
    private static let server = Endpoint(host: "localhost", port: 443)

    private struct Stage {
        let rehearsal: Rehearsal
        let proxy: RelayProxy
        let owner = Mailbox<LifecycleMessage>()

        init(_ conduct: RelayProxy.Conduct) throws {
            rehearsal = try Rehearsal.inMemory()
            let network = try #require(rehearsal.network).network
            proxy = RelayProxy(on: network, at: place, to: server, conduct)
        }

        /// A host that is not this machine, through the proxy.
        var config: PushConnection.Configuration {
            rehearsal.config.with {
                $0.host = "apns.test"
                $0.proxy = .http(host: place.host, port: place.port, user: "me", password: "secret")
            }
        }

        /// The cause of the next pause, which then passes.
        func failure(then conduct: RelayProxy.Conduct) async throws -> LinkFailure {
            guard case .reconnecting(_, _, _, let delay, let cause)? = await owner.receive(where: \.isReconnecting)
            else { throw CancellationError() }
            let time = try #require(rehearsal.time)
            proxy.behave(conduct)
            await time.waitUntilArmed(by: time.now.advanced(by: delay))
            time.advance(by: delay)
            return cause
        }
    }

    @Test("parity: E18, R5, G11 – pushes go through a proxy with user name and password, TLS from end to end")
    func pushesGoThroughTheProxy() async throws {
        let stage = try Stage(.relay)
        let runtime = stage.rehearsal.runtime
        try runtime.connect(name: "orders", config: stage.config)
        for number in 0..<50 {
            let answer = try await runtime.push(name: "orders", Samples.flight, to: Samples.token(number))
            #expect(answer.isAccepted)
        }
        #expect(
            stage.proxy.requests == [
                "CONNECT apns.test:443 HTTP/1.1\r\nHost: apns.test:443\r\n"
                    + "Proxy-Authorization: Basic bWU6c2VjcmV0\r\n\r\n"
            ])
        #expect(stage.rehearsal.apple.ledger.records.count == 50)
        await stage.rehearsal.end()
    }

    @Test("parity: E16 – a proxy's refusal is told at once, as the proxy's, and the connection goes on trying")
    func aRefusalIsToldAtOnce() async throws {
        let stage = try Stage(.refuse(407))
        let runtime = stage.rehearsal.runtime
        let begin = runtime.now
        let pid = try #require(try runtime.connect(name: "orders", config: stage.config, owner: stage.owner).pid)
        let book = OutcomeBook()
        runtime.push(name: "orders", Samples.flight, to: Samples.token(), completion: book.completion(0))
        let refusal = try await stage.failure(then: .refuse(502))
        // Nothing but the pause after it has passed.
        #expect(begin.duration(to: runtime.now) <= .seconds(1))
        #expect(refusal.layer == .proxy && refusal.description.contains("user name or the password"))
        #expect(!refusal.description.contains("secret"))
        #expect(try await stage.failure(then: .relay).description.contains("502"))
        await book.wait(for: 1)
        #expect(book.summary == ["accepted": 1] && runtime.pid(of: "orders") == pid)
        await stage.rehearsal.end()
    }

    @Test("parity: E16, R4 – a proxy that hangs is given up after 30 s, and that is its own error")
    func aHangingProxyIsGivenUp() async throws {
        let stage = try Stage(.hang)
        let runtime = stage.rehearsal.runtime
        let time = try #require(stage.rehearsal.time)
        let config = stage.config.with { $0.timeout = .seconds(120) }
        try runtime.connect(name: "orders", config: config, owner: stage.owner)
        let begin = time.now
        await until { !stage.proxy.requests.isEmpty }
        // Beyond the 15 s that a connect may take.
        time.advance(by: .milliseconds(29_999))
        await time.waitUntilArmed(by: begin.advanced(by: .seconds(30)))
        time.advance(by: .milliseconds(1))
        let cause = try await stage.failure(then: .relay)
        #expect(cause.layer == .proxy && cause.description.contains("30"))
        let answer = try await runtime.push(name: "orders", Samples.flight, to: Samples.token())
        #expect(answer.isAccepted && stage.proxy.requests.count == 2)
        await stage.rehearsal.end()
    }

    @Test("parity: E18 – this machine is reached without the proxy")
    func thisMachineIsReachedWithoutTheProxy() async throws {
        let stage = try Stage(.refuse(403))
        let runtime = stage.rehearsal.runtime
        try runtime.connect(name: "orders", config: stage.config.with { $0.host = "localhost" })
        #expect(try await runtime.push(name: "orders", Samples.flight, to: Samples.token()).isAccepted)
        #expect(stage.proxy.requests.isEmpty)
        await stage.rehearsal.end()
    }

    @Test("a pool goes through the proxy, too")
    func aPoolGoesThroughTheProxy() async throws {
        let stage = try Stage(.relay)
        let runtime = stage.rehearsal.runtime
        try runtime.connect(name: "bulk", size: 3, config: stage.config)
        for number in 0..<20 {
            #expect(try await runtime.push(name: "bulk", Samples.flight, to: Samples.token(number)).isAccepted)
        }
        #expect(!stage.proxy.requests.isEmpty)
        await stage.rehearsal.end()
    }

    @Test("parity: F17, P11 – where 443 is blocked, 2197 is tried on request, and kept")
    func theOtherPortIsTriedOnRequest() async throws {
        let rehearsal = try Rehearsal.inMemory()
        let (runtime, time) = (rehearsal.runtime, try #require(rehearsal.time))
        let network = try #require(rehearsal.network).network
        _ = RelayProxy(on: network, at: Endpoint(host: "apns.test", port: 2_197), to: Self.server, .forward)
        let owner = Mailbox<LifecycleMessage>()
        let config = rehearsal.config.with {
            $0.host = "apns.test"
            $0.portFallback = true
        }
        try runtime.connect(name: "orders", config: config, owner: owner)
        guard case .reconnecting(_, _, 1, let delay, let cause)? = await owner.receive(where: \.isReconnecting) else {
            Issue.record("443 is not blocked"); return
        }
        #expect(cause.layer == .connect && cause.description.contains("apns.test:443"))
        await time.waitUntilArmed(by: time.now.advanced(by: delay))
        time.advance(by: delay)
        #expect(try await runtime.push(name: "orders", Samples.flight, to: Samples.token()).isAccepted)
        await rehearsal.apple.cutConnections()
        guard case .reconnecting(_, _, 1, let pause, _)? = await owner.receive(where: \.isReconnecting) else {
            Issue.record("not cut"); return
        }
        await time.waitUntilArmed(by: time.now.advanced(by: pause))
        time.advance(by: pause)
        #expect(try await runtime.push(name: "orders", Samples.flight, to: Samples.token()).isAccepted)
        await rehearsal.end()
    }
}
