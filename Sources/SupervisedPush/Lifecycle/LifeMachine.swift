import ProcessRuntime

/// The life of a connection or of a pool, decided purely: from its start, over the processes that serve it, to the end
/// that frees its name.
///
/// A connection has no members. The members of a pool are its connections: the pool ends after the last of them.
///
/// The supervisor alone decides whether another process follows one that ended. Until it has said so, the life is
/// `between`, and what depends on a successor waits. Only `close` does not wait: it ends what has no process.
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
        /// A process ended, and the supervisor has not said whether another one follows.
        case between
        /// The supervisor has said that another process follows.
        case restarting
        /// No process begins and no member joins. It ends when its process and its members have ended.
        case closing(Closing)
        /// Nothing serves it any more. Outcomes are handed over, completions run, and the name is still taken.
        case ending(LifeEnd)
        /// Every completion has returned, and the name is free.
        case ended(LifeEnd)
    }

    /// What has to end before the life does, and how.
    struct Closing: Equatable {
        /// The process that still lives.
        var process: ProcessID?
        /// When everything has to have ended; nil where all of it ends by itself.
        var deadline: MonotonicInstant?
        var end: LifeEnd
    }

    enum Event {
        /// A process is about to serve it. It may if `process` is this pid afterwards.
        case processBegan(ProcessID)
        case processEnded(ProcessID, ExitReason)
        /// The supervisor: another process follows the one that ended.
        case restartFollows
        /// The supervisor: no other process follows the one that ended.
        case noRestart(LifeEnd)
        /// Its first process could not be started.
        case startFailed
        /// Callers are refused, and what waits has until the deadline. A later call can only bring it forward.
        /// `isLeaving`: other connections of its pool take what waits.
        case close(by: MonotonicInstant, isLeaving: Bool = false)
        /// A pool's connections do not come up any more. They have ended or, where APNs refused their credential, end
        /// by themselves.
        case giveUp(CredentialRefusal?)
        /// A connection is about to join the pool. It may if it is one of `members` afterwards.
        case memberJoins(MemberID)
        /// A connection of the pool has ended.
        case memberEnded(MemberID)
        /// What had ended was handed over, and every completion has returned.
        case completionsReturned
    }

    enum Action {
        /// The process serves it from now on.
        case begin(ProcessID)
        /// Say that the process ended.
        case tellEnd(ProcessID, ExitReason)
        /// Let the supervisor start no other process.
        case release
        /// Let no push in any more; what waits has until the deadline.
        case closeRoom(by: MonotonicInstant)
        /// Answer what waits, and let no push in any more.
        case endRoom(LifeEnd)
        /// Have the process of a connection, or the members of a pool, send what they can by the deadline and end.
        case close(by: MonotonicInstant, isLeaving: Bool)
        /// Have a pool's process end: its last member has ended.
        case stopProcess(LifeEnd)
        /// A successor shows the credential on offer from the first: it is in use.
        case takeOffers
        /// No link will try the credential on offer.
        case declineOffers
        /// Say `completionsReturned` once it is so.
        case awaitCompletions
        /// Free the name.
        case forget
        /// Give the owner what is left, if no caller of `close` takes it.
        case giveBack
        case postGivenUp
        /// Nothing is posted any more.
        case endMessages
        /// Tell the callers of `close`.
        case resumeClosers
    }

    private let kind: Kind
    private(set) var state = State.starting
    /// The connections of a pool that have not ended.
    private(set) var members: Set<MemberID> = []

    init(_ kind: Kind) { self.kind = kind }

    /// It waits for no time: the deadlines of a closing are its room's and its processes'.
    var nextWake: MonotonicInstant? { nil }

    /// - Parameter now: For what has to end at once.
    mutating func handle(_ event: Event, _ now: MonotonicInstant, into actions: inout [Action]) {
        actions += decide(event, now)
    }

    private mutating func decide(_ event: Event, _ now: MonotonicInstant) -> [Action] {
        switch event {
        case .processBegan(let pid): return processBegan(pid)
        case .processEnded(let pid, let reason): return processEnded(pid, reason)
        case .restartFollows:
            guard state == .between else { return [] }
            state = .restarting
            return [.takeOffers]
        case .noRestart(let end):
            guard state == .between || state == .restarting else { return [] }
            return beginClosing(Closing(deadline: now, end: end))
        case .startFailed:
            guard state == .starting else { return [] }
            return beginClosing(Closing(deadline: now, end: .closed))
        case .close(let deadline, let isLeaving): return close(by: deadline, isLeaving)
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

    /// True as long as processes may begin and members may join.
    var isOpen: Bool {
        switch state {
        case .starting, .serving, .between, .restarting: true
        case .closing, .ending, .ended: false
        }
    }

    /// How it ended; nil while a push may still go out.
    var end: LifeEnd? {
        switch state {
        case .ending(let end), .ended(let end): end
        case .starting, .serving, .between, .restarting, .closing: nil
        }
    }

    /// Whether pushes that are given back are kept for the first process, or for who closes; else they are the owner's.
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
            // It is the supervisor who starts it: that says as much as its word.
            state = .serving(pid)
            return [.takeOffers, .begin(pid)]
        case .serving, .closing, .ending, .ended: return []
        }
    }

    private mutating func processEnded(_ pid: ProcessID, _ reason: ExitReason) -> [Action] {
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

    private mutating func close(by deadline: MonotonicInstant, _ isLeaving: Bool) -> [Action] {
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

    /// What everything that lives is told.
    private func orders(_ closing: Closing, isLeaving: Bool) -> [Action] {
        guard let deadline = closing.deadline else { return [] }
        let room: Action = closing.end == .closed ? .closeRoom(by: deadline) : .endRoom(closing.end)
        return [room, .close(by: deadline, isLeaving: isLeaving)]
    }

    /// Waits for what still lives; without any, the life is ending.
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
    /// It was closed, or its process ended in order and the policy wants no other.
    case closed
    /// Its processes failed too often, or in a way that no restart follows.
    case givenUp
    /// APNs refused its credential, and the configuration says that this is the end.
    case refused(CredentialRefusal)

    /// The end of what no process serves after one that ended for this reason.
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
