import Logging
import ProcessRuntime
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// Topics that come from the certificate, and trust, in the life of a connection.
@Suite(.timeLimit(.minutes(5))) struct CertificateStories {
    // MARK: Topics

    @Test("parity: E6 – the topic comes from the certificate where nothing else names one")
    func theTopicComesFromTheCertificate() async throws {
        let stage = try Rehearsal.inMemory()
        let config = stage.certificateConfig.with { $0.defaults.topic = nil }
        try stage.runtime.connect(name: "orders", config: config)
        try stage.runtime.connect(name: "bulk", size: 2...2, config: config)
        for name in ["orders", "bulk"] {
            #expect(try await stage.runtime.push(name: name, Samples.flight, to: Samples.token()).isAccepted)
        }
        var call = Samples.flight
        call.pushType = .voip
        #expect(try await stage.runtime.push(name: "orders", call, to: Samples.token(1)).isAccepted)
        let topic = stage.apple.credentials.topic
        #expect(stage.apple.ledger.records.map(\.topic) == [topic, topic, topic + ".voip"])
        await stage.end()
    }

    @Test("parity: E6 – a topic that the certificate does not list is refused at the call, and the list is named")
    func aTopicOutsideOfTheListIsRefusedAtTheCall() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.certificateConfig)
        var stray = Samples.flight
        stray.topic = Topic("com.example.stranger")
        let error = await #expect(throws: PushError.self) {
            try await stage.runtime.push(name: "orders", stray, to: Samples.token())
        }
        #expect(error?.code == .invalidRequest && error?.certainty == .notSent)
        let topic = stage.apple.credentials.topic
        #expect(error?.description.contains("\(topic), \(topic).voip, ") == true)
        #expect(error?.description.contains("stranger") == false)
        #expect(throws: PushError.self) { try stage.runtime.send(name: "orders", stray, to: Samples.token()) }
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token()).isAccepted)
        #expect(stage.apple.ledger.snapshot.pushes == 1)
        await stage.end()
    }

    // MARK: Pins

    private static let stranger = "sha256/BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="

    @Test func aServerWithoutAPinnedKeyIsAnErrorThatListsItsKeys() async throws {
        let stage = try Rehearsal.inMemory()
        let mailbox = Mailbox<LifecycleMessage>()
        let trust = stage.config.trust
        let authority = try SPKIPin(ofCertificate: .pem(stage.apple.credentials.authorityPEM))
        let pinned = stage.config.with { $0.trust = trust.pinning([authority]) }
        try stage.runtime.connect(name: "orders", config: pinned)
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token()).isAccepted)
        let other = try SPKIPin(Self.stranger)
        try stage.runtime.connect(
            name: "pinned", config: stage.config.with { $0.trust = trust.pinning([other]) }, owner: mailbox)
        let message = await mailbox.receive()
        guard case .reconnecting(_, "pinned", 1, _, let cause)? = message else {
            Issue.record("heard \(message)")
            return
        }
        #expect(cause.layer == .tls && cause.description.contains("\(authority)"))
        #expect(stage.apple.ledger.snapshot.pushes == 1)
        await stage.end()
    }

    @Test func reportOnlyWarnsAndTellsTheObserverAndGoesOn() async throws {
        let stage = try Rehearsal.inMemory()
        let log = CapturedLog()
        let observer = SecurityObserver()
        let pin = try SPKIPin(Self.stranger)
        let config = stage.config.with {
            $0.trust = $0.trust.pinning([pin], reportOnly: true)
            $0.watching.logger = log.logger(.warning)
            $0.watching.observer = observer
        }
        try stage.runtime.connect(name: "orders", config: config)
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token()).isAccepted)
        let authority = try SPKIPin(ofCertificate: .pem(stage.apple.credentials.authorityPEM))
        let server = try SPKIPin(ofCertificate: .pem(stage.apple.credentials.serverCertificatePEM))
        #expect(await observer.next() == "secured 1: false")
        #expect(await observer.next() == "unpinned 1: \(server) \(authority)")
        #expect(log.lines.count == 1 && log.lines[0].contains("\(server)"))
        let record = try stage.runtime.connection(named: "orders").flightRecord()
        #expect(record.entries.contains { $0.event == "pin_mismatch" })
        await stage.end()
    }

    // MARK: Resumption

    @Test func aReconnectResumesTheTLSSession() async throws {
        let stage = try Rehearsal.inMemory()
        let observer = SecurityObserver()
        let mailbox = Mailbox<LifecycleMessage>()
        let config = stage.certificateConfig.with { $0.watching.observer = observer }
        try stage.runtime.connect(name: "orders", config: config, owner: mailbox)
        for round in 0..<3 {
            #expect(
                try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(round)).isAccepted)
            #expect(await observer.next() == "secured \(round + 1): \(round > 0)")
            guard case .connectionUp(_, _, round + 1)? = await mailbox.receive() else {
                Issue.record("not up")
                return
            }
            await stage.apple.cutConnections()
            guard case .reconnecting? = await mailbox.receive() else { Issue.record("not down"); return }
            await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(1)))
            stage.time?.advance(by: .seconds(1))
        }
        #expect(
            try stage.runtime.connection(named: "orders").flightRecord().entries.filter { $0.event == "tls" }.prefix(3)
                .map(\.detail)
                == ["resumed=false", "resumed=true", "resumed=true"])
        #expect(stage.apple.ledger.snapshot.accepted == 3)
        await stage.end()
    }
}

/// Tells what concerns TLS as lines.
private struct SecurityObserver: ConnectionObserver {
    private let lines = Mailbox<RecordingObserver.Line>()

    func next() async -> String? {
        guard case .fact(let line)? = await lines.receive() else { return nil }
        return line
    }

    func linkSecured(_ connection: ObservedConnection, link: Int, isResumed: Bool) {
        lines.post(.fact("secured \(link): \(isResumed)"))
    }

    func pinMismatch(_ connection: ObservedConnection, link: Int, keys: [SPKIPin]) {
        lines.post(.fact("unpinned \(link): \(keys.map(\.description).joined(separator: " "))"))
    }
}
