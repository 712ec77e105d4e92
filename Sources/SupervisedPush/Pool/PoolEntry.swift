import Dispatch
import ProcessRuntime
import PushLocking

/// A pool as its callers know it: a name, and the connections that serve it. It outlives its process and its
/// connections.
///
/// Its connections take pushes from one room; each push goes to one that has room for it.
final class PoolEntry: Destination {
    struct State {
        /// The connections that take pushes, the oldest first.
        var members: [ConnectionEntry] = []
        /// The connections that only finish their pushes.
        var retired: [ConnectionEntry] = []
        var size: ClosedRange<Int>
        /// What the connections that have ended had counted.
        var departed = ConnectionCounters()
    }

    let name: String?
    let childID: String
    let config: PushConnection.Configuration
    let credentials: CredentialSlot
    let life = Life<PoolMessage>(.pool)
    let hub: LifecycleHub
    let time: any TimeSource
    private let state: Locked<State>
    let hooks: EndHooks
    private let makeMember: @Sendable (PoolEntry, _ number: Int) -> ConnectionEntry
    /// Where its pushes wait.
    let outbox: Outbox
    /// Counts pushes that end without a connection.
    let watch: ConnectionWatch
    let gauges = PoolGauges()
    let delivery: OutcomeDelivery
    private let use: PoolUse

    /// - Parameter makeMember: Makes a connection of the pool, without a process yet.
    init(
        name: String, childID: String, size: ClosedRange<Int>, config: PushConnection.Configuration,
        credential: ResolvedCredential,
        owner: Mailbox<LifecycleMessage>?, budget: ByteBudget, seed: UInt64, time: any TimeSource,
        hooks: EndHooks,
        makeMember: @escaping @Sendable (PoolEntry, _ number: Int) -> ConnectionEntry
    ) {
        self.name = name
        self.childID = childID
        self.config = config
        credentials = CredentialSlot(credential, from: config)
        self.time = time
        self.hooks = hooks
        self.makeMember = makeMember
        let state = Locked(State(size: size))
        self.state = state
        // Not the pool itself, so that it is never released under the hub's lock.
        hub = LifecycleHub(name: name, owner: owner, time: time, members: { state.withLock { $0.members } })
        watch = ConnectionWatch(name: name, config: config, time: time)
        watch.follow(hub)
        delivery = OutcomeDelivery(label: "push.delivery.\(childID)", feedback: nil)
        use = PoolUse(life)
        outbox = Outbox(
            config, credentials: credentials, delivery: delivery, watch: watch, budget: budget, seed: seed, time: time,
            use: use)
        outbox.belongs(to: self, hub: hub)
        // They take pushes from the beginning, before any process lives.
        for number in 1...size.lowerBound { _ = addMember(number) }
    }

    var registeredName: String? { name }
    /// A pool does not belong to another pool.
    var pool: PoolEntry? { nil }

    var waitingCount: Int { room.load.waiting }

    var entrance: PushEntrance { outbox.entrance }

    /// Loads are not checked any more; the next push starts the checks again.
    func isUnwatched() { use.isUnwatched() }

    // MARK: Members

    /// Makes another connection; nil once the pool is closing.
    func addMember(_ number: Int) -> ConnectionEntry? {
        guard life.join(number, time.now) else { return nil }
        let entry = makeMember(self, number)
        let members = state.withLock { state in
            state.members.append(entry)
            return state.members.count
        }
        membersChanged(members)
        // A concurrent close may have missed this one.
        if !life.isOpen { entry.close(by: time.now) }
        return entry
    }

    /// It takes no more pushes. Returns whether it did until now.
    @discardableResult
    func retire(_ entry: ConnectionEntry) -> Bool {
        let members = state.withLock { state -> Int? in
            guard let place = state.members.firstIndex(where: { $0 === entry }) else { return nil }
            state.retired.append(state.members.remove(at: place))
            return state.members.count
        }
        if let members { membersChanged(members) }
        return members != nil
    }

    /// A connection has ended.
    func memberIsOver(_ entry: ConnectionEntry) {
        let counters = entry.watch.counters
        let members = state.withLock { state in
            state.members.removeAll { $0 === entry }
            state.retired.removeAll { $0 === entry }
            state.departed.add(counters)
            return state.members.count
        }
        membersChanged(members)
        // Before its end can end the pool, because a process that ends receives no later message.
        life.tell(.memberEnded(entry, entry.life.end?.refusal))
        live(.memberEnded(entry.memberNumber))
    }

    private func membersChanged(_ count: Int) {
        room.setMembers(count)
        hub.membersChanged()
    }

    var size: ClosedRange<Int> { state.withLock { $0.size } }

    func resize(_ size: ClosedRange<Int>) {
        state.withLock { $0.size = size }
        life.tell(.resize(size))
    }

    var serving: [ConnectionEntry] { state.withLock { $0.members } }

    /// Including those that only finish their pushes.
    var connections: [ConnectionEntry] { state.withLock { $0.members + $0.retired } }

    /// Its connections, and what those had counted that have ended; both at one moment.
    var connectionsAndDeparted: (connections: [ConnectionEntry], departed: ConnectionCounters) {
        state.withLock { ($0.members + $0.retired, $0.departed) }
    }

    // MARK: The process

    var restart: RestartPolicy { .permanent }

    var restartIntensity: RestartIntensity { .standard }

    func makeProcess(_ starter: ConnectionStarter) -> sending PoolProcess {
        PoolProcess(self) { member in _ = try starter.supervise(member) }
    }

    func processServes(_ pid: ProcessID) { life.tell(.start) }

    func processLeft(_ pid: ProcessID, reason: ExitReason) { isUnwatched() }

    func passOn(closeBy deadline: MonotonicInstant, isLeaving: Bool) {
        for connection in connections { connection.close(by: deadline) }
    }

    func leavePool() -> Bool { false }

    func stopProcess(_ end: LifeEnd) { life.tell(.end(end)) }

    /// One of its connections tries the offered credential.
    func resolveOffers(follows: Bool) {}

    // MARK: The end

    func forget() { hooks.forget(self) }
}

extension PoolEntry {
    /// The sums over its connections.
    func status(_ now: MonotonicInstant) -> ConnectionStatus { reading(now).status }

    /// Its status, and the statuses of its connections that it is made of.
    func reading(
        _ now: MonotonicInstant
    ) -> (status: ConnectionStatus, members: [(entry: ConnectionEntry, status: ConnectionStatus)]) {
        let (connections, departed) = connectionsAndDeparted
        let members = connections.map { (entry: $0, status: $0.status(now)) }
        return (status(of: members.map(\.status), departed: departed, now), members)
    }

    private func status(
        of all: [ConnectionStatus], departed: ConnectionCounters, _ now: MonotonicInstant
    ) -> ConnectionStatus {
        func sum(_ value: (ConnectionStatus) -> Int) -> Int { all.reduce(0) { $0 + value($1) } }
        var counters = departed
        for status in all { counters.add(status.counters) }
        // Pushes that ended without a connection.
        counters.add(watch.counters)
        let (load, bytes, standing) = (load, room.payloadBytes, hub.standing)
        let up = all.filter { $0.phase == .up }
        return ConnectionStatus(
            name: name, pid: pid, phase: standing.phase(refusal), outage: standing.outage, refusal: refusal,
            host: config.effectiveHost,
            port: (up.first ?? all.first)?.port ?? config.port, proxy: config.proxy.shown,
            credential: credentials.summary, generation: 0, inFlight: load.inFlight,
            waiting: load.waiting, waitingBytes: bytes.waiting, retrying: load.retrying,
            retryingBytes: bytes.retrying, streamLimit: sum(\.streamLimit),
            isThrottled: !up.isEmpty && up.allSatisfy(\.isThrottled),
            isShortOfWindow: !up.isEmpty && up.allSatisfy(\.isShortOfWindow), openStreams: sum(\.openStreams),
            lateStreams: sum(\.lateStreams), drainingLinks: sum(\.drainingLinks), rtt: all.compactMap(\.rtt).max(),
            tokenAge: credentials.current.authority?.age(now), counters: counters)
    }
}
