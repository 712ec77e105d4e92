import PushCampaign
import PushLocking
import SupervisedPush

/// Ends the runtime of a command that need not go on. A link can fail before `connect` has returned; then it waits for
/// ``connected()``, so that the command says why no link came up.
final class GiveUp: Sendable {
    private struct State {
        var isConnected = false
        var isDue = false
    }

    private let runtime: PushRuntime
    private let state = Locked(State())

    init(_ runtime: PushRuntime) { self.runtime = runtime }

    func callAsFunction() {
        endIfDue { $0.isDue = true }
    }

    /// The command has its connection.
    func connected() {
        endIfDue { $0.isConnected = true }
    }

    private func endIfDue(after change: (inout State) -> Void) {
        let isDue = state.withLock { state in
            change(&state)
            return state.isDue && state.isConnected
        }
        if isDue { Task { [runtime] in await runtime.shutdown(within: .zero) } }
    }
}
