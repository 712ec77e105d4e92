/// The life of one connection, decided purely: events in, actions out. No socket, no queue, no clock, no chance.
///
/// It knows the pushes that are in flight and those that are late; what waits is in the name's ``WaitingRoom``. It says how many more
/// it can take (``readiness(_:)``), writes what it gets, and gives back what has to wait again.
///
/// Phases:
/// - `idle`: not begun. To `dialing` on `start`.
/// - `dialing`: a link is being set up. To `up` on the peer's SETTINGS, to `down` on failure.
/// - `up`: pushes become streams of the current link. To `dialing` when it is replaced by force – GOAWAY, a stall – and
///   drains, to `down` when it breaks. While it is replaced by choice, it stays.
/// - `down`: the pause before the next attempt. To `dialing` when it is over.
/// - `suspended`: APNs refuses the credential. To `dialing` with a push that tries it again.
/// - `ended`: every push has its outcome; nothing happens any more.
///
/// Closing is no phase: it can begin in any of them and ends them all at its deadline.
///
/// What lives at a time: one current link, one that is dialled, and up to four that drain. Pushes in flight live in one table; its
/// slots travel through the session and come back with the answers, so that nothing is looked up by stream.
struct ConnectionMachine {
    enum Phase: Equatable {
        case idle
        case dialing
        case up
        case down(until: MonotonicInstant)
        case suspended
        case ended
    }

    var settings: ConnectionSettings
    let process: ProcessID
    var phase = Phase.idle
    var current: LinkState?
    var dialed: LinkState?
    var draining: [LinkState] = []
    /// The successor that is wanted although the current link works.
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
    /// When a stream may be reset for the push that waits for its slot.
    var awaitedReset: MonotonicInstant?
    private(set) var generation = 0
    private(set) var linksDialed: UInt32 = 0

    /// - Parameter credential: what is known of the credential at the start.
    init(
        settings: ConnectionSettings, process: ProcessID, seed: UInt64, credential: ShownCredential = ShownCredential()
    ) {
        self.settings = settings
        self.process = process
        backoff = Backoff(ceiling: settings.backoffCeiling, seed: seed)
        ports = PortChoice(settings.port, fallsBack: settings.fallsBackToOtherPort)
        self.credential = credential
    }

    mutating func handle(_ event: ConnectionEvent, _ now: MonotonicInstant, into actions: inout [ConnectionAction]) {
        guard phase != .ended else { return late(event, &actions) }
        switch event {
        case .start: start(now, &actions)
        case .taken(let supply): taken(supply, now, &actions)
        case .look: askWhetherLinkLives(now, &actions)
        case .cancel(let record): cancel(record, now, &actions)
        case .loading(let link): dialLoads(link, true)
        case .loaded(let link): dialLoads(link, false)
        case .dialReached(let link, let stage): dialReached(link, stage, now)
        case .linkUp(let link, let maximum): linkUp(link, maximum, now, &actions)
        case .limit(let link, let maximum): limitChanged(link, maximum, now, &actions)
        case .unsendable(let link, let slot, let why): unsendable(link, slot, why, now, &actions)
        case .answered(let link, let slot, let response, let retryFrom):
            answered(link, slot, response, retryFrom, now, &actions)
        case .streamClosed(let link, let slot, let end, let fate): streamClosed(link, slot, end, fate, now, &actions)
        case .goAway(let link, let reason): goAway(link, reason, now, &actions)
        case .received(let link): received(link, now)
        case .pong(let link, let ping): pong(link, ping, now, &actions)
        case .linkLost(let link, let cause, let streams, let lastSubmitted):
            linkLost(link, cause, streams, lastSubmitted, now, &actions)
        case .withdrawn(let slot, let fate): withdrawn(slot, fate, now, &actions)
        case .tokenChecked(let link, let slot, let isNewer, let response):
            tokenChecked(link, slot, isNewer, response, now, &actions)
        case .tick: tick(now, &actions)
        case .close(let deadline): close(deadline, now, &actions)
        case .credential(let news): heard(news, isOwn: false, now, &actions)
        case .judged(let news, let isSound):
            credential.isSound = isSound
            if let news { heard(news, isOwn: true, now, &actions) }
        case .credentialOffered(let offer): credentialOffered(offer, now, &actions)
        }
        if let probe = credential.probe { settleProbe(probe, now, &actions) }
        endIfHopeless(&actions)
    }

    /// How it stands at the end of a drain, and `nextWake`. It changes nothing: `mutating` lets the compiler look at the machine
    /// where it is; it would otherwise copy it, with all its references, for each question.
    mutating func standing() -> (gauges: ConnectionGauges, nextWake: MonotonicInstant?) {
        (ConnectionGauges(self), nextWake)
    }

    /// When the machine wants its next `tick` at the latest; nil: it waits for something else.
    var nextWake: MonotonicInstant? {
        if phase == .ended { return nil }
        var wake = deadlines.earliest
        func consider(_ instant: MonotonicInstant?) {
            if let instant { wake = min(wake ?? instant, instant) }
        }
        if case .down(let until) = phase { consider(until) }
        consider(dialed?.deadline)
        consider(replacement?.retryAt)
        consider(current?.liveness.nextWake)
        for link in draining {
            consider(link.deadline)
            consider(link.liveness.nextWake)
        }
        consider(closingDeadline)
        consider(awaitedReset)
        return wake == PushTimes.never ? nil : wake
    }

    /// True while the peer's limit is below what it once allowed on this link: it does that after rejections.
    var isThrottled: Bool { current?.isThrottled ?? false }

    /// Nothing may be lost even after the end: what was taken and not written goes back.
    private func late(_ event: ConnectionEvent, _ actions: inout [ConnectionAction]) {
        switch event {
        case .taken(let supply): for push in supply.pushes { actions.append(.giveBack(ReturnedPush(untouched: push))) }
        case .credentialOffered(let offer): decline(offer, .closed, &actions)
        default: break
        }
    }

    // MARK: Links

    private mutating func start(_ now: MonotonicInstant, _ actions: inout [ConnectionAction]) {
        guard phase == .idle else { return }
        guard credential.refusal != nil else { return dial(now, &actions) }
        // It is tried with a push – or never, and the connection ends like the others of its name.
        phase = .suspended
        if credential.isHopeless { closingDeadline = now }
    }

    /// Begins an attempt to connect.
    mutating func dial(_ now: MonotonicInstant, _ actions: inout [ConnectionAction]) {
        linksDialed += 1
        let link = LinkState(
            id: LinkID(number: linksDialed), port: ports.port, now: now,
            deadline: now.advanced(by: settings.connectTimeout), settings.liveness)
        dialed = link
        if current == nil { phase = .dialing }
        actions.append(.dial(link.id, port: link.port))
    }

    /// Pauses before the next attempt to connect.
    mutating func pause(_ cause: LinkFailure, _ now: MonotonicInstant, _ actions: inout [ConnectionAction]) {
        if credential.refusal != nil { return stopProbing(&actions) }
        let delay = backoff.next()
        phase = .down(until: now.advanced(by: delay))
        actions.append(.post(.reconnecting(attempt: backoff.attempt, delay: delay, cause: cause)))
    }

    private mutating func linkUp(
        _ id: LinkID, _ maximum: Int?, _ now: MonotonicInstant, _ actions: inout [ConnectionAction]
    ) {
        guard var link = dialed, link.id == id else { return }
        takeOffer(from: id, &actions)
        dialed = nil
        replacement = nil
        if let predecessor = current {
            announce(.draining(generation: predecessor.generation, reason: nil), &actions)
            drain(predecessor, now, &actions)
        }
        generation += 1
        link.generation = generation
        link.allow(limit(maximum))
        link.upSince = now
        link.liveness = Liveness(now, settings.liveness)
        current = link
        phase = .up
        announce(.connectionUp(generation: generation), &actions)
        actions.append(.noteSettings)
    }

    private mutating func limitChanged(
        _ id: LinkID, _ maximum: Int?, _ now: MonotonicInstant, _ actions: inout [ConnectionAction]
    ) {
        guard current?.id == id else { return }
        let limit = limit(maximum)
        current?.allow(limit)
        actions.append(.noteSettings)
    }

    /// Our cap or the peer's limit, whichever is lower; a peer that states none leaves the cap.
    private func limit(_ maximum: Int?) -> Int {
        max(0, min(settings.maxInFlight, maximum ?? settings.maxInFlight))
    }

    /// Tells owner and subscribers. While the credential is refused for good they hear nothing of the probe's links.
    func announce(_ fact: ConnectionFact, _ actions: inout [ConnectionAction]) {
        if credential.refusal == nil { actions.append(.post(fact)) }
    }

    mutating func end(_ actions: inout [ConnectionAction]) {
        phase = .ended
        actions.append(.stop(credential.isHopeless ? credential.refusal : nil))
    }
}
