/// A task that waits for one value.
///
/// The Swift runtime passes the value safely from the resuming thread to the task, but Thread Sanitizer does not see
/// that on Linux and reports races on objects inside the value. It does see a lock, which both sides cross in its builds
/// (`THREAD_SANITIZER`, see scripts/tsan.sh). All else is the same in every build. The continuation is not a checked one:
/// that costs an allocation, and its layout is known only at run time, so each copy of a type that contains one needs a
/// call.
public struct HandOver<Value: Sendable>: Sendable {
    @usableFromInline typealias Continuation = UnsafeContinuation<Value, Never>

    @usableFromInline let continuation: Continuation
    @usableFromInline let fence: Fence

    @inlinable init(continuation: Continuation, fence: Fence) {
        self.continuation = continuation
        self.fence = fence
    }

    /// Hands the value over. Call it exactly once.
    @inlinable public func resume(returning value: Value) {
        fence.cross()
        continuation.resume(returning: value)
    }

    /// The lock that both sides cross.
    @usableFromInline struct Fence: Sendable {
        #if THREAD_SANITIZER
            // A byte and not `Void`: an empty value lies past the end of its memory, where the sanitizer remembers
            // earlier contents and reports a race.
            @usableFromInline let lock = Locked(false)
        #endif

        @inlinable init() {}

        @inlinable func cross() {
            #if THREAD_SANITIZER
                lock.withLock { $0 = true }
            #endif
        }
    }
}

/// Suspends the task until the hand-over that `body` receives is resumed, which must happen exactly once.
@inlinable public func withHandOver<Value: Sendable>(
    isolation: isolated (any Actor)? = #isolation, of type: Value.Type = Value.self, _ body: (HandOver<Value>) -> Void
) async -> Value {
    let fence = HandOver<Value>.Fence()
    let value = await withUnsafeContinuation(isolation: isolation) {
        body(HandOver(continuation: $0, fence: fence))
    }
    fence.cross()
    return value
}
