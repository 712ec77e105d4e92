import ProcessRuntime
import PushSimulator
import PushTransport
import SupervisedPush

/// How a client reaches a simulator.
extension SimulatedAPNs {
    /// A configuration that reaches this simulator with its signing key, and trusts its certificate: for the program under test.
    ///
    /// ```swift
    /// let service = NotificationService(apns: apple.connectionConfig.with { $0.feedback = devices.prune })
    /// ```
    /// The topic is the one of `credentials`, `com.example.app` unless you gave others. Over a network in memory only the runtime of
    /// ``withSimulatedAPNs(connecting:over:time:timeLimit:runtime:configure:isolation:_:)`` gets through. Under a manual clock the
    /// connection sends no PING, because the simulator cannot answer in the middle of a jump.
    public var connectionConfig: PushConnection.Configuration {
        let config = PushConnection.Configuration(
            host: "localhost", port: port ?? Self.memoryPort,
            credential: .token(
                key: .pem(credentials.signingKeyPEM), keyID: credentials.keyID, teamID: credentials.teamID),
            trust: .pem(credentials.authorityPEM), defaults: .init(topic: credentials.topic))
        return configuration.time is ManualTime ? config.with { $0.liveness = .never } : config
    }

    /// As ``connectionConfig``, with the provider certificate in place of the signing key.
    public var certificateConfig: PushConnection.Configuration {
        connectionConfig.with {
            $0.credential = .certificate(
                .pem(credentials.providerCertificatePEM), privateKey: .pem(credentials.providerKeyPEM))
        }
    }

    /// As ``connectionConfig``, for broadcast channels: it goes to the management port.
    public var managementConfig: PushConnection.Configuration {
        connectionConfig.with { $0.port = managementPort ?? Self.memoryManagementPort }
    }

    /// A simulator for a test, which listens: in memory, or without a network on loopback.
    package static func started(
        in network: MemoryNetwork?, time: any TimeSource, _ configure: (inout Configuration) throws -> Void
    ) throws -> SimulatedAPNs {
        var configuration = Configuration()
        configuration.credentials = try sharedCredentials.get()
        configuration.time = time
        try configure(&configuration)
        let apple = try SimulatedAPNs(configuration)
        if let network {
            try apple.start(
                on: network, at: Endpoint(host: "localhost", port: memoryPort),
                management: Endpoint(host: "localhost", port: memoryManagementPort))
        } else {
            try apple.start()
        }
        return apple
    }

    private static let memoryPort = 443
    private static let memoryManagementPort = 2_196

    /// Made once for all tests: keys and certificates take a while.
    private static let sharedCredentials = Result { try ThrowAwayCredentials() }
}
