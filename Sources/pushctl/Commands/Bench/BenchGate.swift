import PushCampaign
import PushLocking

/// Why a bench ends early, also if that is known before its load has begun.
final class BenchGate: Sendable {
    private struct State {
        var why: RunEnding?
        var stop: (@Sendable (RunEnding) -> Void)?
    }

    private let state = Locked(State())

    /// The first reason, if any.
    var why: RunEnding? { state.withLock { $0.why } }

    func stop(_ why: RunEnding) {
        let (first, stop) = state.withLock { state in
            state.why = state.why ?? why
            return (state.why ?? why, state.stop)
        }
        stop?(first)
    }

    /// From now on `stop` is called with the first reason; at once, if there is one already.
    func open(_ stop: @escaping @Sendable (RunEnding) -> Void) {
        let why = state.withLock { state in
            state.stop = stop
            return state.why
        }
        if let why { stop(why) }
    }
}
