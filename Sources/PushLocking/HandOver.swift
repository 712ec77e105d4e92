/// A task that waits for one value. The same in every build but Thread Sanitizer's.
///
/// The Swift runtime passes the value safely from the resuming thread to the task, but Thread Sanitizer does not see
/// that on Linux. It reports races on objects inside the value, and on the frame of the waiting task. For its builds
/// (`THREAD_SANITIZER`, see scripts/tsan.sh) both sides cross a lock, which it sees, and the continuation is a checked
/// one. Together they cost three allocations, and the layout of a checked continuation is known only at run time, so each
/// copy of a type that contains one needs a call.
public struct HandOver<Value: Sendable>: Sendable {
    #if THREAD_SANITIZER
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
    #if THREAD_SANITIZER
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
