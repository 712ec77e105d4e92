import Dispatch
import Logging
import ProcessRuntime
import PushHTTP2
import PushLocking
import PushTransport

/// A connection as its callers know it: it outlives its processes. It owns the name, the subscribers, and the room in
/// which its pushes wait; a pool's connections share the pool's room.
final class ConnectionEntry: Destination {
    let name: String?
    let childID: String
    /// The outbox keeps it; a pool's connections have the pool's.
    var config: PushConnection.Configuration { outbox.config }
    /// A pool's connections share the pool's slot.
    let credentials: CredentialSlot
    let endpoint: Endpoint
    var settings: ConnectionSettings { ConnectionSettings(config) }
    /// The configuration of the HTTP/2 sessions of its links.
    let session: ClientSession.Configuration
    /// Where its pushes wait: its own, or its pool's.
    let outbox: Outbox
    let hub: LifecycleHub
    let delivery: OutcomeDelivery
    let time: any TimeSource
    let life = Life<ConnectionMessage>(.connection)
    let watch: ConnectionWatch
    private let feedback: FeedbackDelivery?
    /// The number of the live process in the room.
    private let holding = Locked(WaitingRoom.nobody)
    /// The pool it belongs to, and its number there.
    let pool: PoolEntry?
    let memberNumber: Int
    let hooks: EndHooks

    init(
        name: String?, childID: String, config: PushConnection.Configuration, credential: ResolvedCredential,
        owner: Mailbox<LifecycleMessage>?, budget: ByteBudget, time: any TimeSource, pool: PoolEntry? = nil,
        memberNumber: Int = 0, seed: UInt64 = 0, session: ClientSession.Configuration = .init(), hooks: EndHooks
    ) {
        self.name = name
        self.childID = childID
        credentials = pool?.credentials ?? CredentialSlot(credential, from: config)
        self.time = time
        self.pool = pool
        self.memberNumber = memberNumber
        self.hooks = hooks
        endpoint = config.endpoint
        self.session = session
        let hub = LifecycleHub(name: name, owner: owner, time: time, relay: pool?.hub)
        self.hub = hub
        let watch = ConnectionWatch(
            name: name, config: config, time: time, pool: pool.map { ($0.gauges, memberNumber) })
        self.watch = watch
        if pool == nil { watch.follow(hub) }
        feedback = config.feedback.map { handler in
            FeedbackDelivery(
                handler: handler, onFailure: { [weak hub] error in watch.feedbackFailed(error, of: hub?.pid) },
                onOverflow: { [weak hub] count in
                    watch.feedbackDropped(count, of: hub?.pid)
                    hub?.feedbackOverflowed(name, count: count)
                })
        }
        delivery = OutcomeDelivery(label: "push.delivery.\(childID)", feedback: feedback)
        outbox =
            pool?.outbox
            ?? Outbox(
                config, credentials: credentials, delivery: delivery, watch: watch, budget: budget, seed: seed,
                time: time)
        if pool == nil { outbox.belongs(to: self, hub: hub) }
    }

    /// Where pushes go that are called by its name or its pid.
    var entrance: PushEntrance { pool == nil ? outbox.entrance : PushEntrance(outbox: outbox, holder: holder) }

    /// The number of the live process in the room.
    var holder: WaitingRoom.HolderID {
        get { holding.withLock { $0 } }
        set { holding.withLock { $0 = newValue } }
    }

    /// The value of `:authority`: without the port if it is the scheme's default (RFC 9110, section 4.2.2).
    var authority: String { config.authority }

    var hasFeedback: Bool { feedback != nil }

    /// The credential in use.
    var credential: ResolvedCredential { credentials.current }

    /// The credential for its next link.
    var nextCredential: ResolvedCredential { credentials.next(at: memberNumber) }

    /// The registered name. A pool's connection has none, although it reports the pool's as its name.
    var registeredName: String? { pool == nil ? name : nil }

    var connections: [ConnectionEntry] { [self] }
    var serving: [ConnectionEntry] { [self] }

    // MARK: The processes

    var restart: RestartPolicy { config.retry.restart ?? (name == nil ? .temporary : .permanent) }

    var restartIntensity: RestartIntensity { config.retry.restartIntensity }

    func makeProcess(_ starter: ConnectionStarter) -> sending ConnectionProcess {
        ConnectionProcess(self, environment: starter.environment)
    }

    func processServes(_ pid: ProcessID) {
        watch.processBegan(pid)
        life.tell(.start)
    }

    func processLeft(_ pid: ProcessID, reason: ExitReason) {
        holder = WaitingRoom.nobody
        watch.processEnded(pid, reason: reason)
    }

    func passOn(closeBy deadline: MonotonicInstant, isLeaving: Bool) {
        life.tell(.close(deadline: deadline, isLeaving: isLeaving))
    }

    func leavePool() -> Bool {
        guard let pool, pool.life.isOpen else { return false }
        if pool.retire(self) { pool.life.tell(.memberLeft(memberNumber)) }
        return true
    }

    /// Its process ends on its own once it is told to close.
    func stopProcess(_ end: LifeEnd) {}

    /// Its process was asked to end, and no other follows.
    func endsByRequest(_ holder: WaitingRoom.HolderID, _ now: MonotonicInstant) {
        if pool == nil { room.close(by: now) } else { room.beginLeaving(holder) }
    }

    // MARK: The end

    func forget() {
        feedback?.close()
        hooks.forget(self)
        pool?.memberIsOver(self)
    }

    // MARK: Reports of the process

    func post(_ fact: ConnectionFact, of pid: ProcessID) {
        watch.report(fact, of: pid)
        if let message = fact.message(pid, name: name) { hub.post(message) }
    }
}

extension ConnectionFact {
    var changesPhase: Bool {
        switch self {
        case .connectionUp, .reconnecting, .draining, .suspended: true
        case .credentialRefused, .retriesStopped, .replacementFailed, .late: false
        }
    }

    /// The message for subscribers.
    fileprivate func message(_ pid: ProcessID, name: String?) -> LifecycleMessage? {
        switch self {
        case .connectionUp(let generation): .connectionUp(pid: pid, name: name, generation: generation)
        case .reconnecting(let attempt, let delay, let cause):
            .reconnecting(pid: pid, name: name, attempt: attempt, delay: delay, cause: cause)
        case .draining(let generation, let reason):
            .draining(pid: pid, name: name, generation: generation, reason: reason)
        case .suspended(let refusal, let nextProbe):
            .suspended(pid: pid, name: name, cause: refusal, nextProbe: nextProbe)
        case .credentialRefused: nil  // The end of the process is reported instead.
        case .retriesStopped: nil  // The room reports it.
        case .replacementFailed(let attempt, let delay, let cause):
            .replacementFailed(pid: pid, name: name, attempt: attempt, delay: delay, cause: cause)
        case .late(let record, let streamID, let outcome):
            .lateResponse(LateResponse(record, streamID: streamID, outcome: outcome, name: name, pid: pid))
        }
    }
}

/// The observable state of a connection.
extension ConnectionEntry {
    var waitingCount: Int { pool == nil ? room.load.waiting : room.boundCount(holder) }

    func status(_ now: MonotonicInstant) -> ConnectionStatus {
        let (standing, gauges, load, refusal) = (hub.standing, watch.gauges, load, refusal)
        let bytes = pool == nil ? room.payloadBytes : (0, 0)
        // In a pool, a connection counts what is in flight on its links and what waits for it alone.
        return ConnectionStatus(
            name: name, pid: pid, phase: standing.phase(refusal), outage: standing.outage, refusal: refusal,
            host: config.effectiveHost,
            port: gauges.port == 0 ? config.port : gauges.port, proxy: config.proxy.shown,
            credential: credentials.summary, generation: standing.generation,
            inFlight: load.inFlight, waiting: load.waiting, waitingBytes: bytes.0, retrying: load.retrying,
            retryingBytes: bytes.1, streamLimit: gauges.limit, isThrottled: gauges.isThrottled,
            isShortOfWindow: gauges.isShortOfWindow, openStreams: gauges.openStreams, lateStreams: gauges.late,
            drainingLinks: gauges.draining,
            rtt: gauges.rtt, tokenAge: credential.authority?.age(now), counters: watch.counters)
    }
}
