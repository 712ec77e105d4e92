import DequeModule
import Dispatch
import PushLocking

/// Keeps processes running: starts its children, restarts those that end, each for itself.
///
/// ```swift
/// let supervisor = Supervisor(system: system, label: "connections") { event in print(event) }
/// let pid = try supervisor.add(ChildSpec(id: "orders") {
///     system.spawn(label: "orders") { Connection(…) }.pid
/// })
/// ```
/// One child's end concerns no sibling. How it is followed up stands in its ``ChildSpec``; the observer hears of it.
/// The pid changes with a restart: who gives children names in a ``Registry`` passes them on at
/// ``SupervisorEvent/restarted(id:old:new:)``.
///
/// All functions may be called from any thread, also by the observer. A supervisor that is released leaves its
/// children running, unsupervised; ``shutdown(within:)`` ends them.
public final class Supervisor: Sendable {
    private struct State {
        var machine = SupervisorMachine()
        /// Decided and not yet done. The queue does them one by one, so that all happens in the order decided.
        var actions = Deque<SupervisorMachine.Action>()
        var isScheduled = false
        var shutdownCallers: [CheckedContinuation<Void, Never>] = []
    }

    private let system: ProcessSystem
    private let queue: DispatchQueue
    private let observer: @Sendable (SupervisorEvent) -> Void
    private let state = Locked(State())
    private let timer: Locked<(any OneShotTimer)?> = Locked(nil)

    /// A supervisor without children.
    ///
    /// - Parameters:
    ///   - system: Where its children live, and its time.
    ///   - label: What debuggers call its queue.
    ///   - observer: Hears every event, in order, on the supervisor's own queue and with no lock held. It is kept
    ///     as long as the supervisor, so it should hold the supervisor's owner weakly. Must not block.
    public init(
        system: ProcessSystem, label: String, observer: @escaping @Sendable (SupervisorEvent) -> Void = { _ in }
    ) {
        self.system = system
        self.observer = observer
        queue = DispatchQueue(label: label, target: .global(qos: .userInteractive))
        let alarm = system.time.makeTimer(on: queue) { [weak self] in self?.handle(.timePassed) }
        timer.withLock { $0 = alarm }
    }

    /// Starts a child on the caller's thread and supervises it from then on.
    ///
    /// - Returns: Its process.
    /// - Throws: What ``ChildSpec/start`` throws, and ``SupervisorError`` if the id is taken or the supervisor is
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
        guard started(spec, attempt, pid) else { throw SupervisorError.released(id: spec.id) }
        return pid
    }

    /// Lets a child go: after this returned it is never restarted, and no event speaks of it any more, except those
    /// already on their way to the observer. Its process goes on. If a restart is being made at this moment, the new
    /// process is told to shut down.
    ///
    /// - Returns: The child's process; nil if there is no such child, or none of its processes lives.
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

    /// Ends all children, the youngest first, each after the one before has ended.
    ///
    /// A child is asked to end with the reason `.shutdown`, ahead of the messages that wait for it, and killed when
    /// its ``ChildSpec/shutdownDeadline`` has passed. From now on nothing is restarted and no child is taken.
    ///
    /// - Parameter limit: The time for all together. When it has passed, all that are left are killed at once; one
    ///   that blocks its thread, so that even this does not end it, is waited for one second more.
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

    /// Reports a start and watches the process; false if nobody wanted it any more.
    private func started(_ spec: ChildSpec, _ attempt: Int, _ pid: ProcessID) -> Bool {
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

    /// Asks the machine under the lock; what it wants done is done on the queue.
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
            case .start(let id, let attempt): restart(id, attempt)
            case .stop(let pid): system.exitOvertaking(pid, .shutdown)
            case .kill(let pid): system.exit(pid, .killed)
            case .emit(let event): observer(event)
            case .finished: finish()
            }
        }
    }

    /// Takes the next action; if there is none, sets the timer and ends this run.
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

    private func restart(_ id: String, _ attempt: Int) {
        // Released, perhaps added anew: then the number is an old one, and the start is not even tried.
        guard let spec = state.withLock({ $0.machine.spec(of: id, starting: attempt) }) else { return }
        do {
            let pid = try spec.start()
            _ = started(spec, attempt, pid)
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
