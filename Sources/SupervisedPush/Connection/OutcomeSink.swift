import Dispatch

/// Who receives the outcome of a push: exactly one owner.
enum OutcomeSink: Sendable {
    typealias Outcome = Result<PushResponse, PushError>

    /// A suspended task; resumed at once.
    case task(CheckedContinuation<Outcome, Never>)
    /// A blocked thread; signalled at once.
    case thread(BlockedCaller)
    /// A closure; called in batches on the connection's delivery queue.
    case completion(@Sendable (Outcome) -> Void)
    /// Nobody: what ends without an answer is handed back.
    case nobody

    /// True for fire and forget.
    var isNobody: Bool {
        if case .nobody = self { true } else { false }
    }

    /// True for the forms whose caller can wait for room.
    var mayWaitForRoom: Bool {
        switch self {
        case .task, .thread: true
        case .completion, .nobody: false
        }
    }
}

extension OutcomeSink {
    /// Hands an outcome over outside of any connection's delivery, for the rare ends before or after a process's life.
    func resumeAtOnce(_ outcome: Outcome) {
        switch self {
        case .task(let continuation): continuation.resume(returning: outcome)
        case .thread(let caller): caller.resume(outcome)
        case .completion(let completion): DispatchQueue.global(qos: .userInitiated).async { completion(outcome) }
        case .nobody: break
        }
    }
}
