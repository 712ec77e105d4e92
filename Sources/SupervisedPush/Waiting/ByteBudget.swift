import DequeModule
import PushLocking

/// The bytes that all connections of a runtime together may keep waiting.
///
/// The rooms of names reserve in chunks and count within them under their own locks, so that a burst of pushes comes
/// here once for a chunk and not once a push. What a room does not need it gives back, all of it once it is idle: the
/// chunks held in reserve are the only part of the budget that nobody can use.
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

    /// Reserves at least so many bytes, a chunk if there is one.
    ///
    /// - Parameter orCall: Called once, later, when so many bytes are free; for one who waits. Those who wait are
    ///   called in the order in which they came, so that a large need does not wait for small ones behind it. Who needs
    ///   no more than is free at its call takes it at once, whoever waits.
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

    /// Takes bytes that are there already, whether or not they fit.
    func overdraw(_ bytes: Int) { state.withLock { $0.free -= bytes } }

    /// Gives bytes back and calls those that waited for them. With no lock held.
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

    /// How much nobody has reserved; negative if it is overdrawn.
    var free: Int { state.withLock { $0.free } }
}
