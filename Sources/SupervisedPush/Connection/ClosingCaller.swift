import PushLocking

/// A caller of `close`: it is resumed once, when the connection has ended or when it has waited long enough. The first
/// of several gets what was handed back, the others nothing.
final class ClosingCaller: Sendable {
    private enum State {
        case idle
        case waiting(HandOver<HandBack>)
        case resumed(HandBack)
    }

    /// False if it only waits for the end, and the owner is handed back what is left.
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

    /// Waits for it. One caller only.
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
