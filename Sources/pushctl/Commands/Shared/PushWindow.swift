import Dispatch
import Locking

/// Bounds the pushes that are under way: whoever makes them waits here for room, and is woken once for many.
///
/// A wake-up per completion would turn the pipeline into ping-pong, five context switches a push; so the thread that
/// waits goes on only when a whole batch fits.
final class PushWindow: Sendable {
    private struct State {
        var size: Int
        var open = 0
        var isWaiting = false
        var isStopped = false
        var waiters: [Waiter] = []

        /// Takes out who need not wait any more.
        mutating func ready() -> [Waiter] {
            guard !waiters.isEmpty, open == 0 || isStopped else { return [] }
            let isEmpty = open == 0
            let isStopped = isStopped
            defer { waiters.removeAll { isEmpty || (isStopped && $0.endsWhenStopped) } }
            return waiters.filter { isEmpty || (isStopped && $0.endsWhenStopped) }
        }
    }

    private struct Waiter {
        let endsWhenStopped: Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private let batch: Int
    private let state: Locked<State>
    private let room = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - size: the most places.
    ///   - batch: once it is full, so many places must be free before it goes on.
    init(size: Int, batch: Int) {
        self.batch = batch
        state = Locked(State(size: size))
    }

    /// Takes a place; blocks while there is none. False once stopped. For one thread only.
    func enter() -> Bool {
        while true {
            let entered = state.withLock { state -> Bool? in
                if state.isStopped { return false }
                guard state.open < state.size else {
                    state.isWaiting = true
                    return nil
                }
                state.open += 1
                return true
            }
            if let entered { return entered }
            room.wait()
        }
    }

    /// How many places are taken.
    var taken: Int { state.withLock { $0.open } }

    /// Gives a place back: its push has its outcome.
    func leave() {
        let (wake, ready) = state.withLock { state in
            state.open -= 1
            return (wakes(&state), state.ready())
        }
        if wake { room.signal() }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Has another number of places from now on; who has one keeps it.
    func resize(_ size: Int) {
        let wake = state.withLock { state in
            state.size = size
            return wakes(&state)
        }
        if wake { room.signal() }
    }

    /// Whether the thread that waits is to go on.
    private func wakes(_ state: inout State) -> Bool {
        guard state.isWaiting, state.open <= state.size - batch else { return false }
        state.isWaiting = false
        return true
    }

    /// Nobody gets a place any more, also who waits for one at this moment.
    func stop() {
        let (wake, ready) = state.withLock { state in
            state.isStopped = true
            defer { state.isWaiting = false }
            return (state.isWaiting, state.ready())
        }
        if wake { room.signal() }
        for waiter in ready { waiter.continuation.resume() }
    }

    /// Returns once no place is taken; or, if wanted, once stopped.
    func empty(orStopped: Bool = false) async {
        await withCheckedContinuation { continuation in
            let ready = state.withLock { state in
                state.waiters.append(Waiter(endsWhenStopped: orStopped, continuation: continuation))
                return state.ready()
            }
            for waiter in ready { waiter.continuation.resume() }
        }
    }
}
