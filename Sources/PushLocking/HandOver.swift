/// A task that waits for one value. In debug builds its continuation is a checked one, and the value crosses a lock.
///
/// The runtime's own way from the thread that resumes to the task is sound, but Thread Sanitizer does not see it on Linux, and
/// reports objects that travel inside the value as raced for. The lock it sees. Release builds do without both, which would cost
/// three allocations; and a checked continuation has a layout that only the running program knows, so that each copy of a type
/// that holds one is made by a call.
public struct HandOver<Value: Sendable>: Sendable {
    #if DEBUG
        @usableFromInline typealias Continuation = CheckedContinuation<Value, Never>
    #else
        @usableFromInline typealias Continuation = UnsafeContinuation<Value, Never>
    #endif

    @usableFromInline let continuation: Continuation
    @usableFromInline let fence: Fence

    @inlinable init(continuation: Continuation, fence: Fence) {
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

/// Suspends the task until the hand-over that `body` is given has been resumed. That happens exactly once.
@inlinable public func withHandOver<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, of type: Value.Type = Value.self, _ body: (HandOver<Value>) -> Void
) async -> Value {
    let fence = HandOver<Value>.Fence()
    #if DEBUG
        let value = await withCheckedContinuation(isolation: isolation) {
            body(HandOver(continuation: $0, fence: fence))
        }
    #else
        let value = await withUnsafeContinuation(isolation: isolation) {
            body(HandOver(continuation: $0, fence: fence))
        }
    #endif
    fence.cross()
    return value
}
