import ProcessRuntime
import PushSimulator
import PushTransport
import Testing

/// A running simulator, in memory or on loopback, and providers for it.
struct Rehearsal {
    enum Stage: CaseIterable, Sendable {
        case memory, loopback
    }

    let apns: SimulatedAPNs
    let connector: any Connector
    let endpoint: Endpoint
    let management: Endpoint
    let token: String

    static let device = String(repeating: "a1", count: 32)

    init(_ stage: Stage = .memory, _ configure: (inout SimulatedAPNs.Configuration) -> Void = { _ in }) throws {
        var configuration = SimulatedAPNs.Configuration()
        configuration.ledger = .records
        configuration.credentials = try Self.credentials.get()
        configure(&configuration)
        apns = try SimulatedAPNs(configuration)
        switch stage {
        case .memory:
            let network = MemoryNetwork()
            endpoint = Endpoint(host: "localhost", port: 443)
            management = Endpoint(host: "localhost", port: 2196)
            try apns.start(on: network, at: endpoint, management: management)
            connector = network
        case .loopback:
            endpoint = Endpoint(host: "127.0.0.1", port: try apns.start())
            management = Endpoint(host: "127.0.0.1", port: try #require(apns.managementPort))
            connector = SocketConnector()
        }
        token = try apns.credentials.providerToken(
            issuedAt: Date(timeIntervalSince1970: Double(configuration.time.wallClockMilliseconds / 1000)))
    }

    private static let credentials = Result { try ThrowAwayCredentials() }

    /// A provider whose handshake is through.
    func provider(
        certificate: Bool = false, management: Bool = false, speaksHTTP2: Bool = true
    ) async throws -> TestProvider {
        let provider = TestProvider()
        let isUp = try await provider.connect(
            connector, to: management ? self.management : endpoint, trusting: apns.credentials,
            certificate: certificate, serverName: endpoint.host, speaksHTTP2: speaksHTTP2)
        try #require(isUp)
        provider.keep(apns)
        return provider
    }

    /// The headers of a good push.
    func headers(
        to device: String = Self.device, method: String = "POST", authorization: Bool = true,
        _ more: [(String, String)] = []
    ) -> [(String, String)] {
        var headers = [
            (":method", method), (":scheme", "https"), (":path", "/3/device/" + device), (":authority", "localhost"),
        ]
        if authorization { headers.append(("authorization", "bearer " + token)) }
        headers.append(("apns-topic", "com.example.app"))
        return headers + more
    }

    /// The headers of a request about channels, or of a broadcast, with a provider token.
    func headers(_ method: String, _ path: String, _ more: [(String, String)] = []) -> [(String, String)] {
        [
            (":method", method), (":scheme", "https"), (":path", path), (":authority", "localhost"),
            ("authorization", "bearer " + token),
        ] + more
    }

    /// The headers of a good broadcast.
    func broadcast(to channel: String, _ more: [(String, String)] = []) -> [(String, String)] {
        headers(
            "POST", "/4/broadcasts/apps/com.example.app",
            [
                ("apns-channel-id", channel), ("apns-push-type", "liveactivity"), ("apns-priority", "10"),
                ("apns-expiration", "0"),
            ] + more)
    }
}
