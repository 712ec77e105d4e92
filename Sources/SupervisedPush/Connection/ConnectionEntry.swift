import Dispatch
import HTTP2Session
import Locking
import Logging
import WireTransport

/// A connection as its callers know it: it outlives its processes. The name and the subscribers belong to it, and the room in which its
/// pushes wait, unless it is one of a pool's.
final class ConnectionEntry: Sendable, Outbox.Owner {
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
        /// The number of the live process in the room.
        var holder = WaitingRoom.nobody
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
    /// Where its pushes wait: its own, or its pool's.
    let outbox: Outbox
    let hub: LifecycleHub
    let delivery: OutcomeDelivery
    let time: any TimeSource
    let state = Locked(State())
    private let feedback: FeedbackDelivery?
    let watch: ConnectionWatch
    /// The pool it belongs to, and its number there.
    let pool: PoolEntry?
    let memberNumber: Int
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
        memberNumber: Int = 0, seed: UInt64 = 0, session: ClientSession.Configuration = .init(), ending: Ending
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
        outbox =
            pool?.outbox
            ?? Outbox(config, credentials, delivery, watch, budget: budget, seed: seed, time: time)
        if pool == nil { outbox.belongs(to: self) }
    }

    var room: SharedWaitingRoom { outbox.room }

    /// Where pushes go that are called by its name or its pid.
    var entrance: PushEntrance { PushEntrance(outbox: outbox, holder: pool == nil ? WaitingRoom.nobody : holder) }

    /// The number of the live process in the room.
    var holder: WaitingRoom.HolderID {
        get { state.withLock { $0.holder } }
        set { state.withLock { $0.holder = newValue } }
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

    /// Why APNs refused the credential, if that ended the last process.
    var refusal: CredentialRefusal? { state.withLock { $0.refusal } }

    /// The name that leads to it; a pool's connection has none, although it says the pool's of itself.
    var registeredName: String? { pool == nil ? name : nil }

    /// Tells the live process, if there is one.
    func tell(_ message: ConnectionMessage) { state.withLock { $0.process }?.send(message) }

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
            guard !state.isClosing else { return HandBackBatch() }
            defer { state.returned = HandBackBatch() }
            return state.returned
        }
        guard let returned else { return false }
        hub.began(process.pid)
        giveToOwner(returned)
        watch.processBegan(process.pid)
        process.send(.start)
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
    func processEnded(_ pid: ProcessID, _ reason: ExitReason) {
        guard self.pid == pid else { return }
        let follows = state.withLock { state in
            state.process = nil
            state.holder = WaitingRoom.nobody
            state.refusal = reason.credentialRefusal
            return survives(reason, state)
        }
        // No link is up: a successor shows what is on offer from the first.
        processLeftCredential(follows: follows)
        watch.processEnded(pid, reason)
        hub.post(.down(pid: pid, reason: reason), phase: .down)
        pool?.refreshPhase()
        if !follows { finish(givingUp: reason.isAbnormal) }
    }

    /// Its process was asked to end, and no other follows.
    func endsByRequest(_ holder: WaitingRoom.HolderID, _ now: MonotonicInstant) {
        if pool == nil { room.close(by: now) } else { room.beginLeaving(holder) }
    }

    /// The end of the connection: whatever is still here is answered, then the name becomes free.
    ///
    /// - Parameter givingUp: whether nobody asked for it.
    func finish(givingUp: Bool) {
        let wasFirst = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
        guard wasFirst else { return }
        answerAll(givingUp: givingUp)
    }

    /// The rest of the end, for whoever was the one to set `hasEnded`.
    private func answerAll(givingUp: Bool) {
        let (refusal, isClosing) = state.withLock { ($0.refusal, $0.isClosing) }
        ending.release(self)
        let givingUp = givingUp && !isClosing
        // What waits for a pool's connections, others serve.
        if pool == nil { room.end(refusal.map { .refused($0) } ?? (givingUp ? .givenUp : .closed)) }
        room.whenHandedOver { [delivery] in delivery.afterwards { self.end(givingUp) } }
    }

    /// Every outcome was handed over, every completion has returned.
    private func end(_ givingUp: Bool) {
        feedback?.close()
        processLeftCredential(follows: false)
        if pool == nil { credentials.end() }
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

    // MARK: Hand-back

    /// Gives pushes back: to `close` while the connection closes, else to the owner's mailbox. What ends before the first
    /// process waits for it: the message names a process.
    func handBack(_ batch: HandBackBatch) {
        guard !batch.isEmpty else { return }
        let isKept = state.withLock { state in
            guard state.isClosing || state.hasEnded || state.latestPid == nil, !state.isOver else { return false }
            state.returned.append(batch)
            return true
        }
        if !isKept { giveToOwner(batch) }
    }

    /// Posts to the owner's mailbox; what nobody takes goes to the log, as a number.
    func giveToOwner(_ batch: HandBackBatch) {
        guard !batch.pushes.isEmpty else { return }
        if let latestPid, hub.handBack(.handedBack(pid: latestPid, name: name, batch.handBack)) { return }
        watch.handBackLost(batch, latestPid)
    }

    /// Does with the connection what its owner policy says, once the owner's mailbox is closed or released.
    func followOwner() {
        guard let limit = config.ownerPolicy.limit else { return }
        hub.whenOwnerGoes { [weak self] in
            // Whoever closed or released the mailbox holds who knows what lock.
            guard let self else { return }
            delivery.timerQueue.async { self.close(by: self.time.now.advanced(by: limit)) }
        }
    }

    // MARK: Closing

    /// Refuses further pushes and has the process send what it can by the deadline, then end. Called again, it can bring
    /// the deadline forward.
    ///
    /// - Parameter isLeaving: whether others of its pool go on, and take what waits.
    func close(by deadline: MonotonicInstant, leaving isLeaving: Bool = false) {
        let (process, isEnd) = state.withLock { state in
            state.isClosing = true
            // Between two processes there is nobody to tell: the connection ends here, and no process may begin any more.
            let isEnd = state.process == nil && !state.hasEnded
            if isEnd { state.hasEnded = true }
            return (state.process, isEnd)
        }
        // What ends from here on is handed back to who closes.
        if pool == nil { room.close(by: deadline) }
        if isEnd { return answerAll(givingUp: false) }
        // A process that is ending does not hear it; its end will find the connection closing.
        guard let process else { return }
        ending.release(self)
        process.send(.close(deadline: deadline, isLeaving: isLeaving))
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
            break  // The room says it.
        case .replacementFailed(let attempt, let delay, let cause):
            hub.post(.replacementFailed(pid: pid, name: name, attempt: attempt, delay: delay, cause: cause))
        case .late(let record, let streamID, let outcome):
            hub.post(
                .lateResponse(LateResponse(record, streamID, outcome, name: name, pid)))
        }
    }
}
