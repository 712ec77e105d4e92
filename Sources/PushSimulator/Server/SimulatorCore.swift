import ProcessRuntime
import PushLocking
import PushTransport

/// The state shared by all connections of a simulator.
final class SimulatorCore: Sendable {
    let configuration: SimulatedAPNs.Configuration
    let policy: CheckPolicy
    let contexts: ServerContexts
    /// The seed of everything random.
    let seed: UInt64
    let system: ProcessSystem
    let ledger: Ledger
    /// Whether an export of metrics counts the pushes.
    var countsMetrics: Bool { configuration.exportSettings != nil }
    let faults = Faults()
    private let book = Locked(ConnectionBook())
    private let isStarted = Locked(false)

    init(_ configuration: SimulatedAPNs.Configuration, _ credentials: ThrowAwayCredentials) throws(SimulatorError) {
        self.configuration = configuration
        system = ProcessSystem(time: configuration.time)
        ledger = Ledger(detail: configuration.ledger)
        policy = CheckPolicy(
            environment: configuration.environment,
            verifier: TokenVerifier(keys: [try credentials.signingKey()] + configuration.keys),
            devices: configuration.devices, channels: configuration.channels, strictness: configuration.strictness,
            topics: configuration.topics.allowed(credentials),
            streamLimit: max(1, configuration.settings.maxConcurrentStreams),
            tokenLifetime: configuration.providerTokenLifetime)
        contexts = try ServerContexts(credentials, refusesUntrusted: configuration.untrustedCertificate == .alert)
        seed = configuration.script?.seed ?? configuration.seed
        configuration.channels.seed(seed)
        try begin(configuration.script)
        faults.change { $0.start = system.time.now.nanoseconds }
        faults.whenTimedRuleComes { [weak self] in self?.tell(.ordersChanged, .all) }
    }

    /// Activates a script before any provider connects, and makes the certificates that its rules need.
    private func begin(_ script: FaultScript?) throws(SimulatorError) {
        guard let script else { return }
        try script.check()
        for rule in script.rules {
            if case .tls(let fault) = rule.fault { _ = try contexts.context(fault) }
            faults.add(rule)
        }
    }

    var connections: [ConnectionID] { book.withLock { $0.open.keys.sorted() } }
    var connectionReports: [ConnectionReport] {
        let reports = book.withLock { $0.open.values.map(\.report) }
        return reports.map { $0.withLock { $0 } }.sorted { $0.connection < $1.connection }
    }
    var connectionCount: Int { book.withLock { $0.open.count } }

    /// Handles a new connection: it gets a process or is turned away.
    ///
    /// - Parameter limit: How many connections there may be, unless the configuration says so. A connection above it
    ///   takes the place of a stranger or an idle one, so that nobody can keep others out by connecting.
    func accept(_ channel: any ByteChannel, to service: Service, limit: Int) {
        let id = book.withLock { $0.nextID() }
        defer { for waiter in book.withLock({ $0.arrived(id) }) { waiter.continuation.resume() } }
        ledger.change { $0.connections += 1 }
        let acceptBehavior = acceptBehavior(id)
        if case .refused(.finish) = acceptBehavior.response { return channel.close() }
        guard acceptBehavior.response != .refused(.reset) else { return channel.abort() }
        let now = system.time.now.nanoseconds
        switch book.withLock({ $0.makeRoom(limit: max(1, configuration.maxConnections ?? limit), now: now) }) {
        case .free: break
        case .instead(_, let other): system.exit(other.address.pid, .shutdown)
        case .none: return channel.abort()
        }
        let activity = ConnectionActivity()
        let report = Locked(
            ConnectionReport(
                connection: id, isManagement: service == .management, openedAt: system.time.wallClockMilliseconds))
        ledger.note(id, .opened, wallClock: system.time.wallClockMilliseconds)
        ledger.change { $0.openConnections += 1 }
        // Added to the book before it can act, so that messages to all connections reach it.
        _ = system.spawn(label: "simulated-apns.\(id)") {
            ProviderConnectionProcess(
                id, channel, to: service, core: self, acceptBehavior: acceptBehavior, activity: activity, report: report
            )
        } introducing: { address in
            let entry = ConnectionBook.Entry(address: address, channel: channel, activity: activity, report: report)
            book.withLock { $0.add(entry, as: id) }
        }
    }

    /// Removes an ended connection.
    func ended(_ id: ConnectionID) {
        guard book.withLock({ $0.remove(id) }) else { return }
        if faults.current.deaf.contains(id) { faults.change { $0.deaf.remove(id) } }
        ledger.change { $0.openConnections -= 1 }
        ledger.note(id, .closed, wallClock: system.time.wallClockMilliseconds)
    }

    /// - Returns: The connections that were told.
    @discardableResult
    func tell(_ message: ProviderConnectionMessage, _ selection: ConnectionSelection) -> [ConnectionBook.Entry] {
        let entries = book.withLock { book in
            if case .only(let id) = selection { return book.open[id].map { [$0] } ?? [] }
            return book.open.filter { selection.includes($0.key) }.sorted { $0.key < $1.key }.map(\.value)
        }
        for entry in entries { entry.address.send(message) }
        return entries
    }

    /// Returns once the connections have acted, and their clients in memory have noticed.
    ///
    /// One that was let in a moment ago and is not in the book yet would miss the message, and stay open where new ones are refused.
    func tellAndWait(_ message: ProviderConnectionMessage, _ selection: ConnectionSelection) async {
        await withCheckedContinuation { continuation in
            if !book.withLock({ $0.add(continuation) }) { continuation.resume() }
        }
        let entries = tell(message, selection)
        for entry in entries { await entry.address.catchUp() }
        for entry in entries { await (entry.channel as? MemoryChannel)?.peerNotices() }
    }

    func endAll() {
        let pids = book.withLock { $0.open.values.map(\.address.pid) }
        for pid in pids { system.exit(pid, .shutdown) }
    }

    private func acceptBehavior(_ id: ConnectionID) -> AcceptBehavior {
        let orders = faults.current
        var acceptBehavior = AcceptBehavior()
        switch orders.listener {
        case .open: break
        case .refusing: acceptBehavior.response = .refused(.reset)
        case .silent: acceptBehavior.response = .silent
        }
        guard orders.listener == .open else { return acceptBehavior }
        for (rule, content) in orders.rules where content.trigger == .connecting && content.selection.includes(id) {
            guard content.fault.occasions.contains(.connecting), fires(rule, content: content, on: id, orders: orders)
            else { continue }
            acceptBehavior.add(content.fault)
        }
        return acceptBehavior
    }

    private func fires(_ rule: FaultRule.ID, content: FaultRule, on id: ConnectionID, orders: Orders) -> Bool {
        let time = orders.time(system.time.now.nanoseconds)
        guard content.holds(at: time) else { return false }
        let isDrawn = content.isDrawn(rule, seed: seed, connection: id, event: 0)
        guard faults.fire(rule, FaultMoment(connection: id, time: time, isDrawn: isDrawn)) else { return false }
        ledger.change { $0.faults += 1 }
        return true
    }

    /// Called when the simulator starts to listen. The first call starts the clock of the rules.
    func started() {
        let isFirst = isStarted.withLock { isStarted in
            defer { isStarted = true }
            return !isStarted
        }
        if isFirst { faults.change { $0.start = system.time.now.nanoseconds } }
    }
}

/// The messages to a connection.
enum ProviderConnectionMessage: Sendable {
    /// The orders have changed.
    case ordersChanged
    case perform(Fault)
    /// Send this many held answers, or all.
    case release(Int?)
    /// Stop being mute.
    case speak
}
