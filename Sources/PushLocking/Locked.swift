#if os(Linux)
    import Glibc
#else
    #error("supervised-push runs on Linux: see docs/support.md")
#endif

/// A value that is accessible only under its lock.
///
/// The lock is a pthread mutex, because Thread Sanitizer understands it on Linux, unlike `Synchronization.Mutex`. It is
/// not recursive. Nothing in this package calls foreign code while it holds one.
public final class Locked<Value>: @unchecked Sendable {
    // Sendable: the value is accessed only between lock and unlock. So every access is exclusive. Value and
    // lock therefore share an allocation of their own, where Swift does not check exclusivity again.
    @usableFromInline struct Guarded {
        @usableFromInline var mutex = pthread_mutex_t()
        @usableFromInline var value: Value

        @inlinable init(value: Value) { self.value = value }
    }

    @usableFromInline let guarded: UnsafeMutablePointer<Guarded>

    // Inlinable, so that callers in other modules pay for a lock and not for generic code. The compiler does this for
    // public functions only. The module is not a product, so users do not see it.

    /// Protects `value`, which from now on is accessed through ``withLock(_:)``.
    @inlinable public init(_ value: sending Value) {
        guarded = .allocate(capacity: 1)
        guarded.initialize(to: Guarded(value: value))
        let code = pthread_mutex_init(&guarded.pointee.mutex, nil)
        precondition(code == 0, "pthread_mutex_init failed with \(code)")
    }

    @inlinable deinit {
        pthread_mutex_destroy(&guarded.pointee.mutex)
        guarded.deinitialize(count: 1)
        guarded.deallocate()
    }

    /// Runs `body` with the lock held. `body` may read and change the value.
    @inlinable public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(&guarded.pointee.mutex)
        defer { pthread_mutex_unlock(&guarded.pointee.mutex) }
        return try body(&guarded.pointee.value)
    }
}
