import Dispatch

extension DispatchQueue {
    /// The pool of threads for what callers gave us to run: it may block, and must then not keep a process from
    /// running.
    ///
    /// The processes' pool is the one of `userInteractive`. On Linux Dispatch knows no such class and takes
    /// `userInitiated` for it, so that those two are one pool; and the default pool is the one callers block
    /// themselves.
    static var forCallers: DispatchQueue {
        .global(qos: .utility)
    }
}
