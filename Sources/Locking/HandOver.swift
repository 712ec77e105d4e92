/// A task that waits for one value: a checked continuation whose value crosses a lock in debug builds.
///
/// The runtime's own way from the thread that resumes to the task is sound, but Thread Sanitizer does not see it on Linux, and
/// reports objects that travel inside the value as raced for. The lock it sees. Release builds, which pay with two allocations
/// for it, do without.
public struct HandOver<Value: Sendable>: Sendable {
    @usableFromInline let continuation: CheckedContinuation<Value, Never>
    @usableFromInline let fence: Fence

    @inlinable init(continuation: CheckedContinuation<Value, Never>, fence: Fence) {
        self.continuation = continuation
        self.fence = fence
    }

    /// Hands the value over; exactly once.
    @inlinable public func resume(returning value: Value) {
        fence.cross()
        continuation.resume(returning: value)
    }

    /// What both sides cross.
    @usableFromInline struct Fence: Sendable {
        #if DEBUG
            // A byte and not `Void`: an empty value lies behind the end of its memory, where the sanitizer still knows what was
            // there before and reports it as racing.
            @usableFromInline let lock = Locked(false)
        #endif

        @inlinable init() {}

        @inlinable func cross() {
            #if DEBUG
                lock.withLock { $0 = true }
            #endif
        }
    }
}

/// Suspends the task until the hand-over that `body` is given has been resumed, as `withCheckedContinuation` does.
@inlinable public func withHandOver<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, of type: Value.Type = Value.self, _ body: (HandOver<Value>) -> Void
) async -> Value {
    let fence = HandOver<Value>.Fence()
    let value = await withCheckedContinuation(isolation: isolation) {
        body(HandOver(continuation: $0, fence: fence))
    }
    fence.cross()
    return value
}
