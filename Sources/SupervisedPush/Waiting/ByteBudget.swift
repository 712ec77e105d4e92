import DequeModule
import PushLocking

/// The bytes that may wait in all connections of a runtime together.
///
/// Rooms reserve chunks and count within them under their own locks, so a burst of pushes accesses the budget once per
/// chunk instead of once per push. A room returns what it does not need, and all of it once it is idle. Only the
/// reserved chunks cannot be used by others.
final class ByteBudget: Sendable {
    private struct Waiter {
        let bytes: Int
        let call: @Sendable () -> Void
    }

    private struct State {
        var free: Int
        var waiters = Deque<Waiter>()

        mutating func takeReady() -> Waiter? {
            guard let first = waiters.first, first.bytes <= free else { return nil }
            return waiters.removeFirst()
        }
    }

    static let smallest = 1 << 20

    let limit: Int
    /// How much is reserved at a time.
    let chunk: Int
    private let state: Locked<State>

    /// - Parameter limit: At least 1 MiB; smaller values count as 1 MiB.
    init(limit: Int) {
        self.limit = max(limit, Self.smallest)
        chunk = min(8 << 10, self.limit / 1_024)
        state = Locked(State(free: self.limit))
    }

    /// Reserves at least this many bytes, or a chunk if there is one.
    ///
    /// - Parameter orCall: Called once, later, when this many bytes are free. Waiting callers are called in order, so
    ///   that a large request does not wait for small ones behind it. A request for no more than is free succeeds at
    ///   once, even if others wait.
    /// - Returns: How much was reserved; 0 if there is not enough.
    func reserve(_ bytes: Int, orCall call: (@Sendable () -> Void)? = nil) -> Int {
        state.withLock { state in
            guard state.free >= bytes else {
                if let call { state.waiters.append(Waiter(bytes: bytes, call: call)) }
                return 0
            }
            let granted = state.free >= max(bytes, chunk) ? max(bytes, chunk) : bytes
            state.free -= granted
            return granted
        }
    }

    /// Takes bytes that are used already, whether or not they fit.
    func overdraw(_ bytes: Int) { state.withLock { $0.free -= bytes } }

    /// Returns bytes and calls those that wait for them. Call it without a lock.
    func giveBack(_ bytes: Int) {
        guard bytes > 0 else { return }
        var next = state.withLock { state in
            state.free += bytes
            return state.takeReady()
        }
        while let waiter = next {
            waiter.call()
            next = state.withLock { $0.takeReady() }
        }
    }

    /// How many bytes are not reserved; negative if the budget is overdrawn.
    var free: Int { state.withLock { $0.free } }
}
