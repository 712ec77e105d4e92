import Dispatch

extension DispatchQueue {
    /// The pool of threads for callers' code: it may block, and must not keep a process from running.
    ///
    /// Processes run in the pool of `userInteractive`. On Linux, Dispatch has no such class and uses `userInitiated`,
    /// so these two share one pool. The default pool is the one that callers block themselves.
    static var forCallers: DispatchQueue {
        .global(qos: .utility)
    }
}
