import PushLocking
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// A whole life of a connection with everything that goes wrong in it: nothing that is said of it shows a secret.
@Suite(.timeLimit(.minutes(5))) struct SecrecyStories {
    private struct Leaky: Error, CustomStringConvertible {
        let description: String
    }

    /// What is said, and what must not be in it.
    private final class Ear: Sendable {
        private let heard = Locked<[String]>([])
        var text: String { heard.withLock { $0.joined(separator: "\n") } }

        func hear(_ value: Any) {
            var dumped = ""
            dump(value, to: &dumped)
            heard.withLock { $0 += ["\(value)", String(reflecting: value), dumped] }
        }

        /// An error that `body` throws.
        func hear(failureOf body: () async throws -> Void) async {
            do { try await body() } catch { hear(error) }
        }
    }

    private func key(_ pem: String) -> Credential {
        .token(key: .pem(pem), keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
    }

    @Test("no log, error, description, message or record of a whole life shows a key, a token, a password or a payload")
    func nothingThatIsSaidShowsASecret() async throws {
        let credentials = try ThrowAwayCredentials()
        let renewed = try credentials.renewed()
        let second = try renewed.signingKey()
        let stage = try Rehearsal.inMemory {
            $0.credentials = credentials
            $0.keys = [second]
        }
        let ear = Ear()
        let log = CapturedLog()
        let observer = RecordingObserver()
        let mailbox = Mailbox<LifecycleMessage>()
        let config = stage.config.with {
            $0.watching.logger = log.logger()
            $0.watching.observer = observer
            $0.feedback = { ear.hear($0) }
        }
        ear.hear(config)
        let pid = try #require(try stage.runtime.connect(name: "orders", config: config, owner: mailbox).pid)
        let runtime = stage.runtime

        // Answers, rejections, refusals at the call.
        let secretive = PushNotification.alert(title: "Geheimtitel", body: "Geheimtext")
        ear.hear(secretive)
        ear.hear(try await runtime.push(name: "orders", secretive, to: Samples.token(1)))
        ear.hear(try await runtime.push(name: "orders", secretive, to: Samples.unregistered(2)))
        let large = PushNotification.alert(body: String(repeating: "Geheimtext", count: 500))
        await ear.hear { _ = try await runtime.push(name: "orders", large, to: Samples.token(3)) }
        await ear.hear { _ = try await runtime.push(name: "nobody", secretive, to: Samples.token(3)) }
        let token = try #require(try runtime.connection(named: "orders").providerToken())
        ear.hear(token)
        ear.hear(token.bearer)

        // Credentials that cannot be used.
        let password = "Sesam-öffne-dich"
        let wrong: [Credential] = [
            .pkcs12(.bytes([1, 2, 3]), password: password),
            .certificate(
                .pem(credentials.providerCertificatePEM), privateKey: .pem(renewed.providerKeyPEM), password: password),
            .token(key: .pem(credentials.providerCertificatePEM), keyID: "ABC123DEFG", teamID: "DEF123GHIJ"),
            .token(key: .pem(String(credentials.signingKeyPEM.dropLast(90))), keyID: "ABC123DEFG", teamID: "x"),
        ]
        for credential in wrong {
            ear.hear(credential)
            await ear.hear { try await runtime.connection(named: "orders").replaceCredential(with: credential) }
        }
        let proxied = config.with {
            $0.proxy = .http(host: "proxy.example.com", port: 1, user: "me", password: password)
        }
        ear.hear(proxied)
        await ear.hear { _ = try ProxySetting.url("ftp://me:\(password)@proxy.example.com:1") }

        // Rotation, to a key that APNs refuses, from a store whose error tells too much, and to a good one.
        try await runtime.connection(named: "orders").replaceCredential(with: key(ThrowAwayCredentials().signingKeyPEM))
        for number in 4...6 {
            ear.hear(try await runtime.push(name: "orders", secretive, to: Samples.token(number)))
        }
        await ear.hear { _ = try await runtime.push(name: "orders", secretive, to: Samples.token(7)) }
        let leaky = Credential.token(
            key: .loader("vault") { throw Leaky(description: password) }, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        ear.hear(leaky)
        try await runtime.connection(named: "orders").replaceCredential(with: leaky)
        await next(mailbox) {
            if case .reconnecting(_, _, _, _, let cause) = $0 { cause.layer == .credential } else { false }
        }
        async let waiting = runtime.push(name: "orders", secretive, to: Samples.token(8))
        try await runtime.connection(named: "orders").replaceCredential(
            with: .token(key: .pem(renewed.signingKeyPEM), keyID: renewed.keyID, teamID: renewed.teamID))
        ear.hear(try await waiting)
        ear.hear(try await runtime.push(name: "orders", secretive, to: Samples.token(9)))

        // A cut with a push in flight, and a process that fails.
        stage.apple.holdAnswers()
        let arrived = stage.apple.ledger.snapshot.pushes + 1
        try runtime.send(name: "orders", secretive, to: Samples.token(10))
        #expect(await stage.apple.ledger.wait { $0.pushes == arrived })
        await stage.apple.cutConnections()
        await next(mailbox) { if case .reconnecting = $0 { true } else { false } }
        runtime.kill(try #require(runtime.pid(of: "orders")))
        await next(mailbox) { if case .down = $0 { true } else { false } }
        ear.hear(runtime.supervisionTree)
        ear.hear(try runtime.connection(named: "orders").status)
        ear.hear(try runtime.connection(named: "orders").flightRecord())
        await stage.end()
        mailbox.close()
        for await message in mailbox { ear.hear(message) }
        ear.hear(pid)

        let facts = await observer.facts(through: "ended killed").joined(separator: "\n")
        let all = [ear.text, log.lines.joined(separator: "\n"), facts].joined(separator: "\n")
        #expect(all.contains("credential") && all.contains("orders") && all.contains("vault"))
        // The lines of a key file, each by itself.
        let keys = [
            credentials.signingKeyPEM, renewed.signingKeyPEM, credentials.providerKeyPEM, renewed.providerKeyPEM,
        ]
        let lines = keys.flatMap { $0.split(separator: "\n").filter { !$0.hasPrefix("-----") }.map(String.init) }
        let parts = token.jwt.split(separator: ".").suffix(2).map(String.init)
        for secret in lines + parts + [token.jwt, password, "Geheim"] { #expect(!all.contains(secret)) }
    }

    private func next(_ mailbox: Mailbox<LifecycleMessage>, _ isWanted: (LifecycleMessage) -> Bool) async {
        while let message = await mailbox.receive() { if isWanted(message) { return } }
    }
}
