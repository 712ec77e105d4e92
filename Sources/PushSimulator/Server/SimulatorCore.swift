import Locking
import ProcessRuntime
import WireTransport

/// What all connections of a simulator share.
final class SimulatorCore: Sendable {
    /// What is known of an open connection from outside.
    struct Entry: Sendable {
        let address: Address<ConnectionMessage>
    }

    private struct Book {
        var lastNumber = 0
        var open: [ConnectionID: Entry] = [:]
    }

    let configuration: SimulatedAPNs.Configuration
    let policy: CheckPolicy
    let tls: TLSContext
    let system: ProcessSystem
    let ledger: Ledger
    let faults = Faults()
    private let book = Locked(Book())
    private let isStarted = Locked(false)

    /// Connections at one time; those beyond it are turned away, so that a loop in a client does not eat the host's descriptors.
    private static let limit = 20_000

    init(_ configuration: SimulatedAPNs.Configuration, _ credentials: ThrowAwayCredentials) throws(SimulatorError) {
        self.configuration = configuration
        system = ProcessSystem(time: configuration.time)
        ledger = Ledger(detail: configuration.ledger)
        policy = CheckPolicy(
            environment: configuration.environment,
            verifier: TokenVerifier(keys: [try credentials.signingKey()] + configuration.keys),
            devices: configuration.devices, strictness: configuration.strictness, topics: configuration.topics,
            streamLimit: max(1, configuration.settings.maxConcurrentStreams),
            tokenLifetime: configuration.providerTokenLifetime)
        do {
            let identity = try Identity(
                certificate: Array(credentials.serverCertificatePEM.utf8), key: Array(credentials.serverKeyPEM.utf8))
            tls = try TLSContext.server(
                identity: identity, clientRoots: Array(credentials.authorityPEM.utf8),
                refusesUntrusted: configuration.untrustedCertificate == .alert)
        } catch {
            throw SimulatorError(.invalidCredential, "The server's certificate can't be used: \(error)")
        }
        faults.change { $0.start = system.time.now.nanoseconds }
        faults.whenTimedRuleComes { [weak self] in self?.tell(.ordersChanged, .all) }
    }

    var connections: [ConnectionID] { book.withLock { $0.open.keys.sorted() } }
    var connectionCount: Int { book.withLock { $0.open.count } }

    /// A provider connected: it gets a process, or is turned away.
    func accept(_ channel: any ByteChannel) {
        let id = book.withLock { book in
            book.lastNumber += 1
            return ConnectionID(book.lastNumber)
        }
        ledger.change { $0.connections += 1 }
        let welcome = welcome(id)
        guard welcome != .refusing, connectionCount < Self.limit else { return channel.abort() }
        ledger.change { $0.openConnections += 1 }
        let address = system.spawn(label: "simulated-apns.\(id)") {
            ConnectionProcess(id, channel, core: self, isSilent: welcome == .silent)
        }
        book.withLock { $0.open[id] = Entry(address: address) }
        // It may have ended before it stood in the book.
        if !system.isAlive(address.pid) { ended(id) }
    }

    /// The connection is gone. May be called twice.
    func ended(_ id: ConnectionID) {
        guard book.withLock({ $0.open.removeValue(forKey: id) }) != nil else { return }
        ledger.change { $0.openConnections -= 1 }
    }

    func tell(_ message: ConnectionMessage, _ selection: ConnectionSelection) {
        let addresses = book.withLock { book in
            if case .only(let id) = selection { return book.open[id].map { [$0.address] } ?? [] }
            return book.open.filter { selection.includes($0.key) }.sorted { $0.key < $1.key }.map(\.value.address)
        }
        for address in addresses { address.send(message) }
    }

    func endAll() {
        let pids = book.withLock { $0.open.values.map(\.address.pid) }
        for pid in pids { system.exit(pid, .shutdown) }
    }

    private func welcome(_ id: ConnectionID) -> Orders.Door {
        let orders = faults.current
        guard orders.door == .open else { return orders.door }
        for (rule, content) in orders.rules where content.trigger == .connecting && content.selection.includes(id) {
            switch content.fault {
            case .cut where fires(rule, content, id, orders): return .refusing
            case .deafen where fires(rule, content, id, orders): return .silent
            default: continue
            }
        }
        return .open
    }

    private func fires(_ rule: FaultRule.ID, _ content: FaultRule, _ id: ConnectionID, _ orders: Orders) -> Bool {
        let time = orders.time(system.time.now.nanoseconds)
        guard content.holds(at: time) else { return false }
        let isDrawn = content.isDrawn(rule, seed: configuration.seed, connection: id, event: 0)
        guard faults.fire(rule, FaultMoment(connection: id, time: time, isDrawn: isDrawn)) else { return false }
        ledger.change { $0.faults += 1 }
        return true
    }

    /// The simulator starts to listen: the times of the rules begin, once.
    func started() {
        let isFirst = isStarted.withLock { isStarted in
            defer { isStarted = true }
            return !isStarted
        }
        if isFirst { faults.change { $0.start = system.time.now.nanoseconds } }
    }
}
