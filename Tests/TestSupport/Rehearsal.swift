import Dispatch
import ProcessRuntime
import PushLocking
import PushSimulator
import PushTransport
import SupervisedPush

/// A runtime and a simulator for one test: over memory with a manual clock, or over loopback sockets with the real one.
package final class Rehearsal: Sendable {
    package let apple: SimulatedAPNs
    package let runtime: PushRuntime
    /// The clock of both sides, if it is a manual one.
    package let time: ManualTime?
    /// The network, if it is one in memory.
    package let network: TappedNetwork?
    /// The client's own clock, if its wall clock is to go wrong.
    package let clientTime: SkewedTime?
    private let endpoint: Endpoint
    private let management: Endpoint

    private init(
        _ apple: SimulatedAPNs, _ runtime: PushRuntime, _ endpoint: Endpoint, management: Endpoint, time: ManualTime?,
        network: TappedNetwork?, clientTime: SkewedTime? = nil
    ) {
        self.clientTime = clientTime
        self.apple = apple
        self.runtime = runtime
        self.endpoint = endpoint
        self.management = management
        self.time = time
        self.network = network
    }

    /// No socket, no real time: the story moves when the test says so.
    ///
    /// - Parameters:
    ///   - lastStream: the last stream number that the client's links use, if not the last there is.
    ///   - skewed: whether the client's wall clock is to go wrong, and the simulator's not.
    package static func inMemory(
        capacity: Int = 64 << 10, runtime: PushRuntime.Configuration = .init(logger: nil),
        faults: ProcessFaults = ProcessFaults(), lastStream: Int32? = nil, skewed: Bool = false,
        _ change: (inout SimulatedAPNs.Configuration) -> Void = { _ in }
    ) throws -> Rehearsal {
        let time = ManualTime()
        let network = TappedNetwork(MemoryNetwork(capacity: capacity))
        let endpoint = Endpoint(host: "localhost", port: 443)
        let management = Endpoint(host: "localhost", port: 2_196)
        var configuration = SimulatedAPNs.Configuration()
        configuration.credentials = try Self.credentials.get()
        configuration.time = time
        configuration.ledger = .records
        change(&configuration)
        let apple = try SimulatedAPNs(configuration)
        try apple.start(on: network.network, at: endpoint, management: management)
        let clientTime = skewed ? SkewedTime(time) : nil
        let runtime = PushRuntime(
            runtime, time: clientTime ?? time, connector: network, seed: { _ in 1 }, makeSession: faults.makeSession,
            lastStream: lastStream)
        return Rehearsal(
            apple, runtime, endpoint, management: management, time: time, network: network, clientTime: clientTime)
    }

    /// Real sockets on loopback, real time.
    package static func overLoopback(
        _ change: (inout SimulatedAPNs.Configuration) -> Void = { _ in }
    ) throws -> Rehearsal {
        var configuration = SimulatedAPNs.Configuration()
        configuration.credentials = try Self.credentials.get()
        configuration.ledger = .records
        change(&configuration)
        let apple = try SimulatedAPNs(configuration)
        let endpoint = Endpoint(host: "localhost", port: try apple.start())
        let management = Endpoint(host: "localhost", port: apple.managementPort ?? 0)
        return Rehearsal(
            apple, PushRuntime(.init(logger: nil)), endpoint, management: management, time: nil, network: nil)
    }

    /// Made once for all tests: keys and certificates take a while.
    private static let credentials = Result { try ThrowAwayCredentials() }

    /// A configuration for the simulator, in token mode. Under the manual clock no link is asked whether it lives, because in
    /// the middle of a jump nobody can answer; a story about that sets `liveness` itself, and jumps no further than to the
    /// next question.
    package var config: ConnectionConfig {
        let credentials = apple.credentials
        let config = ConnectionConfig(
            host: endpoint.host, port: endpoint.port,
            credential: .token(
                key: .pem(credentials.signingKeyPEM), keyID: credentials.keyID, teamID: credentials.teamID),
            trust: .pem(credentials.authorityPEM), defaults: .init(topic: Topic(credentials.topic)))
        return time == nil ? config : config.with { $0.liveness = .never }
    }

    /// As `config`, with times for machines that do much else at the same time.
    package var patientConfig: ConnectionConfig {
        config.with {
            $0.timeout = .seconds(60)
            $0.liveness = time == nil ? LivenessPolicy(pingTimeout: .seconds(60), stall: .seconds(60)) : .never
        }
    }

    /// As `patientConfig`, for the management of channels.
    package var managementConfig: ConnectionConfig { patientConfig.with { $0.port = management.port } }

    /// A configuration for the simulator, in certificate mode.
    package var certificateConfig: ConnectionConfig {
        config.with {
            $0.credential = .certificate(
                .pem(apple.credentials.providerCertificatePEM), privateKey: .pem(apple.credentials.providerKeyPEM))
        }
    }

    /// A second runtime on the same clock and network. Only for rehearsals in memory.
    package func anotherRuntime() -> PushRuntime {
        guard let time, let network else { return PushRuntime(.init(logger: nil)) }
        return PushRuntime(time: time, connector: network, seed: { _ in 2 })
    }

    /// Ends both sides.
    package func end() async {
        await runtime.shutdown(within: .zero)
        apple.stop()
    }
}
