import ProcessRuntime

/// The process of a pool: it passes events of its connections to the machine, and performs the machine's actions.
final class PoolProcess: Behavior {
    typealias Message = PoolMessage

    private let pool: PoolEntry
    private let supervise: @Sendable (ConnectionEntry) throws -> Void
    private var machine: PoolMachine
    /// Every member that has not ended, by its number.
    private var entries: [PoolMachine.MemberID: ConnectionEntry] = [:]
    private var timer: (any OneShotTimer)?
    private var now = MonotonicInstant(nanoseconds: 0)
    /// How the pool ended, once all its connections have.
    private var ending: LifeEnd?

    /// How long a retired connection may finish its pushes.
    private static let retirement = Duration.seconds(60)

    /// - Parameter supervise: Starts a connection's process.
    init(_ pool: PoolEntry, supervise: @escaping @Sendable (ConnectionEntry) throws -> Void) {
        self.pool = pool
        self.supervise = supervise
        machine = PoolMachine(size: pool.size)
    }

    func started(in context: ProcessContext<PoolMessage>) {
        let members = pool.serving
        for member in pool.connections { entries[member.memberNumber] = member }
        // A predecessor's connections continue.
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
        case .memberLeft(let number): handle(.left(number))
        case .busy: handle(.busy)
        case .resize(let size): handle(.resize(size))
        case .end(let end): ending = end
        }
    }

    func flush(in context: ProcessContext<PoolMessage>) {
        if pool.life.isOpen, let tick = machine.nextWake { timer?.arm(at: tick) }
        if !machine.isWatching { pool.isUnwatched() }
        if let ending { context.exit(ending.refusal.map { .failure($0) } ?? .normal) }
    }

    func exitRequested(_ reason: ExitReason, in context: ProcessContext<PoolMessage>) {
        guard !pool.life.closesByDeadline else { return }
        // No process follows, so the pool ends as if it were closed now.
        pool.close(by: context.time.now)
    }

    func terminated(_ reason: ExitReason, in context: ProcessContext<PoolMessage>) {
        timer?.cancel()
        pool.processEnded(context.pid, reason: reason)
    }

    private func timerFired(in context: ProcessContext<PoolMessage>) {
        now = context.time.now
        handle(.tick(PoolMachine.Load(pool)))
    }

    // MARK: Acting

    private func handle(_ event: PoolMachine.Event) {
        // A closing pool is not resized, and waits for its connections without checking their loads.
        guard pool.life.isOpen else { return }
        for action in machine.handle(event, now) { perform(action) }
    }

    private func perform(_ action: PoolMachine.Action) {
        switch action {
        case .start(let id): if let member = pool.addMember(id) { start(member) }
        case .retire(let id): if let member = entries[id] { retire(member) }
        case .giveUp(let refusal): pool.live(.giveUp(refusal))
        }
    }

    private func start(_ member: ConnectionEntry) {
        entries[member.memberNumber] = member
        // If it cannot be started, it ends by itself, which arrives as a message.
        try? supervise(member)
    }

    private func retire(_ member: ConnectionEntry) {
        pool.retire(member)
        member.close(by: now.advanced(by: Self.retirement))
    }
}

extension PoolMachine.Load {
    fileprivate init(_ pool: PoolEntry) {
        let members = pool.serving
        let load = pool.room.load
        self.init(
            capacity: members.reduce(0) { $0 + $1.watch.gauges.limit }, outstanding: load.inFlight + load.waiting,
            areAllUp: members.allSatisfy { $0.hub.phase == .up })
    }
}

/// The messages of a pool's process.
enum PoolMessage: Sendable {
    /// The name is registered; start the connections.
    case start
    /// A connection has ended, and all its callers have their outcomes.
    case memberEnded(ConnectionEntry, CredentialRefusal?)
    /// A connection was closed by its handle, and only finishes its pushes.
    case memberLeft(PoolMachine.MemberID)
    /// Pushes are called, and loads are not being checked.
    case busy
    case resize(ClosedRange<Int>)
    /// Its last connection has ended, and no other follows.
    case end(LifeEnd)
}
