import ProcessRuntime

/// The life of one connection as a pure machine: events in, actions out. No socket, no queue, no clock, no randomness.
///
/// It knows the pushes in flight and the late ones; waiting pushes are in the name's ``WaitingRoom``. It reports how
/// many more it can accept (``readiness(_:)``), writes what it gets, and returns what has to wait again.
///
/// There is at most one current link, one that is being dialled, and four that drain. Pushes in flight are in one
/// table. Its slots travel through the session and come back with the answers, so no lookup by stream is needed.
///
/// The phase follows from these links and is not stored (``phase``). Closing is not a phase: it can begin in any phase,
/// and ends it at the deadline.
struct ConnectionMachine: StateMachine {
    typealias Action = ConnectionAction

    enum Phase: Equatable {
        /// Not begun. To `dialing` on `start`.
        case idle
        /// A link is being set up. To `up` on the peer's SETTINGS, to `down` on failure.
        case dialing
        /// Pushes become streams of the current link. To `dialing` when it is replaced by force (GOAWAY, a stall) and
        /// drains, to `down` when it breaks. Stays `up` while it is replaced by choice.
        case up
        /// The pause before the next attempt. To `dialing` when it is over.
        case down(until: MonotonicInstant)
        /// APNs refuses the credential. To `dialing` with a push that probes it.
        case suspended
        /// Every push has its outcome. No further events.
        case ended
    }

    var settings: ConnectionSettings
    let process: ProcessID
    var current: UpLink?
    var dialed: Attempt?
    var draining: [DrainingLink] = []
    /// When the next attempt begins, after a failed one.
    var pausedUntil: MonotonicInstant?
    private(set) var hasEnded = false
    /// The successor of a link that still works.
    var replacement: Replacement?
    var table = PushTable()
    var deadlines = DeadlineQueue()
    var backoff: Backoff
    var ports: PortChoice
    var credential: ShownCredential
    var inFlight = 0
    /// True once a link refused a stream of a push that waits again.
    var hasRefused = false
    var closingDeadline: MonotonicInstant?
    /// What links served that the peer ended.
    var shares = ServedShares()
    /// The link without an answer whose end led to the present pause. An answer to it ends the pause.
    var pausedAfter: LinkID?
    /// What is known about links that take no more bytes.
    var shortage = WindowShortage()
    /// When a stream may be reset for a push that waits for its slot.
    var awaitedReset: MonotonicInstant?
    /// The instant of the present event, and the actions it causes.
    private(set) var now = MonotonicInstant(nanoseconds: 0)
    var actions: [ConnectionAction] = []
    private(set) var generation = 0
    private(set) var linksDialed: UInt32 = 0

    /// - Parameter credential: What is known about the credential at the start.
    init(
        settings: ConnectionSettings, process: ProcessID, seed: UInt64, credential: ShownCredential = ShownCredential()
    ) {
        self.settings = settings
        self.process = process
        backoff = Backoff(ceiling: settings.backoffCeiling, seed: seed)
        ports = PortChoice(settings.port, fallsBack: settings.fallsBackToOtherPort)
        self.credential = credential
    }

    mutating func handle(_ event: Event, _ now: MonotonicInstant, into actions: inout [ConnectionAction]) {
        act(now, into: &actions) { $0.handle(event) }
    }

    /// Makes the instant and the list of actions available to all code that handles the event.
    mutating func act(
        _ now: MonotonicInstant, into actions: inout [ConnectionAction], _ body: (inout ConnectionMachine) -> Void
    ) {
        self.now = now
        swap(&self.actions, &actions)
        body(&self)
        swap(&self.actions, &actions)
    }

    private mutating func handle(_ event: Event) {
        guard !hasEnded else { return late(event) }
        switch event {
        case .start: start()
        case .taken(let supply): taken(supply)
        case .pushesWait: askWhetherLinkLives()
        case .window(let link, let window): windowChanged(link, to: window)
        case .cancel(let record): cancel(record)
        case .dialReached(let link, let step): dialReached(link, step: step)
        case .burst(let link, let news, let hasBytes): heard(news, of: link, hasBytes: hasBytes)
        case .unsendable(let link, let slot, let why): unsendable(on: link, slot: slot, because: why)
        case .linkLost(let link, let cause, let streams, let lastSubmitted):
            linkLost(link, cause: cause, streams: streams, lastSubmitted: lastSubmitted)
        case .withdrawn(let slot, let state): withdrawn(slot, state: state)
        case .tokenChecked(let link, let slot, let isNewer, let response):
            tokenChecked(on: link, slot: slot, isNewer: isNewer, response: response)
        case .tick: tick()
        case .close(let deadline): close(deadline)
        case .credential(let news): heard(news, isOwn: false)
        case .judged(let news, let isOwn, let isHealthy):
            credential.isHealthy = isHealthy
            if let news { heard(news, isOwn: isOwn) }
        case .credentialOffered(let offer): credentialOffered(offer)
        }
        if let probe = credential.probe { reviewProbe(probe) }
        endIfRejectedForGood()
    }

    /// The phase, computed from the links.
    var phase: Phase {
        if hasEnded { return .ended }
        if current != nil { return shortage.awaitsProof ? .dialing : .up }
        if dialed != nil { return .dialing }
        if let pausedUntil { return .down(until: pausedUntil) }
        return credential.refusal == nil ? .idle : .suspended
    }

    /// The load at the end of a drain, and `nextWake`. It changes nothing: `mutating` lets the compiler read the
    /// machine in place; otherwise it would copy it, with all its references, for each property.
    mutating func standing() -> (gauges: ConnectionGauges, nextWake: MonotonicInstant?) {
        (ConnectionGauges(self), nextWake)
    }

    /// When the machine needs its next `tick` at the latest; nil if it waits for other events.
    var nextWake: MonotonicInstant? {
        if hasEnded { return nil }
        var wake = deadlines.earliest
        func consider(_ instant: MonotonicInstant?) {
            if let instant { wake = min(wake ?? instant, instant) }
        }
        consider(pausedUntil)
        consider(dialed?.deadline)
        consider(replacement?.retryAt)
        consider(current?.liveness.nextWake)
        consider(current?.shortSince?.advanced(by: settings.liveness.stall))
        for link in draining {
            consider(link.deadline)
            consider(link.link.liveness.nextWake)
        }
        // Once it has passed and no push is in flight, nothing more is due by it.
        if let closingDeadline, closingDeadline > now || inFlight > 0 { consider(closingDeadline) }
        consider(awaitedReset)
        return wake == PushTimes.never ? nil : wake
    }

    /// True while the peer's limit is lower than it has been on this link, as after rejections.
    var isThrottled: Bool { current?.isThrottled ?? false }

    /// No push may be lost even after the end: pushes that were taken and not written are returned.
    private mutating func late(_ event: Event) {
        switch event {
        case .taken(let supply): for push in supply.pushes { actions.append(.giveBack(ReturnedPush(untouched: push))) }
        case .credentialOffered(let offer): decline(offer, end: .closed)
        default: break
        }
    }

    // MARK: Links

    private mutating func start() {
        if phase == .idle { return dial() }
        // A push will probe it, or none will, and the connection ends with the others of its name.
        if credential.isRejectedForGood { closingDeadline = now }
    }

    /// Begins an attempt to connect.
    mutating func dial() {
        linksDialed += 1
        let id = LinkID(number: linksDialed)
        dialed = Attempt(id: id, port: ports.port, deadline: now.advanced(by: settings.connectTimeout))
        pausedUntil = nil
        pausedAfter = nil
        actions.append(.dial(id, port: ports.port, refreshes: credential.refusal != nil))
    }

    /// Pauses before the next attempt to connect.
    mutating func pause(_ cause: LinkFailure) {
        if credential.refusal != nil { return stopProbing() }
        let delay = backoff.next()
        pausedUntil = now.advanced(by: delay)
        actions.append(.post(.reconnecting(attempt: backoff.attempt, delay: delay, cause: cause)))
    }

    /// - Parameter maximum: How many streams the peer allows; nil leaves our own limit.
    mutating func settings(_ maximum: Int?, of id: LinkID) {
        let limit = max(0, min(settings.maxInFlight, maximum ?? settings.maxInFlight))
        if let attempt = dialed, attempt.id == id {
            linkUp(attempt, limit: limit)
        } else if current?.id == id {
            current?.allow(limit)
            actions.append(.noteSettings)
        }
    }

    private mutating func linkUp(_ attempt: Attempt, limit: Int) {
        acceptOffer(from: attempt.id)
        dialed = nil
        replacement = nil
        if let predecessor = current {
            announceDraining(predecessor, reason: nil)
            drain(predecessor)
        }
        generation += 1
        current = UpLink(attempt, generation: generation, limit: limit, now, policy: settings.liveness)
        current?.offer = shares.offer
        if current?.offer == nil, settings.firstFlight < settings.maxInFlight {
            current?.offer = LinkOffer(firstFlight: settings.firstFlight)
        }
        if !shortage.awaitsProof { announce(.connectionUp(generation: generation)) }
        actions.append(.noteSettings)
    }

    /// Reports to owner and subscribers. While the credential is refused, the links of probes are not reported.
    mutating func announce(_ fact: ConnectionFact) {
        if credential.refusal == nil { actions.append(.post(fact)) }
    }

    /// From here on nothing is dialled or written.
    mutating func end() { hasEnded = true }
}
