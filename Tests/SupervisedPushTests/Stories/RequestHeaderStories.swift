import HandWrittenFrames
import PushHTTP2
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// Header fields of the caller's own on the wire, and what a connection says that it would send.
@Suite(.timeLimit(.minutes(5))) struct RequestHeaderStories {
    /// Refuses the first request of a connection, and obeys otherwise.
    private static let refusingTheFirst: HandWrittenPeer.Script = { conversation, happening in
        if case .frame(let frame) = happening, frame.isKind(.data), frame.stream == 1 {
            conversation.write(HandWritten.reset(1, 7))
        } else {
            HandWrittenPeer.obedient(conversation, happening)
        }
    }

    /// The header fields of all requests that came over the first connection, as a server reads them.
    private func requests(_ stage: HandWrittenStage) throws -> [[String]] {
        let server = try ServerSession(ServerSession.Configuration())
        let frames = try #require(stage.peer.conversations.first).frames
        let bytes = frames.reduce(into: HandWritten.preface) {
            $0 += HandWritten.frame(type: $1.kind, flags: $1.flags, stream: $1.stream, $1.payload)
        }
        var events: [ServerEvent] = []
        try bytes.withUnsafeBytes { try server.receive($0, into: &events) }
        return events.compactMap { event in
            guard case .request(let request) = event else { return nil }
            return request.headers.fields.map {
                $0.name == "authorization" ? "authorization: token" : "\($0.name): \($0.value)"
            }
        }
    }

    @Test("own header fields are sent, again with a resend, and as `request` shows them")
    func ownFieldsAreKeptOnResend() async throws {
        let stage = try HandWrittenStage { _ in Self.refusingTheFirst }
        let orders = try stage.connect { $0.defaults.headers = ["x-gateway": "g", "x-tenant": "one"] }
        var notification = Samples.flight
        notification.headers = ["apns-tomorrow": "1", "x-tenant": "two"]
        notification.apnsID = .fixed(APNSID(high: 1, low: 2))
        let shown = try stage.runtime.connection(named: "orders").preview(notification, to: Samples.token())
        #expect(try await stage.runtime.push(name: "orders", notification, to: Samples.token()).isAccepted)
        #expect(try await orders.push(Samples.flight, to: Samples.token(1)).isAccepted)
        let expected = shown.headers.fields.map {
            $0.name == "authorization" ? "authorization: token" : "\($0.name): \($0.value)"
        }
        let seen = try requests(stage)
        #expect(seen.count == 3 && Array(seen.prefix(2)) == [expected, expected])
        #expect(expected.suffix(5).prefix(3) == ["x-gateway: g", "apns-tomorrow: 1", "x-tenant: two"])
        #expect(seen[2].filter { $0.hasPrefix("x-") } == ["x-gateway: g", "x-tenant: one"])
        await stage.end()
    }

    @Test func aFieldThatCannotBeSentIsRefusedAtTheCallInEveryForm() async throws {
        let stage = try Rehearsal.inMemory()
        try stage.runtime.connect(name: "orders", config: stage.config)
        var notification = Samples.flight
        notification.headers = ["apns-topic": "a secret"]
        let bad = notification
        let thrown = await #expect(throws: PushError.self) {
            try await stage.runtime.push(name: "orders", bad, to: Samples.token())
        }
        #expect(thrown?.code == .invalidRequest && thrown?.certainty == .notSent)
        #expect(thrown?.description.contains("apns-topic") == true && thrown?.description.contains("secret") == false)
        #expect(throws: PushError.self) { try stage.runtime.send(name: "orders", bad, to: Samples.token()) }
        #expect(throws: PushError.self) {
            try stage.runtime.connection(named: "orders").preview(bad, to: Samples.token())
        }
        let book = OutcomeBook()
        stage.runtime.push(name: "orders", bad, to: Samples.token(), completion: book.completion(1))
        await book.wait(for: 1)
        #expect(book.summary == ["invalid_request not_sent": 1])
        #expect(stage.apple.ledger.snapshot.pushes == 0)
        await stage.end()
    }

    @Test func aConnectionThatIsDownShowsWhatItWouldSend() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.refuseConnections()
        let config = stage.certificateConfig.with { $0.defaults.topic = nil }
        try stage.runtime.connect(name: "orders", config: config)
        let pool = try stage.runtime.connect(
            name: "bulk", size: 2, config: stage.config.with { $0.retry.resend = .resendUnknown })
        let topic = stage.apple.credentials.topic
        let request = try stage.runtime.connection(named: "orders").preview(Samples.flight, to: Samples.token())
        #expect(request.headers["apns-topic"] == topic && request.headers["authorization"] == nil)
        #expect(request.headers["apns-id"] == PreparedRequest.generatedID)
        var anonymous = Samples.flight
        anonymous.apnsID = .byServer
        #expect(
            try stage.runtime.connection(named: "orders").preview(anonymous, to: Samples.token()).headers["apns-id"]
                == nil)
        let ofPool = try pool.preview(anonymous, to: Samples.token()).headers
        // What may be sent twice has an id in any case.
        #expect(ofPool["apns-id"] == PreparedRequest.generatedID)
        #expect(ofPool["authorization"] == "bearer \(PreparedRequest.providerToken)")
        let update = PushNotification(
            payload: try Payload(json: #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#))
        let broadcast = try pool.broadcasts.preview(update, to: ChannelID("AAAA"))
        #expect(broadcast.path == "/4/broadcasts/apps/\(topic)" && broadcast.headers["apns-channel-id"] == "AAAA")
        #expect(broadcast.headers["apns-request-id"] == PreparedRequest.generatedID)
        await stage.end()
    }
}
