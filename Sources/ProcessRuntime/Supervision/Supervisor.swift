import DequeModule
import Dispatch
import PushLocking

/// Keeps processes running: starts its children and restarts each one that ends.
///
/// ```swift
/// let supervisor = Supervisor(system: system, label: "connections") { event in print(event) }
/// let pid = try supervisor.add(ChildSpec(id: "orders") {
///     system.spawn(label: "orders") { Connection(…) }.pid
/// })
/// ```
/// Children are independent: when one ends, the others go on. Its ``ChildSpec`` says what happens next, and the
/// observer receives an event. A restart changes the pid: who finds children by name takes the new one from
/// ``SupervisorEvent/restarted(id:old:new:)``.
///
/// All functions may be called from any thread, including by the observer. If a supervisor is released, its children
/// keep running unsupervised; ``shutdown(within:)`` ends them.
public final class Supervisor: Sendable {
    private struct State {
        var machine = SupervisorMachine()
        /// Decided but not yet performed. The queue performs them one by one, in the order of the decisions.
        var actions = Deque<SupervisorMachine.Action>()
        var isScheduled = false
        var shutdownCallers: [CheckedContinuation<Void, Never>] = []
    }

    private let system: ProcessSystem
    private let queue: DispatchQueue
    private let observer: @Sendable (SupervisorEvent) -> Void
    private let state = Locked(State())
    private let timer: Locked<(any OneShotTimer)?> = Locked(nil)

    /// Creates a supervisor without children.
    ///
    /// - Parameters:
    ///   - system: The system of its children, whose clock it uses.
    ///   - label: The name of its queue, for debuggers.
    ///   - observer: Receives every event, in order, on the supervisor's own queue with no lock held. The supervisor
    ///     keeps it, so it should hold the supervisor's owner weakly. Must not block.
    public init(
        system: ProcessSystem, label: String, observer: @escaping @Sendable (SupervisorEvent) -> Void = { _ in }
    ) {
        self.system = system
        self.observer = observer
        queue = DispatchQueue(label: label, target: .global(qos: .userInteractive))
        let alarm = system.time.makeTimer(on: queue) { [weak self] in self?.handle(.timePassed) }
        timer.withLock { $0 = alarm }
    }

    /// Starts a child on the caller's thread and supervises it.
    ///
    /// - Returns: The child's process.
    /// - Throws: The error of ``ChildSpec/start``, or ``SupervisorError`` if the id is taken or the supervisor is
    ///   shutting down. After an error there is no such child.
    public func add(_ spec: ChildSpec) throws -> ProcessID {
        let attempt = try state.withLock { try $0.machine.add(spec) }
        let pid: ProcessID
        do {
            pid = try spec.start()
        } catch {
            handle(.startFailed(id: spec.id, attempt: attempt, reason: .failure(error), isFinal: true))
            throw error
        }
        guard started(spec, attempt: attempt, pid: pid) else { throw SupervisorError.released(id: spec.id) }
        return pid
    }

    /// Stops supervising a child. When this returns, the child is never restarted, and no new event about it is
    /// emitted; events that are already queued still reach the observer. Its process keeps running. If a restart is in
    /// progress, the new process is told to shut down.
    ///
    /// - Returns: The child's process; nil if there is no such child, or if it has no running process.
    @discardableResult
    public func release(_ id: String) -> ProcessID? {
        decide { machine, now in
            let pid = machine.pid(of: id)
            return (machine.handle(.released(id: id), now), pid)
        }
    }

    /// The children, in the order in which they were added.
    public func children() -> [ChildStatus] {
        state.withLock { $0.machine.statuses }
    }

    /// Ends all children one after another, the youngest first.
    ///
    /// Each child is asked to end with the reason `.shutdown`, ahead of its waiting messages, and killed when its
    /// ``ChildSpec/shutdownDeadline`` has passed. From now on the supervisor restarts no child and accepts none.
    ///
    /// - Parameter limit: The time for all children together. When it has passed, the remaining children are killed at
    ///   once. If one of them blocks its thread and does not end, the supervisor waits one more second for it.
    public func shutdown(within limit: Duration) async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.shutdownCallers.append(continuation) }
            handle(.shutdown(deadline: system.time.now.advanced(by: max(limit, .zero))))
        }
    }

    // MARK: Deciding, from any thread

    private func handle(_ event: SupervisorMachine.Event) {
        decide { machine, now in (machine.handle(event, now), ()) }
    }

    /// Reports a start and monitors the process. Returns false if the start is no longer wanted.
    private func started(_ spec: ChildSpec, attempt: Int, pid: ProcessID) -> Bool {
        let isChild = decide { machine, now in
            let actions = machine.handle(.started(id: spec.id, attempt: attempt, pid: pid), now)
            return (actions, machine.pid(of: spec.id) == pid)
        }
        guard isChild else { return false }
        system.monitor(pid) { [weak self, id = spec.id, restarts = spec.restarts] pid, reason in
            self?.handle(.ended(id: id, pid: pid, reason: reason, isFinal: !restarts(reason)))
        }
        return true
    }

    /// Asks the machine under the lock. The queue performs the actions it returns.
    private func decide<Result>(
        _ body: (inout SupervisorMachine, MonotonicInstant) -> ([SupervisorMachine.Action], Result)
    ) -> Result {
        let now = system.time.now
        let (isScheduled, result) = state.withLock { state in
            let (actions, result) = body(&state.machine, now)
            state.actions.append(contentsOf: actions)
            defer { state.isScheduled = true }
            return (state.isScheduled, result)
        }
        if !isScheduled { queue.async { self.act() } }
        return result
    }

    // MARK: Acting, on the queue

    private func act() {
        dispatchPrecondition(condition: .onQueue(queue))
        while let action = nextAction() {
            switch action {
            case .start(let id, let attempt): restart(id, attempt: attempt)
            case .stop(let pid): system.exitOvertaking(pid, .shutdown)
            case .kill(let pid): system.exit(pid, .killed)
            case .emit(let event): observer(event)
            case .finished: finish()
            }
        }
    }

    /// Removes and returns the next action. If there is none, sets the timer and ends this run.
    private func nextAction() -> SupervisorMachine.Action? {
        let (action, deadline) = state.withLock { state in
            let action = state.actions.popFirst()
            if action == nil { state.isScheduled = false }
            return (action, state.machine.nextWake)
        }
        guard action == nil else { return action }
        let timer = timer.withLock { $0 }
        if let deadline { timer?.arm(at: deadline) } else { timer?.disarm() }
        return nil
    }

    private func restart(_ id: String, attempt: Int) {
        // If the child was released, and perhaps added again, `attempt` is outdated and nothing is started.
        guard let spec = state.withLock({ $0.machine.spec(of: id, starting: attempt) }) else { return }
        do {
            let pid = try spec.start()
            _ = started(spec, attempt: attempt, pid: pid)
        } catch {
            let reason = ExitReason.failure(error)
            handle(.startFailed(id: id, attempt: attempt, reason: reason, isFinal: !spec.restarts(reason)))
        }
    }

    private func finish() {
        let callers = state.withLock { state in
            defer { state.shutdownCallers = [] }
            return state.shutdownCallers
        }
        for caller in callers { caller.resume() }
    }
}

/// What happened to a child. The observer receives the events of each child in order.
@nonexhaustive public enum SupervisorEvent: Sendable {
    /// The child's process `old` ended for `reason`, or a restart failed with that error. The next start follows after
    /// `delay`.
    case restarting(id: String, old: ProcessID, reason: ExitReason, delay: Duration)
    /// The child runs again as process `new`. The observer should now rebind the names of `old`.
    case restarted(id: String, old: ProcessID, new: ProcessID)
    /// The child ended once more than its intensity allows. It is no longer a child.
    case gaveUp(id: String, reason: ExitReason)
    /// The child ended and was not restarted, because of its policy, of its spec's `restarts`, or of a shutdown. It is
    /// no longer a child.
    case ended(id: String, reason: ExitReason)

    /// The id of the child.
    public var id: String {
        switch self {
        case .restarting(let id, _, _, _), .restarted(let id, _, _), .gaveUp(let id, _), .ended(let id, _): id
        }
    }
}

/// Why a supervisor did not accept a child.
@nonexhaustive public enum SupervisorError: Error, Hashable, CustomStringConvertible {
    /// It already has a child with this id.
    case childExists(id: String)
    /// It is shutting down, or has shut down.
    case shutDown
    /// The child was released while it was being started. Its process was told to shut down.
    case released(id: String)

    /// A sentence that says what is wrong.
    public var description: String {
        switch self {
        case .childExists(let id): "the supervisor already has a child \"\(id)\""
        case .shutDown: "the supervisor is shutting down"
        case .released(let id): "the child \"\(id)\" was released while it was being started"
        }
    }
}
