import ProcessRuntime

/// The life of a connection or a pool as a pure machine: from its start, through the processes that serve it, to the
/// end that frees its name.
///
/// A connection has no members. The members of a pool are its connections; the pool ends after the last of them.
///
/// The supervisor alone decides whether another process follows one that ended. Until it does, the state is `between`,
/// and whatever depends on a successor waits. Only `close` does not wait: it ends a life without a process.
struct LifeMachine: StateMachine {
    typealias MemberID = Int

    enum Kind {
        case connection
        case pool
    }

    enum State: Equatable {
        /// No process has served it yet.
        case starting
        case serving(ProcessID)
        /// A process ended, and the supervisor has not decided yet whether another one follows.
        case between
        /// The supervisor decided that another process follows.
        case restarting
        /// No process begins and no member joins. It ends when its process and its members have ended.
        case closing(Closing)
        /// Nothing serves it any more. Outcomes are delivered and completions run; the name is still taken.
        case ending(LifeEnd)
        /// Every completion has returned, and the name is free.
        case ended(LifeEnd)
    }

    /// What has to end before the life does, and how.
    struct Closing: Equatable {
        /// The process that still lives.
        var process: ProcessID?
        /// When everything must have ended; nil if all of it ends on its own.
        var deadline: MonotonicInstant?
        var end: LifeEnd
    }

    enum Event {
        /// A process is about to serve it. It may do so if `process` is this pid afterwards.
        case processBegan(ProcessID)
        case processEnded(ProcessID, ExitReason)
        /// The supervisor: another process follows the one that ended.
        case restartFollows
        /// The supervisor: no other process follows the one that ended.
        case noRestart(LifeEnd)
        /// Its first process could not be started.
        case startFailed
        /// Callers are refused; waiting pushes have until the deadline. A later call can only bring the deadline
        /// forward. `isLeaving`: other connections of its pool take the waiting pushes.
        case close(by: MonotonicInstant, isLeaving: Bool = false)
        /// The connections of a pool do not come up any more. They have ended or, if APNs refused their credential,
        /// will end on their own.
        case giveUp(CredentialRefusal?)
        /// A connection is about to join the pool. It may if it is one of `members` afterwards.
        case memberJoins(MemberID)
        /// A connection of the pool has ended.
        case memberEnded(MemberID)
        /// Outcomes were delivered, and every completion has returned.
        case completionsReturned
    }

    enum Action {
        /// The process serves it from now on.
        case begin(ProcessID)
        /// Report the end of the process.
        case tellEnd(ProcessID, ExitReason)
        /// Prevent the supervisor from starting another process.
        case release
        /// Accept no more pushes; the waiting ones have until the deadline.
        case closeRoom(by: MonotonicInstant)
        /// Complete the waiting pushes, and accept no more.
        case endRoom(LifeEnd)
        /// Have the process of a connection, or the members of a pool, send what they can until the deadline, then end.
        case close(by: MonotonicInstant, isLeaving: Bool)
        /// End a pool's process, because its last member has ended.
        case stopProcess(LifeEnd)
        /// A successor uses the offered credential from its start, so it is in use.
        case acceptOffers
        /// No link will try the offered credential.
        case declineOffers
        /// Send `completionsReturned` once that is true.
        case awaitCompletions
        /// Free the name.
        case forget
        /// Give the owner the remaining pushes, if no caller of `close` takes them.
        case giveBack
        case postGivenUp
        /// Post no more messages.
        case endMessages
        /// Resume the callers of `close`.
        case resumeClosers
    }

    private let kind: Kind
    private(set) var state = State.starting
    /// The connections of a pool that have not ended.
    private(set) var members: Set<MemberID> = []

    init(_ kind: Kind) { self.kind = kind }

    /// It has no timer: the deadlines of a close belong to its room and its processes.
    var nextWake: MonotonicInstant? { nil }

    /// - Parameter now: The deadline for what must end at once.
    mutating func handle(_ event: Event, _ now: MonotonicInstant, into actions: inout [Action]) {
        actions += decide(event, now)
    }

    private mutating func decide(_ event: Event, _ now: MonotonicInstant) -> [Action] {
        switch event {
        case .processBegan(let pid): return processBegan(pid)
        case .processEnded(let pid, let reason): return processEnded(pid, reason: reason)
        case .restartFollows:
            guard state == .between else { return [] }
            state = .restarting
            return [.acceptOffers]
        case .noRestart(let end):
            guard state == .between || state == .restarting else { return [] }
            return beginClosing(Closing(deadline: now, end: end))
        case .startFailed:
            guard state == .starting else { return [] }
            return beginClosing(Closing(deadline: now, end: .closed))
        case .close(let deadline, let isLeaving): return close(by: deadline, isLeaving: isLeaving)
        case .giveUp(let refusal):
            guard isOpen else { return [] }
            let closing =
                refusal.map { Closing(process: process, end: .refused($0)) }
                ?? Closing(process: process, deadline: now, end: .givenUp)
            return [.release] + beginClosing(closing)
        case .memberJoins(let id):
            if isOpen { members.insert(id) }
            return []
        case .memberEnded(let id):
            guard members.remove(id) != nil, case .closing(let closing) = state else { return [] }
            return goOn(closing)
        case .completionsReturned:
            guard case .ending(let end) = state else { return [] }
            state = .ended(end)
            let news: [Action] = end == .closed ? [] : [.postGivenUp]
            return [.forget, .giveBack] + news + [.endMessages, .resumeClosers]
        }
    }

    // MARK: Where it stands

    /// The live process; nil between two processes and after the end.
    var process: ProcessID? {
        switch state {
        case .serving(let pid): pid
        case .closing(let closing): closing.process
        case .starting, .between, .restarting, .ending, .ended: nil
        }
    }

    /// True while processes may begin and members may join.
    var isOpen: Bool {
        switch state {
        case .starting, .serving, .between, .restarting: true
        case .closing, .ending, .ended: false
        }
    }

    /// How it ended; nil while pushes may still go out.
    var end: LifeEnd? {
        switch state {
        case .ending(let end), .ended(let end): end
        case .starting, .serving, .between, .restarting, .closing: nil
        }
    }

    /// Whether pushes handed back are kept for the first process or for a caller of `close`; otherwise they go to the
    /// owner.
    var keepsHandBack: Bool {
        switch state {
        case .starting, .ending, .ended: true
        case .closing(let closing): closing.end == .closed
        case .serving, .between, .restarting: false
        }
    }

    // MARK: Processes

    private mutating func processBegan(_ pid: ProcessID) -> [Action] {
        switch state {
        case .starting, .restarting:
            state = .serving(pid)
            return [.begin(pid)]
        case .between:
            // The supervisor starts the process, so this counts as its decision.
            state = .serving(pid)
            return [.acceptOffers, .begin(pid)]
        case .serving, .closing, .ending, .ended: return []
        }
    }

    private mutating func processEnded(_ pid: ProcessID, reason: ExitReason) -> [Action] {
        guard pid == process else { return [] }
        let news = Action.tellEnd(pid, reason)
        guard case .closing(var closing) = state else {
            state = .between
            return [news]
        }
        closing.process = nil
        return [news] + goOn(closing)
    }

    // MARK: The end

    private mutating func close(by deadline: MonotonicInstant, isLeaving: Bool) -> [Action] {
        switch state {
        case .starting, .serving, .between, .restarting:
            return [.release]
                + beginClosing(Closing(process: process, deadline: deadline, end: .closed), isLeaving: isLeaving)
        case .closing(var closing):
            let earliest = min(closing.deadline ?? deadline, deadline)
            guard earliest != closing.deadline || closing.end != .closed else { return [] }
            (closing.deadline, closing.end) = (earliest, .closed)
            state = .closing(closing)
            return orders(closing, isLeaving: isLeaving)
        case .ending, .ended: return []
        }
    }

    private mutating func beginClosing(_ closing: Closing, isLeaving: Bool = false) -> [Action] {
        let isOver = closing.process == nil && members.isEmpty
        return (isOver ? [] : orders(closing, isLeaving: isLeaving)) + goOn(closing)
    }

    /// The actions for everything that still lives.
    private func orders(_ closing: Closing, isLeaving: Bool) -> [Action] {
        guard let deadline = closing.deadline else { return [] }
        let room: Action = closing.end == .closed ? .closeRoom(by: deadline) : .endRoom(closing.end)
        return [room, .close(by: deadline, isLeaving: isLeaving)]
    }

    /// Waits for what still lives; if nothing does, the life is ending.
    private mutating func goOn(_ closing: Closing) -> [Action] {
        state = .closing(closing)
        guard members.isEmpty else { return [] }
        guard closing.process == nil else { return kind == .pool ? [.stopProcess(closing.end)] : [] }
        state = .ending(closing.end)
        return [.declineOffers, .endRoom(closing.end), .awaitCompletions]
    }
}

/// How a connection or a pool ended.
enum LifeEnd: Sendable, Equatable {
    /// It was closed, or its process ended normally and the policy wants no other.
    case closed
    /// Its processes failed too often, or ended in a way after which the policy wants no restart.
    case givenUp
    /// APNs refused its credential, and the configuration says to give up.
    case refused(CredentialRefusal)

    /// The end of a life whose last process ended for this reason.
    init(after reason: ExitReason) {
        self = reason.credentialRefusal.map { .refused($0) } ?? (reason.isAbnormal ? .givenUp : .closed)
    }

    var refusal: CredentialRefusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}

extension RoomEnding.Reason {
    init(_ end: LifeEnd) {
        switch end {
        case .closed: self = .closed
        case .givenUp: self = .givenUp
        case .refused(let refusal): self = .refused(refusal)
        }
    }
}
