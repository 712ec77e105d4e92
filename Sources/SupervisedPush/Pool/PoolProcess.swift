/// The process of a pool: it tells the machine what its connections told it, and performs what the machine decides.
final class PoolProcess: Behavior {
    typealias Message = PoolMessage

    private let pool: PoolEntry
    private let supervise: @Sendable (ConnectionEntry) throws -> Void
    private var machine: PoolMachine
    /// Every member that is not over, by its number.
    private var entries: [PoolMachine.MemberID: ConnectionEntry] = [:]
    private var timer: (any OneShotTimer)?
    private var now = MonotonicInstant(nanoseconds: 0)
    private var closingDeadline: MonotonicInstant?
    /// The pool is over, and whether because it was given up.
    private var ending: (refusal: CredentialRefusal?, isGivingUp: Bool)?

    /// How long a connection that is no longer needed may finish what it has.
    private static let retirement = Duration.seconds(60)

    /// - Parameter supervise: starts a connection's process.
    init(_ pool: PoolEntry, supervise: @escaping @Sendable (ConnectionEntry) throws -> Void) {
        self.pool = pool
        self.supervise = supervise
        machine = PoolMachine(size: pool.size)
    }

    func started(in context: ProcessContext<PoolMessage>) {
        let members = pool.members
        for member in pool.everyMember { entries[member.memberNumber] = member }
        // A predecessor's connections go on as they are.
        machine = PoolMachine(
            size: pool.size, members: members.map(\.memberNumber),
            retired: Set(entries.keys).subtracting(members.map(\.memberNumber)))
        timer = context.makeTimer { [weak self, weak context] in
            if let self, let context { timerFired(in: context) }
        }
        for member in members where member.latestPid == nil { start(member) }
    }

    func receive(_ message: PoolMessage, in context: ProcessContext<PoolMessage>) {
        now = context.time.now
        switch message {
        case .start: handle(.start)
        case .memberEnded(let member, let refusal):
            entries[member.memberNumber] = nil
            handle(.ended(member.memberNumber, refusal))
        case .busy: handle(.busy)
        case .resize(let size): handle(.resize(size))
        case .close(let deadline):
            closingDeadline = min(closingDeadline ?? deadline, deadline)
            handle(.close)
        }
    }

    func flush(in context: ProcessContext<PoolMessage>) {
        if let tick = machine.nextTick { timer?.arm(at: tick) }
        if !machine.isWatching { pool.isUnwatched() }
        if let ending { context.exit(ending.refusal.map { .failure($0) } ?? .normal) }
    }

    func exitRequested(_ reason: ExitReason, in context: ProcessContext<PoolMessage>) {
        // Nobody goes on with the pool: it ends as if it was closed now.
        now = context.time.now
        pool.close(by: now)
    }

    func terminated(_ reason: ExitReason, in context: ProcessContext<PoolMessage>) {
        timer?.cancel()
        pool.processEnded(context.pid, reason)
        if let ending { pool.finish(givingUp: ending.isGivingUp) }
    }

    private func timerFired(in context: ProcessContext<PoolMessage>) {
        now = context.time.now
        handle(.tick(PoolMachine.Load(pool)))
    }

    // MARK: Acting

    private func handle(_ event: PoolMachine.Event) {
        for action in machine.handle(event, now) { perform(action) }
    }

    private func perform(_ action: PoolMachine.Action) {
        switch action {
        case .start(let id): if let member = pool.addMember(id) { start(member) } else { handle(.notStarted(id)) }
        case .retire(let id): if let member = entries[id] { retire(member) }
        case .closeAll: for member in entries.values { member.close(by: closingDeadline ?? now) }
        case .end(let refusal, let isGivingUp): ending = (refusal, isGivingUp)
        }
    }

    private func start(_ member: ConnectionEntry) {
        entries[member.memberNumber] = member
        // If it cannot be started it has ended by itself, which comes as a message.
        try? supervise(member)
    }

    private func retire(_ member: ConnectionEntry) {
        pool.retire(member)
        member.close(by: now.advanced(by: Self.retirement), leaving: true)
    }
}

extension PoolMachine.Load {
    fileprivate init(_ pool: PoolEntry) {
        let gauges = pool.members.map(\.watch.gauges)
        let load = pool.room.load
        self.init(
            capacity: gauges.reduce(0) { $0 + $1.limit }, outstanding: load.inFlight + load.waiting,
            areAllUp: gauges.allSatisfy { $0.phase == .up })
    }
}
