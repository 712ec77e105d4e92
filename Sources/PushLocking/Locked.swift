import Glibc

/// A value that is reached only under its lock.
///
/// The lock is a pthread mutex, which Thread Sanitizer understands on Linux; `Synchronization.Mutex` it does not.
/// It is not recursive, and nothing in this package calls foreign code while it holds one.
public final class Locked<Value>: @unchecked Sendable {
    // Sendable, because the value is touched between lock and unlock only. That also makes every access exclusive, so value
    // and lock lie in memory of their own, in one piece, where an access is not checked a second time.
    @usableFromInline struct Guarded {
        @usableFromInline var mutex = pthread_mutex_t()
        @usableFromInline var value: Value

        @inlinable init(value: Value) { self.value = value }
    }

    @usableFromInline let guarded: UnsafeMutablePointer<Guarded>

    // Inlinable, so that callers in other modules pay for a lock and not for generic code; the compiler heeds that of public
    // functions only. The module is no product, so that nobody outside sees it.

    /// Guards `value`, which is reached through ``withLock(_:)`` from now on.
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

    /// Runs `body` with the lock held and gives it the value to read and change.
    @inlinable public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(&guarded.pointee.mutex)
        defer { pthread_mutex_unlock(&guarded.pointee.mutex) }
        return try body(&guarded.pointee.value)
    }
}
