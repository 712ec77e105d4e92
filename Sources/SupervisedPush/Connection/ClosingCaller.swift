import Locking

/// A caller of `close`: it is resumed once, when the connection has ended or when it has waited long enough. The first of
/// several gets what was handed back, the others nothing.
final class ClosingCaller: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<HandBack, Never>)
        case resumed(HandBack)
    }

    /// False if it only waits for the end, and the owner is handed back what is left.
    let takesHandBack: Bool
    private let state = Locked(State.idle)

    init(takesHandBack: Bool) { self.takesHandBack = takesHandBack }

    func resume(_ handBack: HandBack) {
        let continuation = state.withLock { state -> CheckedContinuation<HandBack, Never>? in
            switch state {
            case .idle:
                state = .resumed(handBack)
                return nil
            case .waiting(let continuation):
                state = .resumed(handBack)
                return continuation
            case .resumed:
                return nil
            }
        }
        continuation?.resume(returning: handBack)
    }

    /// Waits for it. One caller only.
    func value() async -> HandBack {
        await withCheckedContinuation { continuation in
            let handBack = state.withLock { state -> HandBack? in
                if case .resumed(let handBack) = state { return handBack }
                state = .waiting(continuation)
                return nil
            }
            if let handBack { continuation.resume(returning: handBack) }
        }
    }
}
