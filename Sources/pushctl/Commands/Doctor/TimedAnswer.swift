import Dispatch
import PushLocking
import PushTransport

/// Waits for the completion of work that can be cancelled.
enum TimedAnswer {
    /// - Parameter begin: Begins the work on `queue`. Its completion runs there, and not after the work was cancelled
    ///   there.
    /// - Returns: Nil if the time was over first; the work was then cancelled.
    static func wait<Value: Sendable>(
        within limit: Duration, on queue: DispatchQueue,
        _ begin: @escaping @Sendable (_ completion: @escaping @Sendable (Value) -> Void) -> any Cancellable
    ) async -> Value? {
        await withHandOver(of: Value?.self) { handOver in
            let isOver = Locked(false)
            let finish: @Sendable (Value?) -> Void = { value in
                let isFirst = isOver.withLock { isOver in
                    defer { isOver = true }
                    return !isOver
                }
                if isFirst { handOver.resume(returning: value) }
            }
            queue.async {
                let running = begin { finish($0) }
                queue.asyncAfter(deadline: .now() + limit / .seconds(1)) {
                    running.cancel()
                    finish(nil)
                }
            }
        }
    }
}
