import Foundation
import Locking

/// Looks ten times a second how many threads this process has, until it is asked.
final class ThreadWatch: Sendable {
    private struct State {
        var most = 0
        var isOver = false
    }

    private let state = Locked(State())

    init() {
        Thread.detachNewThread { [state] in
            while true {
                let threads = ProcessStatus().threads ?? 0
                let isOver = state.withLock { state in
                    state.most = max(state.most, threads)
                    return state.isOver
                }
                if isOver { return }
                usleep(100_000)
            }
        }
    }

    /// The most that were seen, without its own; ends the watch.
    func end() -> Int {
        state.withLock { state in
            state.isOver = true
            return max(0, state.most - 1)
        }
    }
}
