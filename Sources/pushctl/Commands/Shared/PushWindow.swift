import Dispatch
import Locking

/// Bounds the pushes that are under way: whoever makes them waits here for room, and is woken once for many.
///
/// A wake-up per completion would turn the pipeline into ping-pong, five context switches a push; so the thread that
/// waits goes on only when a whole batch fits.
final class PushWindow: Sendable {
    private struct State {
        /// Pushes under way, places given out and not used included.
        var open = 0
        var isWaiting = false
        var isStopped = false
        var whenEmpty: [CheckedContinuation<Void, Never>] = []
    }

    private let size: Int
    private let batch: Int
    private let state = Locked(State())
    private let room = DispatchSemaphore(value: 0)

    init(size: Int, batch: Int) {
        self.size = size
        self.batch = batch
    }

    /// Blocks until there is room and takes places, at most a batch of them; 0 once stopped. For one thread only.
    func enter() -> Int {
        while true {
            let places = state.withLock { state -> Int? in
                if state.isStopped { return 0 }
                let places = min(batch, size - state.open)
                guard places > 0 else {
                    state.isWaiting = true
                    return nil
                }
                state.open += places
                return places
            }
            if let places { return places }
            room.wait()
        }
    }

    /// Gives places back: a push has its outcome, or a place was not used.
    func leave(_ count: Int = 1) {
        let (wake, empty) = state.withLock { state in
            state.open -= count
            let wake = state.isWaiting && state.open <= size - batch
            if wake { state.isWaiting = false }
            guard state.open == 0, !state.whenEmpty.isEmpty else { return (wake, [CheckedContinuation<Void, Never>]()) }
            defer { state.whenEmpty = [] }
            return (wake, state.whenEmpty)
        }
        if wake { room.signal() }
        for continuation in empty { continuation.resume() }
    }

    /// Nobody gets a place any more, also who waits for one at this moment.
    func stop() {
        let wake = state.withLock { state in
            state.isStopped = true
            defer { state.isWaiting = false }
            return state.isWaiting
        }
        if wake { room.signal() }
    }

    /// Returns once nothing is under way.
    func empty() async {
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if state.open > 0 { state.whenEmpty.append(continuation) }
                return state.open == 0
            }
            if isEmpty { continuation.resume() }
        }
    }
}
