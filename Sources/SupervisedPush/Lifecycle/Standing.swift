import FoundationEssentials
import ProcessRuntime

/// The published state of a connection or a pool.
struct Standing: Sendable {
    /// Nil after the end. A pool has the best phase of its connections.
    var phase: ConnectionPhase? = .dialing
    /// The live process, or the last one; nil before the first.
    private(set) var pid: ProcessID?
    /// The number of the process's current or last link; 0 before the first, and for a pool.
    private(set) var generation = 0
    /// Why the last attempt to connect failed, or the last link broke; nil before that, and while a link is up.
    private(set) var outage: Outage?
    /// How the last process ended.
    private(set) var lastExit: ExitReason?

    // Each of these returns whether the phase may have changed. The end is final.

    mutating func begin(_ pid: ProcessID) -> Bool {
        self.pid = pid
        generation = 0
        return move(to: .dialing)
    }

    mutating func apply(_ phase: ConnectionPhase, generation: Int) -> Bool {
        self.generation = generation
        if phase == .dialing { outage = outage?.begun }
        return phase != self.phase && move(to: phase)
    }

    /// - Parameter now: The wall clock.
    mutating func apply(_ message: LifecycleMessage, _ now: Date) -> Bool {
        switch message {
        case .connectionUp(_, _, let generation):
            self.generation = generation
            outage = nil
            return move(to: .up)
        case .reconnecting(_, _, let attempt, let delay, let cause):
            outage = Outage(cause: cause, attempt: attempt, nextAttempt: now.addingTimeInterval(delay / .seconds(1)))
            return move(to: .down)
        case .draining: return move(to: .dialing)
        case .suspended: return move(to: .suspended)
        case .down(_, let reason):
            lastExit = reason
            return move(to: .down)
        case .replacementFailed, .current, .credentialExpiring, .credentialReloadFailed, .lateResponse, .handedBack,
            .feedbackOverflow,
            .givenUp, .overflowed:
            return false
        }
    }

    private mutating func move(to phase: ConnectionPhase) -> Bool {
        guard self.phase != nil else { return false }
        self.phase = phase
        return true
    }
}

extension Outage {
    /// The attempt is under way.
    fileprivate var begun: Outage { Outage(cause: cause, attempt: attempt, nextAttempt: nil) }
}

extension Standing {
    /// The phase for a status, which also shows the refusal: a credential is refused a moment before the processes
    /// know.
    func phase(_ refusal: CredentialRefusal?) -> ConnectionPhase {
        guard let phase else { return .ended }
        return refusal == nil ? phase : .suspended
    }

    /// A pool follows its connections.
    mutating func follow(_ members: [Standing]) {
        guard phase != nil else { return }
        phase = ConnectionPhase(ofPool: members.compactMap(\.phase))
        outage = phase == .up ? nil : members.lazy.compactMap(\.outage).first
    }
}

extension ConnectionPhase {
    /// The phase of a pool whose connections have these phases: the best of them.
    init(ofPool phases: [ConnectionPhase]) {
        self = [.up, .dialing, .down].first(where: phases.contains) ?? phases.first ?? .down
    }

    init(_ machine: borrowing ConnectionMachine) {
        // While a probe is on its way, the machine has a link for it; for all others there is none.
        let isRefused = machine.credential.refusal != nil
        self =
            switch machine.phase {
            case .ended: .down
            case _ where isRefused: .suspended
            case .idle, .dialing: .dialing
            case .up: .up
            case .down: .down
            case .suspended: .suspended
            }
    }
}
