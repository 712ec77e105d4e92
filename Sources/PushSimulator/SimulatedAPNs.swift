import Dispatch
import Locking
import ProcessRuntime
import WireTransport

/// An Apple Push Notification service that obeys, refuses and misbehaves on request, over real TLS and HTTP/2.
///
/// It judges pushes as APNs does, in the order of APNs' checks, answers with APNs' statuses and reasons, raises its stream limit from 1 to
/// 1,000 with the first accepted provider token, and keeps a ``ledger`` of what was processed. A client verifies its certificate as it
/// verifies Apple's: it only trusts another authority.
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
    private struct Door {
        var listener: SocketListener?
        var memory: (network: MemoryNetwork, endpoint: Endpoint)?
        /// The port of the first start, kept for the next.
        var port: Int?
        /// Counts what was asked of the door, so that a time that has passed opens only what it closed.
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

    let core: SimulatorCore
    private let door = Locked(Door())
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

    /// Starts to listen. After a ``stop()`` it may be started again, on the same port.
    ///
    /// - Returns: The port.
    /// - Throws: `listen` where the address cannot be used, `running` where it already listens.
    @discardableResult
    public func start() throws(SimulatorError) -> Int {
        let core = core
        let host = configuration.host
        let port = configuration.port
        let queue = queue
        return try door.withLock { door throws(SimulatorError) in
            guard door.listener == nil, door.memory == nil else {
                throw SimulatorError(.running, "The simulator already listens: stop it first.")
            }
            core.started()
            do {
                let listener = try SocketListener(on: Endpoint(host: host, port: door.port ?? port))
                listener.accept(on: queue) { core.accept($0) }
                door.listener = listener
                door.port = listener.endpoint.port
                return listener.endpoint.port
            } catch {
                throw SimulatorError(.listen, "Can't listen on \(host):\(door.port ?? port): \(error)")
            }
        }
    }

    /// Starts to listen in memory, for tests without a socket.
    package func start(on network: MemoryNetwork, at endpoint: Endpoint) throws(SimulatorError) {
        let core = core
        try door.withLock { door throws(SimulatorError) in
            guard door.listener == nil, door.memory == nil else {
                throw SimulatorError(.running, "The simulator already listens: stop it first.")
            }
            core.started()
            door.memory = (network, endpoint)
            network.listen(on: endpoint) { core.accept($0) }
        }
    }

    /// Stops to listen and ends every connection, each with a GOAWAY that says what was processed.
    ///
    /// When it returns, the port is free and no connection is accepted; the open ones end within moments
    /// (`ledger.wait { $0.openConnections == 0 }`). Does nothing where it does not listen.
    public func stop() {
        let listener = door.withLock { door -> SocketListener? in
            if let memory = door.memory { memory.network.stopListening(on: memory.endpoint) }
            door.memory = nil
            defer { door.listener = nil }
            return door.listener
        }
        if let listener {
            let closed = DispatchSemaphore(value: 0)
            // On the queue where it accepts, and where nobody waits for anything.
            queue.async { listener.close { closed.signal() } }
            _ = closed.wait(timeout: .now() + .seconds(5))
        }
        core.endAll()
    }

    /// The port it listens on, or listened on before it was stopped; nil before the first ``start()``.
    public var port: Int? { door.withLock { $0.port } }

    /// The connections that are open, oldest first.
    public var connections: [ConnectionID] { core.connections }

    /// How many connections are open.
    public var connectionCount: Int { core.connectionCount }

    // MARK: Who may connect

    /// Turns new connections away with a reset, before TLS. Open ones stay.
    ///
    /// - Parameter duration: For how long; nil: until ``acceptConnections()``.
    public func refuseConnections(for duration: Duration? = nil) { setDoor(.refusing, duration) }

    /// Accepts new connections and says nothing to them, not even TLS. Open ones stay.
    ///
    /// - Parameter duration: For how long; nil: until ``acceptConnections()``. Those accepted meanwhile stay silent for ever.
    public func ignoreConnections(for duration: Duration? = nil) { setDoor(.silent, duration) }

    /// Serves new connections again.
    public func acceptConnections() { setDoor(.open, nil) }

    private func setDoor(_ state: Orders.Door, _ duration: Duration?) {
        let turn = door.withLock { door in
            door.turns += 1
            core.faults.change { $0.door = state }
            return door.turns
        }
        guard let duration else { return }
        let timer = OneShot()
        timer.start(core.system.time, queue, after: duration) { [door, core] in
            door.withLock { door in
                guard door.turns == turn else { return }
                core.faults.change { $0.door = .open }
            }
        }
    }
}
