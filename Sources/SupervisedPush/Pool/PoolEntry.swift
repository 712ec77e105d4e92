import Dispatch
import Locking
import Synchronization

/// A pool as its callers know it: a name, and connections that serve it. It outlives its process and its connections.
final class PoolEntry: Sendable {
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
    private let accepted = Atomic<Bool>(false)
    /// Where the search for the least loaded begins: so that equals take turns.
    private let turn = Atomic<Int>(0)
    /// How often pushes went from one connection to another.
    let moves = MoveCount()
    /// True while the process compares loads.
    private let isWatched = Atomic<Bool>(false)

    /// - Parameter makeMember: makes a connection of the pool, without a process yet.
    init(
        name: String, childID: String, size: ClosedRange<Int>, config: ConnectionConfig, credential: ResolvedCredential,
        owner: Mailbox<LifecycleMessage>?, time: any TimeSource, forget: @escaping @Sendable (PoolEntry) -> Void,
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
        state = Locked(State(size: size))
        // They take pushes from the first moment, before any process lives.
        for number in 1...size.lowerBound { _ = addMember(number) }
    }

    // MARK: Choosing a connection

    /// The connection that a request goes to.
    func member(for recipient: @autoclosure () -> Recipient, _ options: PushOptions) throws(PushError)
        -> ConnectionEntry
    {
        guard let member = choose(recipient(), options.ordered ?? config.ordered, options.mark) else {
            throw .closed(nil)
        }
        if !isWatched.load(ordering: .relaxed), !isWatched.exchange(true, ordering: .relaxed) {
            state.withLock { $0.process }?.send(.busy)
        }
        return member
    }

    private func choose(_ recipient: @autoclosure () -> Recipient, _ order: PushOrder, _ mark: PushOptions.Mark)
        -> ConnectionEntry?
    {
        let members = state.withLock { $0.members }
        guard members.count > 1 else { return members.first }
        // One in flight per device: whoever has the earlier one must have the later one as well.
        if order == .perDevice {
            return members[Int(UInt(bitPattern: recipient().hashValue) % UInt(members.count))]
        }
        return leastLoaded(of: members, isSuspect: mark == .suspect)
    }

    private func leastLoaded(of members: [ConnectionEntry], isSuspect: Bool) -> ConnectionEntry? {
        let start = turn.wrappingAdd(1, ordering: .relaxed).newValue & Int.max
        return MemberStanding.best(of: members.count, from: start % max(1, members.count), isSuspect: isSuspect) {
            members[$0].standing
        }.map { members[$0] }
    }

    /// Nil if none takes pushes any more. One that has ended is a member until its last completion has returned.
    var leastLoaded: ConnectionEntry? { leastLoaded(of: members.filter { !$0.intake.isClosed }, isSuspect: false) }

    /// Nobody looks at the loads any more: the next push says so.
    func isUnwatched() { isWatched.store(false, ordering: .relaxed) }

    // MARK: Members

    /// Makes one more; nil once the pool is closing.
    func addMember(_ number: Int) -> ConnectionEntry? {
        let entry = makeMember(self, number)
        let isWanted = state.withLock { state in
            if !state.isClosing { state.members.append(entry) }
            return !state.isClosing
        }
        if !isWanted { entry.finish(givingUp: false) }
        return isWanted ? entry : nil
    }

    func retire(_ entry: ConnectionEntry) {
        state.withLock { state in
            state.members.removeAll { $0 === entry }
            state.retired.append(entry)
        }
    }

    /// A connection is gone for good.
    func memberIsOver(_ entry: ConnectionEntry) {
        let refusal = entry.refusal
        let (process, isLast) = state.withLock { state in
            state.members.removeAll { $0 === entry }
            state.retired.removeAll { $0 === entry }
            let isLast = state.isAbandoned && state.members.isEmpty && state.retired.isEmpty && !state.isOver
            return (state.process, isLast)
        }
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

    /// One that takes a push, for which a caller has chosen one that was retired or has ended at that moment.
    func openMember(otherThan entry: ConnectionEntry) -> ConnectionEntry? {
        isClosing ? nil : members.last { $0 !== entry && !$0.intake.isClosed }
    }

    var members: [ConnectionEntry] { state.withLock { $0.members } }

    /// Those as well that finish what they have.
    var everyMember: [ConnectionEntry] { state.withLock { $0.members + $0.retired } }

    // MARK: What members tell

    var credentialWasAccepted: Bool { accepted.load(ordering: .relaxed) }

    func noteAcceptance(by member: ConnectionEntry) {
        guard !accepted.exchange(true, ordering: .relaxed) else { return }
        tell(.heard(member, .accepted))
    }

    func heard(_ fact: ConnectionFact, from member: ConnectionEntry) {
        switch fact {
        case .connectionUp: tell(.heard(member, .up))
        case .draining, .reconnecting: tell(.heard(member, .left))
        case .suspended(let refusal, _): tell(.heard(member, .suspended(refusal)))
        default: break
        }
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

    private func tell(_ message: PoolMessage) { state.withLock { $0.process }?.send(message) }

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
        let phases = members.map(\.standing.phase)
        return [.up, .dialing, .down].first(where: phases.contains) ?? phases.first ?? .down
    }

    // MARK: The process and the end

    var pid: ProcessID? { state.withLock { $0.process?.pid } }
    var latestPid: ProcessID? { state.withLock { $0.latestPid } }

    /// A process serves the pool from now on; false if the pool is over.
    func processBegan(_ process: Address<PoolMessage>) -> Bool {
        let (isWanted, isClosing) = state.withLock { state in
            guard !state.isOver else { return (false, false) }
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
        process?.send(.close(deadline: deadline))
        for member in members { member.close(by: deadline) }
    }

    /// No connection is started from now on.
    func beginClosing() { state.withLock { $0.isClosing = true } }

    /// Returns once the pool is over, or at the deadline: a completion that blocks holds its end up.
    func isOver(by deadline: MonotonicInstant) async {
        let caller = ClosingCaller(takesHandBack: false)
        whenOver(caller)
        let timer = time.makeTimer(on: .global(qos: .userInteractive)) { caller.resume(HandBack()) }
        timer.arm(at: deadline)
        _ = await caller.value()
        timer.cancel()
    }

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

    /// Every connection is gone.
    func finish(givingUp: Bool) {
        let isFirst = state.withLock { state in
            defer { state.isFinishing = true }
            return !state.isFinishing
        }
        guard isFirst else { return }
        credentials.end()
        // Before anybody can find that it is over.
        forget(self)
        let closers = state.withLock { state in
            state.isOver = true
            defer { state.closers = [] }
            return state.closers
        }
        if givingUp { hub.post(.givenUp(name: name)) }
        hub.end()
        for closer in closers { closer.resume(HandBack()) }
        release(self)
    }

    /// Why no push goes out any more; nil while one may.
    var end: PushError? {
        let (isOver, isClosing, refusal) = state.withLock { ($0.isOver, $0.isClosing, $0.refusal) }
        guard isOver else { return nil }
        if let refusal { return .notUp(refusal) }
        return isClosing ? .closed(nil) : .givenUp()
    }

    var isClosing: Bool { state.withLock { $0.isClosing } }
    var isOver: Bool { state.withLock { $0.isOver } }
}
