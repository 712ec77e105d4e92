import Dispatch
import Locking
import SupervisedPush

/// Spreads the pushes of one thread evenly over time: whoever makes them waits here for his turn.
final class Pacer: Sendable {
    private struct State {
        var limit: RateLimit
        /// Turns that were taken from the limit and not used.
        var ready = 0
        var isStopped = false

        /// As many turns as there are, so that a high rate costs no look at the clock for each.
        mutating func draw(_ now: MonotonicInstant) {
            ready = limit.available(now)
            limit.take(ready, now)
        }
    }

    private let time = SystemTime()
    private let state: Locked<State>
    private let stopped = DispatchSemaphore(value: 0)

    init(_ rate: PushRate) { state = Locked(State(limit: RateLimit(rate, SystemTime().now))) }

    /// Waits for the next turn; false once stopped. For one thread only.
    func enter() -> Bool {
        while true {
            let now = time.now
            let (goesOn, turn) = state.withLock { state -> (Bool?, MonotonicInstant) in
                if state.isStopped { return (false, now) }
                if state.ready == 0 { state.draw(now) }
                guard state.ready > 0 else { return (nil, state.limit.instant(of: state.limit.quantum, now)) }
                state.ready -= 1
                return (true, now)
            }
            if let goesOn { return goesOn }
            _ = stopped.wait(timeout: .now() + now.duration(to: turn) / .seconds(1))
        }
    }

    /// Nobody gets a turn any more, also who waits for one at this moment.
    func stop() {
        state.withLock { $0.isStopped = true }
        stopped.signal()
    }
}
