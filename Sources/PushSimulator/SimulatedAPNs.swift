import Dispatch
import ProcessRuntime
import PushLocking
import PushTransport

/// An Apple Push Notification service that obeys, refuses and misbehaves on request, over real TLS and HTTP/2.
///
/// It judges pushes as APNs does, in the order of APNs' checks, answers with APNs' statuses and reasons, raises its stream limit from 1 to
/// 1,000 with the first accepted provider token, and keeps what was pushed: ``pushes``, and the ``ledger`` of all that was processed. A
/// client verifies its certificate as it verifies Apple's: it only trusts another authority.
///
/// It takes broadcasts on the port of the pushes, and requests about broadcast channels on a second one, ``managementPort``, with the same
/// certificate, credentials and faults.
///
/// ```swift
/// let apns = try SimulatedAPNs()
/// let port = try apns.start()
/// let files = try apns.credentials.write(to: directory)       // ca.pem, AuthKey_<id>.p8, provider.pem …
///
/// apns.holdAnswers()                                          // processed, not answered
/// // … push …
/// #expect(await apns.ledger.wait { $0.pushes == 10 })
/// apns.cutConnections()                                       // ten outcomes are unknown now
/// apns.releaseAnswers()
///
/// apns.faults.add(FaultRule(.pushNumber(100), .goAway(GoAway()), times: 1))
/// ```
///
/// Each connection is a process of ProcessRuntime. All functions may be called from any thread. A simulator that is released stops.
public final class SimulatedAPNs: Sendable {
    private struct Listening {
        /// Where it listens in memory.
        struct Memory {
            let network: MemoryNetwork
            let endpoint: Endpoint
            let management: Endpoint?
        }

        var isListening = false
        var listeners: [SocketListener] = []
        /// The place of the last start, if it was in memory, kept for the next.
        var memory: Memory?
        /// The ports of the first start, kept for the next.
        var port: Int?
        var managementPort: Int?
        /// Callers of `waitUntilAccepting`, by number.
        var acceptWaiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0
        /// Counts the calls that open or close it, so that a timer opens only what its own call closed.
        var turns = 0
    }

    /// How it was set up.
    public let configuration: Configuration
    /// The authority, certificates and keys: those of the configuration, or new ones.
    public let credentials: ThrowAwayCredentials
    /// What was processed.
    public var ledger: Ledger { core.ledger }
    /// The rules by which it misbehaves.
    public var faults: Faults { core.faults }
    /// The device tokens: the configuration's.
    public var devices: DeviceRegistry { configuration.devices }
    /// The broadcast channels: the configuration's.
    public var channels: ChannelRegistry { configuration.channels }

    let core: SimulatorCore
    private let listening = Locked(Listening())
    private let queue = DispatchQueue(label: "simulated-apns.listener", target: .global(qos: .userInteractive))

    /// Sets a simulator up; it listens after ``start()``.
    ///
    /// - Throws: `invalidCredential` or `cryptography` where certificates or keys cannot be used, `configuration` for a script that cannot be.
    public init(_ configuration: Configuration = Configuration()) throws(SimulatorError) {
        self.configuration = configuration
        if let given = configuration.credentials {
            credentials = given
        } else {
            credentials = try ThrowAwayCredentials()
        }
        core = try SimulatorCore(configuration, credentials)
    }

    deinit { stop() }

    /// Starts to listen on both ports. After a ``stop()`` it may be started again, on the same ones. One that listened in memory listens
    /// there again.
    ///
    /// - Returns: The port for pushes; ``managementPort`` has the other.
    /// - Throws: `listen` where an address cannot be used, `running` where it already listens.
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
            core.started()
            serve(pushes, .push)
            serve(management, .management)
            listening.isListening = true
            listening.listeners = [pushes, management]
            listening.port = pushes.endpoint.port
            listening.managementPort = management.endpoint.port
            return pushes.endpoint.port
        }
        ledger.listening(true)
        resumeAcceptWaiters()
        return port
    }

    /// Starts to listen in memory, for tests without a socket.
    ///
    /// - Parameters:
    ///   - endpoint: Where pushes come.
    ///   - management: Where requests about channels come; nil: nowhere.
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
            network.listen(on: endpoint) { core.accept($0, to: .push) }
            if let management { network.listen(on: management) { core.accept($0, to: .management) } }
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
        listener.accept(on: queue) { core.accept($0, to: service) }
    }

    /// Stops to listen and ends every connection, each with a GOAWAY that says what was processed.
    ///
    /// When it returns, the ports are free and no connection is accepted; the open ones end within moments
    /// (`ledger.wait { $0.openConnections == 0 }`). Does nothing where it does not listen.
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
            // On the queue where it accepts, because no caller blocks that queue.
            queue.async { listener.close { closed.signal() } }
            _ = closed.wait(timeout: .now() + .seconds(5))
        }
        core.endAll()
        ledger.listening(false)
    }

    /// The port it listens on for pushes, or listened on before it was stopped; nil before the first ``start()``.
    public var port: Int? { listening.withLock { $0.port } }

    /// The port it listens on for requests about broadcast channels, or listened on before it was stopped; nil before the first ``start()``.
    public var managementPort: Int? { listening.withLock { $0.managementPort } }

    /// The connections that are open, oldest first.
    public var connections: [ConnectionID] { core.connections }

    /// How many connections are open.
    public var connectionCount: Int { core.connectionCount }

    // MARK: Who may connect

    /// Turns new connections away with a reset, before TLS. Open ones stay.
    ///
    /// - Parameter duration: For how long; nil: until ``acceptConnections()``.
    public func refuseConnections(for duration: Duration? = nil) { setListening(.refusing, duration) }

    /// Accepts new connections and says nothing to them, not even TLS. Open ones stay.
    ///
    /// - Parameter duration: For how long; nil: until ``acceptConnections()``. Connections accepted in that time stay silent.
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
        timer.start(core.system.time, queue, after: duration) { [listening, core] in
            listening.withLock { listening in
                guard listening.turns == turn else { return }
                core.faults.change { $0.listener = .open }
            }
            Self.resumeAcceptWaiters(listening, core)
        }
    }

    /// Returns once new connections are served, or the task is cancelled.
    package func waitUntilAccepting() async {
        let number = listening.withLock { listening in
            listening.lastWaiter += 1
            return listening.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                listening.withLock { $0.acceptWaiters[number] = continuation }
                // The handler below may have run before there was anything to give up.
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
