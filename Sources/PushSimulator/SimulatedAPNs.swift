import Dispatch
import ProcessRuntime
import PushLocking
import PushTransport

/// A simulated Apple Push Notification service, over real TLS and HTTP/2. It accepts and refuses pushes as APNs does,
/// and fails on request.
///
/// It checks pushes in the order of APNs' checks and answers with APNs' statuses and reasons. It raises its stream
/// limit from 1 to 1,000 with the first accepted provider token. It keeps the accepted pushes in ``pushes``, and a
/// record of everything that it processed in its ``ledger``. A client verifies its certificate like Apple's, but trusts
/// another authority.
///
/// It accepts broadcasts on the same port as device pushes, and requests about broadcast channels on a second one,
/// ``managementPort``. Certificate, credentials and faults apply to both ports.
///
/// ```swift
/// let apns = try SimulatedAPNs()
/// let port = try apns.start()
/// let files = try apns.credentials.write(to: directory)       // ca.pem, AuthKey_<id>.p8, provider.pem …
///
/// apns.holdAnswers()                                          // processed, not answered
/// // … push …
/// #expect(await apns.ledger.wait { $0.pushes == 10 })
/// await apns.cutConnections()                                    // ten outcomes are unknown now
/// apns.releaseAnswers()
///
/// apns.faults.add(FaultRule(.pushNumber(100), .goAway(GoAway()), times: 1))
/// ```
///
/// Each connection is a process of ProcessRuntime. All functions may be called from any thread. A simulator stops when
/// it is released.
public final class SimulatedAPNs: Sendable {
    private struct Listening {
        /// The place in memory where it listens.
        struct Memory {
            let network: MemoryNetwork
            let endpoint: Endpoint
            let management: Endpoint?
        }

        var isListening = false
        var listeners: [SocketListener] = []
        var metricsPort: Int?
        /// Where the last start listened, if that was in memory. The next start uses it again.
        var memory: Memory?
        /// The ports of the first start. The next start uses them again.
        var port: Int?
        var managementPort: Int?
        /// The callers of `waitUntilAccepting`, by number.
        var acceptWaiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0
        /// Counts the calls that open or close it, so that a timer only reopens what its own call closed.
        var turns = 0
    }

    /// The configuration that it was created with.
    public let configuration: Configuration
    /// The authority, certificates and keys: those of the configuration, or generated ones.
    public let credentials: ThrowAwayCredentials
    /// The record of what it processed.
    public var ledger: Ledger { core.ledger }
    /// The fault rules.
    public var faults: Faults { core.faults }
    /// The device tokens of the configuration.
    public var devices: DeviceRegistry { configuration.devices }
    /// The broadcast channels of the configuration.
    public var channels: ChannelRegistry { configuration.channels }

    let core: SimulatorCore
    /// The export of metrics; nil without one.
    private let export: ExportService?
    private let listening = Locked(Listening())
    private let queue = DispatchQueue(label: "simulated-apns.listener", target: .global(qos: .userInteractive))

    /// Creates a simulator, which does not listen until ``start()``.
    ///
    /// - Throws: `invalidCredential` or `cryptography` if certificates or keys cannot be used, `configuration` if a
    ///   script is invalid.
    public init(_ configuration: Configuration = Configuration()) throws(SimulatorError) {
        self.configuration = configuration
        if let given = configuration.credentials {
            credentials = given
        } else {
            credentials = try ThrowAwayCredentials()
        }
        core = try SimulatorCore(configuration, credentials)
        let (core, teamID) = (core, credentials.teamID)
        export = configuration.exportSettings.map { ExportService($0, teamID: teamID, core: core) }
    }

    deinit { stop() }

    /// Starts listening on both ports, and on that of its export, if it has one. It can start again after ``stop()``, on the same ports. If it listened in
    /// memory, it listens there again.
    ///
    /// - Returns: The port for pushes. The other one is ``managementPort``.
    /// - Throws: `listen` if an address cannot be used, `running` if it is already listening.
    @discardableResult
    public func start() throws(SimulatorError) -> Int {
        let configuration = configuration
        if let memory = listening.withLock({ $0.memory }) {
            try start(on: memory.network, at: memory.endpoint, management: memory.management)
            return memory.endpoint.port
        }
        let port = try listening.withLock { listening throws(SimulatorError) in
            try Self.checkIsClosed(listening)
            let pushes = try listener(at: listening.port ?? configuration.port)
            let management = try listener(at: listening.managementPort ?? configuration.managementPort)
            let metrics = try configuration.metrics.map { metrics throws(SimulatorError) in
                try listener(at: listening.metricsPort ?? metrics.port)
            }
            core.started()
            serve(pushes, .push)
            serve(management, .management)
            if let metrics, let export { metrics.accept(on: queue) { export.accept($0) } }
            listening.isListening = true
            listening.listeners = [pushes, management] + (metrics.map { [$0] } ?? [])
            listening.metricsPort = metrics?.endpoint.port
            listening.port = pushes.endpoint.port
            listening.managementPort = management.endpoint.port
            return pushes.endpoint.port
        }
        ledger.listening(true)
        resumeAcceptWaiters()
        return port
    }

    /// Starts listening in memory, for tests without sockets.
    ///
    /// - Parameters:
    ///   - endpoint: Where it accepts pushes.
    ///   - management: Where it accepts requests about channels; nil for nowhere.
    package func start(
        on network: MemoryNetwork, at endpoint: Endpoint, management: Endpoint? = nil
    ) throws(SimulatorError) {
        let core = core
        try listening.withLock { listening throws(SimulatorError) in
            try Self.checkIsClosed(listening)
            core.started()
            listening.isListening = true
            listening.memory = Listening.Memory(network: network, endpoint: endpoint, management: management)
            listening.port = endpoint.port
            listening.managementPort = management?.port
            // These channels have no descriptors.
            let limit = DescriptorLimit.mostConnections
            network.listen(on: endpoint) { core.accept($0, to: .push, limit: limit) }
            if let management { network.listen(on: management) { core.accept($0, to: .management, limit: limit) } }
        }
        ledger.listening(true)
        resumeAcceptWaiters()
    }

    private static func checkIsClosed(_ listening: Listening) throws(SimulatorError) {
        guard !listening.isListening else {
            throw SimulatorError(.running, "The simulator already listens: stop it first.")
        }
    }

    private func listener(at port: Int) throws(SimulatorError) -> SocketListener {
        do {
            return try SocketListener(on: Endpoint(host: configuration.host, port: port))
        } catch {
            throw SimulatorError(.listen, "\(error)")
        }
    }

    private func serve(_ listener: SocketListener, _ service: Service) {
        let core = core
        listener.accept(on: queue) { core.accept($0, to: service, limit: DescriptorLimit.connections) }
    }

    /// Stops listening and ends every connection with a GOAWAY that names the last processed stream.
    ///
    /// When it returns, the ports are free and no connection is accepted. Open connections end soon after (`ledger.wait
    /// { $0.openConnections == 0 }`). Does nothing if it is not listening.
    public func stop() {
        let listeners = listening.withLock { listening in
            if let memory = listening.memory, listening.isListening {
                memory.network.stopListening(on: memory.endpoint)
                if let management = memory.management { memory.network.stopListening(on: management) }
            }
            listening.isListening = false
            defer { listening.listeners = [] }
            return listening.listeners
        }
        for listener in listeners {
            let closed = DispatchSemaphore(value: 0)
            // On the queue that accepts connections, because no caller blocks it.
            queue.async { listener.close { closed.signal() } }
            _ = closed.wait(timeout: .now() + .seconds(5))
        }
        export?.endAll()
        core.endAll()
        ledger.listening(false)
    }

    /// The port on which it listens for pushes, or listened before it was stopped. Nil before the first ``start()``.
    public var port: Int? { listening.withLock { $0.port } }

    /// The port on which it listens for requests about broadcast channels, or listened before it was stopped. Nil
    /// before the first ``start()``.
    public var managementPort: Int? { listening.withLock { $0.managementPort } }

    /// The port of its export of metrics, or of the last one before it was stopped. Nil before the first ``start()``, and
    /// without ``Configuration/metrics``. In memory there is none.
    public var metricsPort: Int? { listening.withLock { $0.metricsPort } }

    /// The first 1,000 requests to its export of metrics.
    package var metricsRequests: [MetricsRequest] { export?.requests ?? [] }

    /// Whether it listens now.
    package var isListening: Bool { listening.withLock { $0.isListening } }

    /// The open connections, oldest first.
    public var connections: [ConnectionID] { core.connections }

    /// The number of open connections.
    public var connectionCount: Int { core.connectionCount }

    // MARK: Who may connect

    /// Turns new connections away with a reset, before TLS. Open connections remain.
    ///
    /// - Parameter duration: How long; nil until ``acceptConnections()``.
    public func refuseConnections(for duration: Duration? = nil) { setListening(.refusing, duration) }

    /// Accepts new connections but sends nothing to them, not even TLS. Open connections remain.
    ///
    /// - Parameter duration: How long; nil until ``acceptConnections()``. Connections that were accepted in this time
    ///   remain silent.
    public func ignoreConnections(for duration: Duration? = nil) { setListening(.silent, duration) }

    /// Serves new connections again.
    public func acceptConnections() { setListening(.open, nil) }

    private func setListening(_ state: Orders.ListenerState, _ duration: Duration?) {
        let turn = listening.withLock { listening in
            listening.turns += 1
            core.faults.change { $0.listener = state }
            return listening.turns
        }
        if state == .open { resumeAcceptWaiters() }
        guard let duration else { return }
        let timer = SelfKeepingTimer()
        timer.start(by: core.system.time, on: queue, after: duration) { [listening, core] in
            listening.withLock { listening in
                guard listening.turns == turn else { return }
                core.faults.change { $0.listener = .open }
            }
            Self.resumeAcceptWaiters(listening, core)
        }
    }

    /// Returns when new connections are served, or when the task is cancelled.
    package func waitUntilAccepting() async {
        let number = listening.withLock { listening in
            listening.lastWaiter += 1
            return listening.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                listening.withLock { $0.acceptWaiters[number] = continuation }
                // The cancellation handler below may have run before the waiter was added.
                if Task.isCancelled { listening.withLock { $0.acceptWaiters.removeValue(forKey: number) }?.resume() }
                resumeAcceptWaiters()
            }
        } onCancel: {
            listening.withLock { $0.acceptWaiters.removeValue(forKey: number) }?.resume()
        }
    }

    private func resumeAcceptWaiters() { Self.resumeAcceptWaiters(listening, core) }

    private static func resumeAcceptWaiters(_ listening: Locked<Listening>, _ core: SimulatorCore) {
        let waiters = listening.withLock { listening in
            guard listening.isListening, core.faults.current.listener == .open else {
                return [Int: CheckedContinuation<Void, Never>]()
            }
            defer { listening.acceptWaiters = [:] }
            return listening.acceptWaiters
        }
        for continuation in waiters.values { continuation.resume() }
    }
}
