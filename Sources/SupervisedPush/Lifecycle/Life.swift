import DequeModule
import ProcessRuntime
import PushLocking

/// The life of one connection or pool: the machine under its lock, the process that serves it, and the callers who wait
/// for its end.
///
/// Actions are performed without the lock, in the order decided, by one thread at a time. A thread that arrives while
/// another one performs actions leaves its own to that thread. While the life is open, only its process and the
/// supervisor cause actions, one after the other, so their actions are done when `handle` returns.
final class Life<Message: Sendable>: Sendable {
    fileprivate struct State {
        var machine: LifeMachine
        /// Decided and not yet done.
        var actions = Deque<LifeMachine.Action>()
        var isActing = false
        var process: Address<Message>?
        /// Callers of `close`; nil once they were resumed.
        var closers: [ClosingCaller]? = []
        /// Pushes handed back, kept for a caller of `close` or for the first process.
        var returned = HandBackBatch()
        /// Whether the owner can receive messages: they name the first process.
        var hasOwnerHeard = false
    }

    private let state: Locked<State>

    init(_ kind: LifeMachine.Kind) { state = Locked(State(machine: LifeMachine(kind))) }

    // MARK: Where it stands

    /// The live process; nil between two processes and after the end.
    var pid: ProcessID? { state.withLock { $0.machine.process } }

    var stage: LifeMachine.State { state.withLock { $0.machine.state } }

    /// True while processes may begin and members may join.
    var isOpen: Bool { state.withLock { $0.machine.isOpen } }

    /// How it ended; nil while pushes may still go out.
    var end: LifeEnd? { state.withLock { $0.machine.end } }

    /// True while it closes by a deadline that its process knows. An order of the supervisor to end, which may follow a
    /// close during the start of the process, then adds nothing.
    var closesByDeadline: Bool {
        guard case .closing(let closing) = stage else { return false }
        return closing.deadline != nil
    }

    /// Sends to the live process, if there is one.
    func tell(_ message: Message) { state.withLock { $0.process }?.send(message) }

    // MARK: Events

    /// - Parameter perform: Performs the actions, whichever thread caused them.
    func handle(_ event: LifeMachine.Event, _ now: MonotonicInstant, _ perform: (LifeMachine.Action) -> Void) {
        decide(now, perform: perform) { $0.machine.handle(event, $1) }
    }

    /// A process is about to serve it. False if no process is wanted any more.
    func began(
        _ process: Address<Message>, _ now: MonotonicInstant, _ perform: (LifeMachine.Action) -> Void
    ) -> Bool {
        decide(now, perform: perform) { state, now in
            let actions = state.machine.handle(.processBegan(process.pid), now)
            if state.machine.process == process.pid { state.process = process }
            return actions
        }
        return pid == process.pid
    }

    /// Its process has ended.
    func ended(
        _ pid: ProcessID, reason: ExitReason, _ now: MonotonicInstant, _ perform: (LifeMachine.Action) -> Void
    ) {
        var process: Address<Message>?
        decide(now, perform: perform) { state, now in
            let actions = state.machine.handle(.processEnded(pid, reason), now)
            if state.machine.process == nil { swap(&state.process, &process) }
            return actions
        }
        // Released here, with the lock free.
        withExtendedLifetime(process) {}
    }

    /// A connection is about to join the pool. False if it may not.
    func join(_ member: LifeMachine.MemberID, _ now: MonotonicInstant) -> Bool {
        state.withLock { state in
            _ = state.machine.handle(.memberJoins(member), now)
            return state.machine.members.contains(member)
        }
    }

    private func decide(
        _ now: MonotonicInstant, perform: (LifeMachine.Action) -> Void,
        _ body: (inout State, MonotonicInstant) -> [LifeMachine.Action]
    ) {
        let isMine = state.withLock { state in
            state.actions.append(contentsOf: body(&state, now))
            defer { state.isActing = true }
            return !state.isActing
        }
        guard isMine else { return }
        while let action = nextAction() { perform(action) }
    }

    private func nextAction() -> LifeMachine.Action? {
        state.withLock { state in
            let action = state.actions.popFirst()
            if action == nil { state.isActing = false }
            return action
        }
    }

    // MARK: Who waits for the end

    /// Resumes the caller once the name is free; at once, if it is free already.
    func whenOver(_ caller: ClosingCaller) {
        let isOver = state.withLock { state in
            state.closers?.append(caller)
            return state.closers == nil
        }
        if isOver { caller.resume(HandBack()) }
    }

    /// The caller stops waiting before the end. It takes what has been handed back so far.
    func leave(_ caller: ClosingCaller) {
        let returned = state.withLock { state -> HandBackBatch? in
            guard let index = state.closers?.firstIndex(where: { $0 === caller }) else { return nil }
            state.closers?.remove(at: index)
            return caller.takesHandBack ? state.takeReturned() : HandBackBatch()
        }
        if let returned { caller.resume(returned.handBack) }
    }

    /// Resumes the waiting callers. The first caller gets the pushes handed back.
    ///
    /// - Returns: The pushes that no caller took.
    func resumeClosers() -> HandBackBatch {
        let (closers, returned) = state.withLock { state in
            defer { state.closers = nil }
            return (state.closers ?? [], state.takeReturned())
        }
        let taker = closers.first(where: \.takesHandBack)
        for closer in closers { closer.resume(closer === taker ? returned.handBack : HandBack()) }
        return taker == nil ? returned : HandBackBatch()
    }

    // MARK: Hand-back

    /// Keeps pushes without an answer for a caller of `close` or for the first process. False if they belong to the
    /// owner now.
    func keep(_ batch: HandBackBatch) -> Bool {
        state.withLock { state in
            guard state.machine.keepsHandBack || !state.hasOwnerHeard, state.closers != nil else { return false }
            state.returned.append(batch)
            return true
        }
    }

    /// Takes what was kept, unless a caller of `close` will get it. From now on the owner can receive messages.
    func takeUnclaimed() -> HandBackBatch {
        state.withLock { state in
            state.hasOwnerHeard = true
            let isClaimed = state.closers?.contains(where: \.takesHandBack) ?? false
            return isClaimed ? HandBackBatch() : state.takeReturned()
        }
    }
}

extension Life.State {
    fileprivate mutating func takeReturned() -> HandBackBatch {
        defer { returned = HandBackBatch() }
        return returned
    }
}
