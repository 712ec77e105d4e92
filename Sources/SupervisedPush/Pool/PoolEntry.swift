import Dispatch
import Locking
import Synchronization

/// A pool as its callers know it: a name, and connections that serve it. It outlives its process and its connections.
///
/// Its connections pull from one room: which of them takes a push is decided by who has room for it.
final class PoolEntry: Sendable, Outbox.Owner {
    struct State {
        /// Those that pushes go to, the oldest first.
        var members: [ConnectionEntry] = []
        /// Those that finish what they have.
        var retired: [ConnectionEntry] = []
        var size: ClosedRange<Int>
        var process: Address<PoolMessage>?
        var latestPid: ProcessID?
        var isClosing = false
        /// No process serves it any more: it ends with its last connection.
        var isAbandoned = false
        /// Its last connection has ended.
        var isFinishing = false
        /// Everybody was answered, the name is free.
        var isOver = false
        /// Why the last process ended, if APNs refused the credential.
        var refusal: CredentialRefusal?
        var closers: [ClosingCaller] = []
        var returned = HandBackBatch()
    }

    let name: String
    let childID: String
    let config: ConnectionConfig
    let credentials: CredentialSlot
    let hub: LifecycleHub
    let time: any TimeSource
    let state: Locked<State>
    /// What the runtime does when it is over: the name becomes free.
    private let forget: @Sendable (PoolEntry) -> Void
    /// What it does last, when everybody has heard of the end: a shutdown waits for it.
    private let release: @Sendable (PoolEntry) -> Void
    private let makeMember: @Sendable (PoolEntry, _ number: Int) -> ConnectionEntry
    /// Where its pushes wait.
    let outbox: Outbox
    /// Counts what ends without a connection.
    let watch: ConnectionWatch
    let delivery: OutcomeDelivery
    /// True while the process compares loads.
    private let isWatched = Atomic<Bool>(false)

    /// - Parameter makeMember: makes a connection of the pool, without a process yet.
    init(
        name: String, childID: String, size: ClosedRange<Int>, config: ConnectionConfig, credential: ResolvedCredential,
        owner: Mailbox<LifecycleMessage>?, budget: ByteBudget, seed: UInt64, time: any TimeSource,
        forget: @escaping @Sendable (PoolEntry) -> Void,
        release: @escaping @Sendable (PoolEntry) -> Void,
        makeMember: @escaping @Sendable (PoolEntry, _ number: Int) -> ConnectionEntry
    ) {
        self.name = name
        self.childID = childID
        self.config = config
        credentials = CredentialSlot(credential, from: config)
        self.time = time
        self.forget = forget
        self.release = release
        self.makeMember = makeMember
        hub = LifecycleHub(owner: owner)
        watch = ConnectionWatch(name: name, config: config, time: time)
        delivery = OutcomeDelivery(label: "push.delivery.\(childID)", feedback: nil)
        outbox = Outbox(config, credentials, delivery, watch, budget: budget, seed: seed, time: time)
        state = Locked(State(size: size))
        outbox.belongs(to: self)
        // They take pushes from the first moment, before any process lives.
        for number in 1...size.lowerBound { _ = addMember(number) }
    }

    var room: SharedWaitingRoom { outbox.room }

    /// Where pushes go that are called by its name or its pid.
    var entrance: PushEntrance {
        if !isWatched.load(ordering: .relaxed), !isWatched.exchange(true, ordering: .relaxed) {
            state.withLock { $0.process }?.send(.busy)
        }
        return PushEntrance(outbox: outbox)
    }

    /// Nobody looks at the loads any more: the next push says so.
    func isUnwatched() { isWatched.store(false, ordering: .relaxed) }

    // MARK: Members

    /// Makes one more; nil once the pool is closing.
    func addMember(_ number: Int) -> ConnectionEntry? {
        let entry = makeMember(self, number)
        let members = state.withLock { state -> Int? in
            guard !state.isClosing, !state.isFinishing else { return nil }
            state.members.append(entry)
            return state.members.count
        }
        guard let members else {
            entry.finish(givingUp: false)
            return nil
        }
        room.setMembers(members)
        return entry
    }

    /// It gets no more pushes.
    func retire(_ entry: ConnectionEntry) {
        let members = state.withLock { state in
            state.members.removeAll { $0 === entry }
            state.retired.append(entry)
            return state.members.count
        }
        room.setMembers(members)
    }

    /// A connection is gone for good.
    func memberIsOver(_ entry: ConnectionEntry) {
        let refusal = entry.refusal
        let (process, members, isLast) = state.withLock { state in
            state.members.removeAll { $0 === entry }
            state.retired.removeAll { $0 === entry }
            let isLast = state.isAbandoned && state.members.isEmpty && state.retired.isEmpty && !state.isOver
            return (state.process, state.members.count, isLast)
        }
        room.setMembers(members)
        if isLast { return finish(givingUp: true) }
        process?.send(.memberEnded(entry, refusal))
    }

    var size: ClosedRange<Int> { state.withLock { $0.size } }

    func resize(_ size: ClosedRange<Int>) {
        let process = state.withLock { state in
            state.size = size
            return state.process
        }
        process?.send(.resize(size))
    }

    var members: [ConnectionEntry] { state.withLock { $0.members } }

    /// Those as well that finish what they have.
    var everyMember: [ConnectionEntry] { state.withLock { $0.members + $0.retired } }

    // MARK: Hand-back

    /// Gives pushes back: to `close` while the pool closes, else to the owner's mailbox.
    func handBack(_ batch: HandBackBatch) {
        guard !batch.isEmpty else { return }
        let isKept = state.withLock { state in
            guard state.isClosing || state.isFinishing || state.latestPid == nil, !state.isOver else { return false }
            state.returned.append(batch)
            return true
        }
        if !isKept { giveToOwner(batch) }
    }

    private func giveToOwner(_ batch: HandBackBatch) {
        guard !batch.pushes.isEmpty else { return }
        if let latestPid, hub.handBack(.handedBack(pid: latestPid, name: name, batch.handBack)) { return }
        watch.handBackLost(batch, latestPid)
    }

    /// Does with the pool what its owner policy says, once the owner's mailbox is closed or released.
    func followOwner() {
        guard let limit = config.ownerPolicy.limit else { return }
        hub.whenOwnerGoes { [weak self] in
            // Whoever closed or released the mailbox holds who knows what lock.
            guard let self else { return }
            DispatchQueue.global(qos: .userInteractive).async { self.close(by: self.time.now.advanced(by: limit)) }
        }
    }

    /// Where the pool stands: as the best of its connections does.
    func refreshPhase() {
        var told: ConnectionPhase
        // Two of them may come here at once, and the one that looked first may tell last: who told looks again.
        repeat {
            told = bestPhase
            hub.stands(told)
        } while told != bestPhase
    }

    private var bestPhase: ConnectionPhase {
        let phases = members.map(\.watch.gauges.phase)
        return [.up, .dialing, .down].first(where: phases.contains) ?? phases.first ?? .down
    }

    // MARK: The process and the end

    var pid: ProcessID? { state.withLock { $0.process?.pid } }
    var latestPid: ProcessID? { state.withLock { $0.latestPid } }

    /// A process serves the pool from now on; false if the pool is over.
    func processBegan(_ process: Address<PoolMessage>) -> Bool {
        let (isWanted, isClosing) = state.withLock { state in
            guard !state.isFinishing else { return (false, false) }
            state.process = process
            state.latestPid = process.pid
            return (true, state.isClosing)
        }
        guard isWanted else { return false }
        hub.began(process.pid)
        process.send(isClosing ? .close(deadline: time.now) : .start)
        return true
    }

    func processEnded(_ pid: ProcessID, _ reason: ExitReason) {
        state.withLock { state in
            if state.process?.pid == pid { state.process = nil }
            state.refusal = reason.credentialRefusal
        }
        isUnwatched()
        hub.post(.down(pid: pid, reason: reason))
    }

    /// Refuses further pushes and has every connection send what it can by the deadline.
    func close(by deadline: MonotonicInstant) {
        let (members, process) = state.withLock { state in
            state.isClosing = true
            return (state.members + state.retired, state.process)
        }
        room.close(by: deadline)
        process?.send(.close(deadline: deadline))
        for member in members { member.close(by: deadline) }
    }

    /// No connection is started from now on.
    func beginClosing() { state.withLock { $0.isClosing = true } }

    /// Its process failed too often: the pool is given up.
    func abandon() {
        let isEmpty = state.withLock { state in
            state.isAbandoned = true
            return state.members.isEmpty && state.retired.isEmpty && !state.isOver
        }
        close(by: time.now)
        if isEmpty { finish(givingUp: true) }
    }

    /// Resumes the caller once the last connection has ended and the name is free.
    func whenOver(_ caller: ClosingCaller) {
        let isOver = state.withLock { state in
            if !state.isOver { state.closers.append(caller) }
            return state.isOver
        }
        if isOver { caller.resume(HandBack()) }
    }

    /// The caller goes, although the pool has not ended: it takes what was handed back so far.
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

    /// Every connection is gone: what is still here is answered, then the name becomes free.
    func finish(givingUp: Bool) {
        let (isFirst, refusal, isClosing) = state.withLock { state in
            defer { state.isFinishing = true }
            return (!state.isFinishing, state.refusal, state.isClosing)
        }
        guard isFirst else { return }
        room.end(refusal.map { .refused($0) } ?? (givingUp && !isClosing ? .givenUp : .closed))
        room.whenHandedOver { [delivery] in delivery.afterwards { self.end(givingUp) } }
    }

    /// Every outcome was handed over, every completion has returned.
    private func end(_ givingUp: Bool) {
        credentials.end()
        // Before anybody can find that it is over.
        forget(self)
        let (closers, returned) = state.withLock { state in
            state.isOver = true
            defer { (state.closers, state.returned) = ([], HandBackBatch()) }
            return (state.closers, state.returned)
        }
        if !closers.contains(where: \.takesHandBack) { giveToOwner(returned) }
        watch.finish(givingUp: givingUp)
        if givingUp { hub.post(.givenUp(name: name)) }
        hub.end()
        let taker = closers.first(where: \.takesHandBack)
        for closer in closers { closer.resume(closer === taker ? returned.handBack : HandBack()) }
        release(self)
    }

    /// Why no push goes out any more; nil while one may.
    var endError: PushError? {
        let (isOver, isClosing, refusal) = state.withLock { ($0.isOver, $0.isClosing, $0.refusal) }
        guard isOver else { return nil }
        if let refusal { return .notUp(refusal) }
        return isClosing ? .closed(nil) : .givenUp()
    }

    /// Why APNs refused the credential, if that ended the last process.
    var refusal: CredentialRefusal? { state.withLock { $0.refusal } }

    var isClosing: Bool { state.withLock { $0.isClosing } }
    /// True once its last connection has ended: no process follows.
    var isFinishing: Bool { state.withLock { $0.isFinishing } }
}
