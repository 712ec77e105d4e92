/// One-for-one supervision as a value: no process, no clock, no queue.
///
/// A child is `starting`, then `running`. When it ends, it is forgotten, or it is `waiting` for its restart and then
/// `starting` again. In a shutdown the youngest child is `stopping`, and `killed` after its deadline; when it has
/// ended, the next child follows. Each start has a number, so that the machine recognises the result of a start that a
/// release overtook.
///
/// The supervisor performs the actions in the order in which they were returned, over all calls.
package struct SupervisorMachine: StateMachine, Sendable {
    package enum Event: Sendable {
        /// A start succeeded.
        case started(id: String, attempt: Int, pid: ProcessID)
        /// A start threw an error. `isFinal`: the spec wants no restart after this reason.
        case startFailed(id: String, attempt: Int, reason: ExitReason, isFinal: Bool)
        case ended(id: String, pid: ProcessID, reason: ExitReason, isFinal: Bool)
        case released(id: String)
        /// End all children, and kill them at `deadline`. A second shutdown can only make the deadline earlier.
        case shutdown(deadline: MonotonicInstant)
        /// `nextWake` has come.
        case timePassed
    }

    package enum Action: Sendable {
        case start(id: String, attempt: Int)
        /// Ask the process to end.
        case stop(ProcessID)
        case kill(ProcessID)
        case emit(SupervisorEvent)
        /// The shutdown is complete. Emitted once more for each later shutdown.
        case finished
    }

    private struct Child: Sendable {
        enum Phase: Sendable {
            case starting(attempt: Int, old: ProcessID?)
            case running(ProcessID)
            case waiting(attempt: Int, old: ProcessID)
            case stopping(ProcessID, killAt: MonotonicInstant)
            case killed(ProcessID)
        }

        let spec: ChildSpec
        /// Ascending in the order of adding.
        let order: Int
        var history: RestartHistory
        var phase: Phase

        /// The running process, as far as the machine knows.
        var pid: ProcessID? {
            switch phase {
            case .running(let pid), .stopping(let pid, _), .killed(let pid): pid
            case .starting, .waiting: nil
            }
        }
    }

    private struct Shutdown: Sendable {
        var deadline: MonotonicInstant
        /// Set when all children were killed: the instant at which the shutdown stops waiting for them.
        var finishAt: MonotonicInstant?
        /// The children still to stop. The last one is next.
        var remaining: [String]
        var isFinished = false
    }

    /// How long a shutdown waits for killed children. A child that hangs in a system call would never end.
    package static let graceAfterKill = Duration.seconds(1)

    private var children: [String: Child] = [:]
    /// The scheduled restarts, the earliest first.
    private var restarts: [(at: MonotonicInstant, id: String, attempt: Int)] = []
    private var shutdown: Shutdown?
    private var lastNumber = 0

    package init() {}

    /// When `timePassed` must come.
    package var nextWake: MonotonicInstant? {
        guard let shutdown else { return restarts.first?.at }
        if shutdown.isFinished { return nil }
        if let finishAt = shutdown.finishAt { return finishAt }
        if let id = shutdown.remaining.last, case .stopping(_, let killAt)? = children[id]?.phase {
            return min(killAt, shutdown.deadline)
        }
        return shutdown.deadline
    }

    package var isFinished: Bool { shutdown?.isFinished ?? false }

    /// The spec for start number `attempt`; nil if that start is no longer wanted.
    package func spec(of id: String, starting attempt: Int) -> ChildSpec? {
        guard let child = children[id], case .starting(attempt, _) = child.phase else { return nil }
        return child.spec
    }

    package func pid(of id: String) -> ProcessID? { children[id]?.pid }

    /// The children in the order in which they were added.
    package var statuses: [ChildStatus] {
        children.values.sorted { $0.order < $1.order }.map { child in
            let (pid, phase): (ProcessID?, ChildStatus.Phase) =
                switch child.phase {
                case .starting(_, let old): (old, .starting)
                case .running(let pid): (pid, .running)
                case .waiting(_, let old): (old, .waiting)
                case .stopping(let pid, _), .killed(let pid): (pid, .stopping)
                }
            return ChildStatus(
                id: child.spec.id, pid: pid, phase: phase, restart: child.spec.restart,
                recentRestarts: child.history.count)
        }
    }

    /// Adds a child that the caller is about to start. Returns the number of that start.
    package mutating func add(_ spec: ChildSpec) throws(SupervisorError) -> Int {
        guard shutdown == nil else { throw .shutDown }
        guard children[spec.id] == nil else { throw .childExists(id: spec.id) }
        let attempt = nextNumber()
        children[spec.id] = Child(
            spec: spec, order: attempt, history: RestartHistory(spec.intensity),
            phase: .starting(attempt: attempt, old: nil))
        return attempt
    }

    package mutating func handle(_ event: Event, _ now: MonotonicInstant, into actions: inout [Action]) {
        actions += decide(event, now)
    }

    private mutating func decide(_ event: Event, _ now: MonotonicInstant) -> [Action] {
        switch event {
        case .started(let id, let attempt, let pid):
            started(id, attempt: attempt, pid: pid, now)
        case .startFailed(let id, let attempt, let reason, let isFinal):
            startFailed(id, attempt: attempt, reason: reason, isFinal: isFinal, now)
        case .ended(let id, let pid, let reason, let isFinal):
            ended(id, pid: pid, reason: reason, isFinal: isFinal, now)
        case .released(let id):
            forget(id) ? stopNext(now) : []
        case .shutdown(let deadline):
            shutDown(deadline, now)
        case .timePassed:
            shutdown == nil ? startDue(now) : killDue(now)
        }
    }

    // MARK: Life

    private mutating func started(
        _ id: String, attempt: Int, pid: ProcessID, _ now: MonotonicInstant
    ) -> [Action] {
        guard case .starting(attempt, let old)? = children[id]?.phase else {
            return [.stop(pid)]  // The child was released during the start; nothing else would end this process.
        }
        children[id]?.phase = .running(pid)
        let news: [Action] = old.map { [.emit(.restarted(id: id, old: $0, new: pid))] } ?? []
        guard let shutdown else { return news }
        if shutdown.finishAt != nil {
            children[id]?.phase = .killed(pid)
            return news + [.kill(pid)]
        }
        return news + (shutdown.remaining.last == id ? stopNext(now) : [])
    }

    private mutating func startFailed(
        _ id: String, attempt: Int, reason: ExitReason, isFinal: Bool, _ now: MonotonicInstant
    ) -> [Action] {
        guard case .starting(attempt, let old)? = children[id]?.phase else { return [] }
        guard let old else {
            forget(id)  // The first start failed: `add` throws the error to its caller.
            return stopNext(now)
        }
        return afterEnd(id, of: old, reason: reason, isFinal: isFinal, now)
    }

    private mutating func ended(
        _ id: String, pid: ProcessID, reason: ExitReason, isFinal: Bool, _ now: MonotonicInstant
    ) -> [Action] {
        guard children[id]?.pid == pid else { return [] }
        return afterEnd(id, of: pid, reason: reason, isFinal: isFinal, now)
    }

    private mutating func afterEnd(
        _ id: String, of old: ProcessID, reason: ExitReason, isFinal: Bool, _ now: MonotonicInstant
    ) -> [Action] {
        guard let child = children[id] else { return [] }
        guard shutdown == nil, !isFinal, child.spec.restart.restarts(after: reason) else {
            forget(id)
            return [.emit(.ended(id: id, reason: reason))] + stopNext(now)
        }
        guard let delay = children[id]?.history.recordRestart(at: now) else {
            forget(id)
            return [.emit(.gaveUp(id: id, reason: reason))]
        }
        let attempt = nextNumber()
        let news = Action.emit(.restarting(id: id, old: old, reason: reason, delay: delay))
        guard delay > .zero else {
            children[id]?.phase = .starting(attempt: attempt, old: old)
            return [news, .start(id: id, attempt: attempt)]
        }
        children[id]?.phase = .waiting(attempt: attempt, old: old)
        let at = now.advanced(by: delay)
        let index = restarts.firstIndex { $0.at > at } ?? restarts.endIndex
        restarts.insert((at, id, attempt), at: index)
        return [news]
    }

    private mutating func startDue(_ now: MonotonicInstant) -> [Action] {
        let due = restarts.prefix { $0.at <= now }
        restarts.removeFirst(due.count)
        return due.compactMap { restart in
            guard case .waiting(restart.attempt, let old)? = children[restart.id]?.phase else { return nil }
            children[restart.id]?.phase = .starting(attempt: restart.attempt, old: old)
            return .start(id: restart.id, attempt: restart.attempt)
        }
    }

    @discardableResult
    private mutating func forget(_ id: String) -> Bool {
        guard let child = children.removeValue(forKey: id) else { return false }
        if case .waiting(let attempt, _) = child.phase { restarts.removeAll { $0.attempt == attempt } }
        return true
    }

    private mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Shutdown

    private mutating func shutDown(_ deadline: MonotonicInstant, _ now: MonotonicInstant) -> [Action] {
        if let earlier = shutdown?.deadline {
            shutdown?.deadline = min(earlier, deadline)
            return isFinished ? [.finished] : []
        }
        let remaining = children.sorted { $0.value.order < $1.value.order }.map(\.key)
        shutdown = Shutdown(deadline: deadline, remaining: remaining)
        return stopNext(now)
    }

    /// Continues a shutdown, if there is one: stops the youngest remaining child.
    private mutating func stopNext(_ now: MonotonicInstant) -> [Action] {
        guard let deadline = shutdown?.deadline, !isFinished else { return [] }
        var actions: [Action] = []
        while let id = shutdown?.remaining.last {
            guard let child = children[id] else {
                shutdown?.remaining.removeLast()
                continue
            }
            switch child.phase {
            case .starting, .stopping, .killed:
                return actions
            case .running(let pid):
                let killAt = min(now.advanced(by: child.spec.shutdownDeadline), deadline)
                children[id]?.phase = .stopping(pid, killAt: killAt)
                return actions + [.stop(pid)]
            case .waiting:
                forget(id)
                actions.append(.emit(.ended(id: id, reason: .shutdown)))
            }
        }
        shutdown?.isFinished = true
        return actions + [.finished]
    }

    private mutating func killDue(_ now: MonotonicInstant) -> [Action] {
        guard let shutdown, !shutdown.isFinished else { return [] }
        if let finishAt = shutdown.finishAt {
            guard finishAt <= now else { return [] }
            self.shutdown?.isFinished = true
            return [.finished]
        }
        if shutdown.deadline <= now { return killAll(shutdown.remaining, now) }
        guard let id = shutdown.remaining.last, case .stopping(let pid, let killAt)? = children[id]?.phase,
            killAt <= now
        else { return [] }
        children[id]?.phase = .killed(pid)
        return [.kill(pid)]
    }

    private mutating func killAll(_ remaining: [String], _ now: MonotonicInstant) -> [Action] {
        shutdown?.finishAt = now.advanced(by: Self.graceAfterKill)
        var actions: [Action] = []
        for id in remaining.reversed() {
            switch children[id]?.phase {
            case .running(let pid), .stopping(let pid, _), .killed(let pid):
                children[id]?.phase = .killed(pid)
                actions.append(.kill(pid))
            case .waiting:
                forget(id)
                actions.append(.emit(.ended(id: id, reason: .shutdown)))
            case .starting, nil:
                break
            }
        }
        return actions + stopNext(now)
    }
}
