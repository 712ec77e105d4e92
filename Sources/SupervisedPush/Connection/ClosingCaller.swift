import PushLocking

/// A caller of `close`. It is resumed once, when the connection has ended or when the caller has waited long enough.
/// The first of several callers gets the pushes handed back, the others an empty hand-back.
final class ClosingCaller: Sendable {
    private enum State {
        case idle
        case waiting(HandOver<HandBack>)
        case resumed(HandBack)
    }

    /// False if the caller only waits for the end, and the owner gets the remaining pushes.
    let takesHandBack: Bool
    private let state = Locked(State.idle)

    init(takesHandBack: Bool) { self.takesHandBack = takesHandBack }

    func resume(_ handBack: HandBack) {
        let waiting = state.withLock { state -> HandOver<HandBack>? in
            switch state {
            case .idle:
                state = .resumed(handBack)
                return nil
            case .waiting(let handOver):
                state = .resumed(handBack)
                return handOver
            case .resumed:
                return nil
            }
        }
        waiting?.resume(returning: handBack)
    }

    /// Waits for the hand-back. One caller only.
    func value() async -> HandBack {
        await withHandOver { handOver in
            let handBack = state.withLock { state -> HandBack? in
                if case .resumed(let handBack) = state { return handBack }
                state = .waiting(handOver)
                return nil
            }
            if let handBack { handOver.resume(returning: handBack) }
        }
    }
}
