import Dispatch
import Logging
import ProcessRuntime
import PushHTTP2
import PushLocking
import PushTransport

/// A registry of supervised connections to APNs.
///
/// Make one per program, connect by name or anonymously, and push from any thread or task. Each connection is a process
/// that dials, reconnects and renews its provider token on its own. Its name stays valid until the connection is
/// closed. If the runtime and all its ``PushConnection`` values are released, its connections end without grace;
/// ``shutdown(within:)`` lets them finish.
///
/// All methods may be called from any thread. Only `pushBlocking` blocks.
public final class PushRuntime: Sendable {
    let system: ProcessSystem
    let registry: Registry
    let supervisor: Supervisor
    let credentialReader: CredentialReader
    let starter: ConnectionStarter
    private let shutDown = Locked(false)
    let configuration: Configuration
    let budget: ByteBudget
    /// For completions of pushes that found no connection.
    let refusals = RefusalDelivery(on: .forCallers, largestBatch: 1)
    /// Why connections and pools gave up. The first refusal ends ``run(until:)``.
    let givenUp = AsyncStream.makeStream(of: CredentialRefusal.self, bufferingPolicy: .bufferingOldest(1))
    /// The first shutdown. Later ones join it.
    let ending = Locked<Ending?>(nil)
    /// When the runtime was made.
    let start: MonotonicInstant
    let treeSignal = TreeSignal()
    let board: EventBoard
    let statusSocket = Locked(StatusSlot.none)

    /// Makes a runtime that uses the network and the system's clocks.
    public convenience init(_ configuration: Configuration = Configuration()) {
        self.init(
            configuration, time: SystemTime(),
            environment: ConnectionEnvironment(
                connector: SocketConnector(), wallClock: { SystemTime().wallClockMilliseconds },
                seed: { _ in .random(in: .min ... .max) }))
    }

    /// Makes a runtime with another network and another clock, for tests. Sessions can be made to fail, links can have
    /// few stream numbers, callers can push when a process gives up its turn, and pauses can be observed.
    package convenience init(
        _ configuration: Configuration = Configuration(logger: nil), time: any TimeSource, connector: any Connector,
        seed: @escaping @Sendable (ProcessID) -> UInt64,
        makeSession: (@Sendable (_ name: String?, ClientSession.Configuration) throws -> ClientSession)? = nil,
        lastStream: Int32? = nil, giveWay: (@Sendable () -> Void)? = nil,
        onPause: (@Sendable (_ end: MonotonicInstant) -> Void)? = nil
    ) {
        var environment = ConnectionEnvironment(
            connector: connector, wallClock: { time.wallClockMilliseconds }, seed: seed)
        if let makeSession { environment.makeSession = makeSession }
        if let lastStream { environment.lastStream = lastStream }
        if let giveWay { environment.giveWay = giveWay }
        environment.onPause = onPause
        self.init(configuration, time: time, environment: environment)
    }

    init(_ configuration: Configuration, time: any TimeSource, environment: ConnectionEnvironment) {
        self.configuration = configuration
        budget = ByteBudget(limit: configuration.maxWaitingBytes)
        start = time.now
        system = ProcessSystem(time: time)
        registry = Registry()
        board = EventBoard(registry)
        credentialReader = CredentialReader(time: time)
        supervisor = Supervisor(system: system, label: "push.connections") { [registry, treeSignal] event in
            registry.destination(ofChild: event.id)?.hear(event)
            treeSignal.changed()
        }
        starter = ConnectionStarter(
            system: system, registry: registry, supervisor: supervisor, environment: environment,
            treeSignal: treeSignal, board: board)
        openConfiguredStatusSocket()
    }

    deinit {
        endObservation()
        for destination in registry.destinations { destination.close(by: now) }
    }

    /// The runtime's clock.
    package var now: MonotonicInstant { system.time.now }

    // MARK: Connecting

    /// Starts a named connection and returns at once; the connection dials on its own.
    ///
    /// The connection keeps the name until it is closed or given up: through reconnects, and through restarts of its
    /// process, which change the pid. Push right away; pushes wait for the link.
    ///
    /// - Parameters:
    ///   - name: The name of the connection.
    ///   - config: The credential, endpoint, defaults and limits. Files are read here, on the caller's thread.
    ///   - owner: Subscribed before the first dial. Receives fire-and-forget pushes handed back.
    /// - Returns: The connection, for every other call.
    /// - Throws: ``ConnectError`` for errors that need no network to be found: a name that is taken (with the pid that
    ///   holds it), a key that cannot be read or used, a value out of range, an invalid proxy URL in the environment.
    @discardableResult
    public func connect(
        name: String, config: PushConnection.Configuration, owner: Mailbox<LifecycleMessage>? = nil
    ) throws(ConnectError) -> PushConnection {
        guard !name.isEmpty else { throw ConnectError(.configuration, "A connection's name must not be empty.") }
        if let holder = registry.pid(of: name) { throw .nameTaken(name, by: holder) }
        return try start(name, config: config, owner: owner)
    }

    /// Starts an anonymous connection, known only by its handle and its pid.
    ///
    /// It is not restarted if its process fails, unless ``PushConnection/Configuration/Retry/restart`` says so: a pid
    /// is never reused, and a restarted process has another one. Otherwise as ``connect(name:config:owner:)``.
    public func connect(
        config: PushConnection.Configuration, owner: Mailbox<LifecycleMessage>? = nil
    ) throws(ConnectError) -> PushConnection {
        try start(nil, config: config, owner: owner)
    }

    private func start(
        _ name: String?, config: PushConnection.Configuration, owner: Mailbox<LifecycleMessage>?
    ) throws(ConnectError) -> PushConnection {
        let label = name.map { "connection:\($0)" } ?? "anonymous"
        return PushConnection(self, destination: try start(name, label: label, config: config, owner: owner))
    }

    /// - Parameter label: The name of its process, together with a number.
    func start(
        _ name: String?, label: String, config: PushConnection.Configuration, owner: Mailbox<LifecycleMessage>?,
        session: ClientSession.Configuration = .init()
    ) throws(ConnectError) -> ConnectionEntry {
        guard !isShutDown else {
            throw .shutDown()
        }
        let config = try validated(config)
        let entry = ConnectionEntry(
            name: name, childID: registry.newChildID(label), config: config,
            credential: try credentialReader.resolve(config), owner: owner, budget: budget, time: system.time,
            seed: starter.environment.seed(ProcessID(0)), session: session,
            hooks: endHooks)
        _ = try starter.supervise(entry)
        // A shutdown that has just begun may have missed this connection.
        guard !isShutDown else {
            entry.close(by: now)
            throw .shutDown()
        }
        entry.followOwner()
        watchCredential(of: entry)
        return entry
    }

    /// The configuration, validated and with the present environment.
    func validated(_ config: PushConnection.Configuration) throws(ConnectError) -> PushConnection.Configuration {
        try config.validated().with { $0.watching.logger = $0.watching.logger ?? configuration.logger }
    }

    /// What the runtime does when a connection or a pool ends.
    var endHooks: EndHooks {
        EndHooks(
            release: { [supervisor] in supervisor.release($0.childID) },
            forget: { [registry, givenUp] destination in
                registry.remove(destination)
                // If a pool's connection is given up, the pool handles it.
                guard destination.pool == nil, let refusal = destination.end?.refusal else { return }
                givenUp.continuation.yield(refusal)
            })
    }

    var isShutDown: Bool { shutDown.withLock { $0 } }

    func refuseConnections() { shutDown.withLock { $0 = true } }
}

extension PushRuntime {
    /// The configuration of a runtime. Every value has a default.
    public struct Configuration: Sendable {
        /// The most payload bytes that may wait in all connections together. Each connection also has a limit of its
        /// own. Default 256 MiB, at least 1 MiB. Connections reserve bytes in chunks of at most 8 KiB, and hold none
        /// while idle.
        public var maxWaitingBytes: Int
        /// How long a runtime that runs as a service continues after a graceful shutdown begins: waiting pushes are
        /// still sent, pushes in flight may finish. Default 10 s. The product
        /// `PushServiceLifecycle` makes it a service.
        public var drainLimit: Duration
        /// Where connections without a logger of their own log; nil: nowhere. The default is a logger with the label
        /// `supervised-push`. It writes to the backend that the program's `LoggingSystem.bootstrap` set, otherwise to
        /// standard error.
        public var logger: Logger?
        /// The path of a Unix socket that tells the state of the runtime, for `pushctl top`; nil, the default: none. If
        /// it cannot be opened, the log says why at level error, and the runtime works without it. See
        /// ``PushRuntime/openStatusSocket(at:)``.
        public var statusSocket: String?

        /// Makes a configuration.
        public init(
            maxWaitingBytes: Int = 256 << 20, drainLimit: Duration = .seconds(10),
            logger: Logger? = Logger(label: "supervised-push"), statusSocket: String? = nil
        ) {
            self.maxWaitingBytes = maxWaitingBytes
            self.drainLimit = drainLimit
            self.logger = logger
            self.statusSocket = statusSocket
        }
    }
}
