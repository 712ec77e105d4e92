import PushTransport
import Testing

@testable import SupervisedPush

@Suite struct EndpointTests {
    private let credential = Credential.token(key: .pem("k"), keyID: "k", teamID: "t")

    @Test("parity: P11, R4 – production, development, the other port, and any other host")
    func targets() {
        #expect(
            PushConnection.Configuration(credential: credential).endpoint
                == Endpoint(host: "api.push.apple.com", port: 443))
        #expect(
            PushConnection.Configuration(environment: .development, port: 2_197, credential: credential).endpoint
                == Endpoint(host: "api.sandbox.push.apple.com", port: 2_197))
        #expect(
            PushConnection.Configuration(host: "localhost", port: 8_443, credential: credential).endpoint
                == Endpoint(host: "localhost", port: 8_443))
    }

    @Test("parity: E16, R4, G11 – 15 s to connect and 30 s for a tunnel unless set")
    func limits() throws {
        let config = PushConnection.Configuration(credential: credential)
        #expect(config.liveness.connectTimeout == .seconds(15) && config.liveness.tunnelTimeout == .seconds(30))
        #expect(config.proxy == .none && !config.portFallback)
        let changed = try config.with {
            $0.liveness.connectTimeout = .seconds(30)
            $0.liveness.tunnelTimeout = .seconds(5)
            $0.proxy = .socks5(host: "p", port: 1_080)
            $0.portFallback = true
        }.validated()
        let settings = ConnectionSettings(changed)
        #expect(settings.connectTimeout == .seconds(30) && settings.tunnelTimeout == .seconds(5))
        #expect(settings.usesProxy && settings.fallsBackToOtherPort)
    }
}
