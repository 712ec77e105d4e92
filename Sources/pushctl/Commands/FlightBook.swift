import Locking
import SupervisedPush

/// Joins the handle of one push with its outcome, whichever comes first.
final class FlightBook: Sendable {
    private struct State {
        var handle: PushHandle?
        var outcome: Result<PushResponse, PushError>?
    }

    private let state = Locked(State())
    private let completion: @Sendable (PushHandle, Result<PushResponse, PushError>) -> Void

    init(_ completion: @escaping @Sendable (PushHandle, Result<PushResponse, PushError>) -> Void) {
        self.completion = completion
    }

    func departed(_ handle: PushHandle) { note { $0.handle = handle } }

    func settled(_ outcome: Result<PushResponse, PushError>) { note { $0.outcome = outcome } }

    private func note(_ change: (inout State) -> Void) {
        let both = state.withLock { state -> (PushHandle, Result<PushResponse, PushError>)? in
            change(&state)
            guard let handle = state.handle, let outcome = state.outcome else { return nil }
            return (handle, outcome)
        }
        if let (handle, outcome) = both { completion(handle, outcome) }
    }
}
