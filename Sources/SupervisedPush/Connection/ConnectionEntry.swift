import HTTP2Session
import Locking
import Logging
import Synchronization
import WireTransport

/// A connection as its callers know it: it outlives its processes. The name, the intake and the subscribers belong to it.
final class ConnectionEntry: Sendable {
    struct State {
        /// The live process; nil between two processes and after the end.
        var process: Address<ConnectionMessage>?
        var latestPid: ProcessID?
        var isClosing = false
        /// No process follows any more.
        var hasEnded = false
        /// Everybody was answered, the name is free.
        var isOver = false
        var closers: [ClosingCaller] = []
        var returned = HandBackBatch()
        /// Keeps the time of pushes while no process lives.
        var gapTimer: (any OneShotTimer)?
        var gapArmedFor: MonotonicInstant?
        var credentialWasAccepted = false
        /// Why the last process ended, if APNs refused the credential.
        var refusal: CredentialRefusal?
    }

    let name: String?
    let childID: String
    let config: ConnectionConfig
    /// A pool's connections share the pool's.
    let credentials: CredentialSlot
    let endpoint: Endpoint
    let settings: ConnectionSettings
    /// How the HTTP/2 sessions of its links behave.
    let session: ClientSession.Configuration
    /// What holds for pushes whose options say nothing else.
    let policy: PushPolicy
    let intake: Intake
    let hub: LifecycleHub
    let delivery: OutcomeDelivery
    let time: any TimeSource
    let state = Locked(State())
    private let feedback: FeedbackDelivery?
    let watch: ConnectionWatch
    /// The pool it belongs to, and its number there.
    let pool: PoolEntry?
    let memberNumber: Int
    /// How it stands, for callers who compare connections: published by its process.
    private let published = Atomic<UInt64>(0)
    private let ending: Ending

    /// What the runtime does when a connection ends.
    struct Ending: Sendable {
        /// No process may follow: called first.
        let release: @Sendable (ConnectionEntry) -> Void
        /// Everybody was answered: the name becomes free.
        let forget: @Sendable (ConnectionEntry) -> Void
    }

    init(
        name: String?, childID: String, config: ConnectionConfig, credential: ResolvedCredential,
        owner: Mailbox<LifecycleMessage>?, budget: ByteBudget, time: any TimeSource, pool: PoolEntry? = nil,
        memberNumber: Int = 0, session: ClientSession.Configuration = .init(), ending: Ending
    ) {
        self.name = name
        self.childID = childID
        self.config = config
        credentials = pool?.credentials ?? CredentialSlot(credential, from: config)
        self.time = time
        self.pool = pool
        self.memberNumber = memberNumber
        self.ending = ending
        endpoint = config.endpoint
        settings = ConnectionSettings(config)
        self.session = session
        policy = PushPolicy(config)
        intake = Intake(
            bounds: .init(maxWaiting: config.maxWaiting, maxWaitingBytes: config.maxWaitingBytes), budget: budget)
        let hub = LifecycleHub(owner: owner, relay: pool?.hub)
        self.hub = hub
        let watch = ConnectionWatch(name: name, config: config, time: time)
        self.watch = watch
        feedback = config.feedback.map { handler in
            FeedbackDelivery(handler: handler, logger: config.logger) { [weak hub] count in
                watch.feedbackDropped(count)
                hub?.feedbackOverflowed(name, count)
            }
        }
        delivery = OutcomeDelivery(label: "push.delivery.\(childID)", feedback: feedback)
    }

    /// The value of `:authority`: without the port where it is the scheme's own (RFC 9110 section 4.2.2).
    var authority: String { config.authority }

    var hasFeedback: Bool { feedback != nil }

    /// Notes answers on a link with this credential, for what feedback says of the environment; see
    /// `CredentialSlot.noteAnswers`. All connections of a pool together.
    @discardableResult
    func noteAnswers(to credential: ResolvedCredential, others: Int, isBad: Bool = false) -> Bool {
        credentials.noteAnswers(to: credential, others: others, isBad: isBad)
    }

    /// The live process; nil between two processes and after the end.
    var pid: ProcessID? { state.withLock { $0.process?.pid } }

    /// The live process, or the last one.
    var latestPid: ProcessID? { state.withLock { $0.latestPid } }

    /// The credential in use.
    var credential: ResolvedCredential { credentials.current }

    /// What its next link shows.
    var nextCredential: ResolvedCredential { credentials.next(at: memberNumber) }

    /// Whether APNs accepted a push with the credential, in this process or one before it.
    var credentialWasAccepted: Bool { pool?.credentialWasAccepted ?? state.withLock { $0.credentialWasAccepted } }

    func noteAcceptance() {
        if let pool { pool.noteAcceptance(by: self) } else { state.withLock { $0.credentialWasAccepted = true } }
    }

    /// Why APNs refused the credential, if that ended the last process.
    var refusal: CredentialRefusal? { state.withLock { $0.refusal } }

    /// The name that leads to it; a pool's connection has none, although it says the pool's of itself.
    var registeredName: String? { pool == nil ? name : nil }

    /// Tells the live process, if there is one.
    func tell(_ message: ConnectionMessage) { state.withLock { $0.process }?.send(message) }

    // MARK: For callers who compare connections

    var standing: MemberStanding {
        let word = published.load(ordering: .relaxed)
        return MemberStanding(word, intake.crowd)
    }

    func publish(_ gauges: ConnectionGauges) {
        published.store(MemberStanding.word(gauges), ordering: .relaxed)
    }

    /// The phase is another one than after the burst before.
    func stands(_ phase: ConnectionPhase) {
        hub.stands(phase)
        pool?.refreshPhase()
    }

    // MARK: The processes

    /// A process serves the connection from now on; false if the connection ended before, and nothing is to serve it.
    func processBegan(_ process: Address<ConnectionMessage>) -> Bool {
        let returned = state.withLock { state -> HandBackBatch? in
            guard !state.hasEnded else { return nil }
            state.process = process
            state.latestPid = process.pid
            state.gapArmedFor = nil
            guard !state.isClosing else { return HandBackBatch() }
            defer { state.returned = HandBackBatch() }
            return state.returned
        }
        guard let returned else { return false }
        hub.began(process.pid)
        giveToOwner(returned)
        watch.processBegan(process.pid)
        process.send(.start)
        intake.attach(process)
        return true
    }

    /// Which ends of a process another one follows, as long as the connection is not closed.
    var restart: RestartPolicy { config.restart ?? (name == nil ? .temporary : .permanent) }

    /// Whether another process follows one that ends so. The supervisor has the last word: it may give up.
    func survives(_ reason: ExitReason) -> Bool { state.withLock { survives(reason, $0) } }

    private func survives(_ reason: ExitReason, _ state: State) -> Bool {
        restart.restarts(after: reason) && reason.credentialRefusal == nil && !state.isClosing && !state.hasEnded
    }

    /// A process ended: another one follows, or this is the end of the connection.
    func processEnded(_ pid: ProcessID, _ reason: ExitReason, passingOn pushes: [PassedOnPush]) {
        guard self.pid == pid else { return }
        // What it passes on is there before anybody can find the connection without a process, and end it.
        let cancelled = intake.detach(passingOn: pushes)
        let follows = state.withLock { state in
            state.process = nil
            state.refusal = reason.credentialRefusal
            return survives(reason, state)
        }
        answer(cancelled) { .cancelled(PushEntry($0)) }
        // No link is up: a successor shows what is on offer from the first.
        processLeftCredential(follows: follows)
        watch.processEnded(pid, reason)
        publish(ConnectionGauges(phase: .down))
        hub.post(.down(pid: pid, reason: reason), phase: .down)
        pool?.refreshPhase()
        if follows {
            keepTime()
        } else {
            finish(givingUp: reason.isAbnormal)
        }
    }

    /// The end of the connection: whatever is still here is answered, then the name becomes free.
    ///
    /// - Parameter givingUp: whether nobody asked for it.
    func finish(givingUp: Bool) {
        let wasFirst = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
        guard wasFirst else { return answer(intake.drain()) { .closed($0) } }
        answerAll(givingUp: givingUp)
    }

    /// The rest of the end, for whoever was the one to set `hasEnded`.
    private func answerAll(givingUp: Bool) {
        let (refusal, isClosing) = state.withLock { ($0.refusal, $0.isClosing) }
        ending.release(self)
        let givingUp = givingUp && !isClosing
        answer(intake.drain()) { push in
            if let refusal { return .credentialRefused(push.record.id, refusal) }
            return givingUp ? .givenUp(push) : .closed(push)
        }
        delivery.afterwards { self.end(givingUp) }
    }

    /// Every outcome was handed over, every completion has returned.
    private func end(_ givingUp: Bool) {
        feedback?.close()
        processLeftCredential(follows: false)
        if pool == nil { credentials.end() }
        let timer = state.withLock { state in
            defer { state.gapTimer = nil }
            return state.gapTimer
        }
        timer?.cancel()
        ending.forget(self)
        let (closers, returned) = state.withLock { state in
            state.isOver = true
            defer { (state.closers, state.returned) = ([], HandBackBatch()) }
            return (state.closers, state.returned)
        }
        if !closers.contains(where: \.takesHandBack) { giveToOwner(returned) }
        watch.finish(givingUp: givingUp)
        if givingUp { hub.post(.givenUp(name: name)) }
        hub.end()
        // What is handed back has one owner: the first who asked.
        let taker = closers.first(where: \.takesHandBack)
        for closer in closers { closer.resume(closer === taker ? returned.handBack : HandBack()) }
    }

    // MARK: Closing

    /// Refuses further pushes and has the process send what it can by the deadline, then end. Called again, it can bring
    /// the deadline forward.
    func close(by deadline: MonotonicInstant) {
        intake.close()
        let (process, isEnd) = state.withLock { state in
            state.isClosing = true
            // Between two processes there is nobody to tell: the connection ends here, and no process may begin any more.
            let isEnd = state.process == nil && !state.hasEnded
            if isEnd { state.hasEnded = true }
            return (state.process, isEnd)
        }
        if isEnd { return answerAll(givingUp: false) }
        // A process that is ending does not hear it; its end will find the connection closing.
        guard let process else { return }
        ending.release(self)
        process.send(.close(deadline: deadline))
    }

    /// Resumes the caller once the connection has ended and its last completion has returned.
    func whenOver(_ caller: ClosingCaller) {
        let isOver = state.withLock { state in
            if !state.isOver { state.closers.append(caller) }
            return state.isOver
        }
        if isOver { caller.resume(HandBack()) }
    }

    /// The caller goes, although the connection has not ended: it takes what was handed back so far.
    func leave(_ caller: ClosingCaller) {
        let returned = state.withLock { state -> HandBackBatch? in
            guard let index = state.closers.firstIndex(where: { $0 === caller }) else { return nil }
            state.closers.remove(at: index)
            guard caller.takesHandBack else { return HandBackBatch() }
            defer { state.returned = HandBackBatch() }
            return state.returned
        }
        if let returned { caller.resume(returned.handBack) }
    }

    // MARK: What the process tells

    func post(_ fact: ConnectionFact, _ pid: ProcessID) {
        watch.note(fact, pid)
        switch fact {
        case .connectionUp(let generation):
            hub.post(.connectionUp(pid: pid, name: name, generation: generation), phase: .up, generation: generation)
        case .reconnecting(let attempt, let delay, let cause):
            hub.post(
                .reconnecting(pid: pid, name: name, attempt: attempt, delay: delay, cause: cause), phase: .down)
        case .draining(let generation, let reason):
            hub.post(
                .draining(pid: pid, name: name, generation: generation, reason: reason), phase: .dialing)
        case .suspended(let refusal, let nextProbe):
            hub.post(
                .suspended(pid: pid, name: name, cause: refusal, nextProbe: nextProbe), phase: .suspended)
        case .credentialRefused:
            break  // What is told is the end of the process.
        case .retriesStopped:
            break  // Each answer says it.
        case .replacementFailed(let attempt, let delay, let cause):
            hub.post(.replacementFailed(pid: pid, name: name, attempt: attempt, delay: delay, cause: cause))
        case .late(let record, let streamID, let outcome):
            hub.post(
                .lateResponse(LateResponse(record, streamID, outcome, name: name, pid)))
        }
        pool?.heard(fact, from: self)
    }
}
