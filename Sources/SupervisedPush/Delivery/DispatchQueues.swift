import Dispatch

/// Marks the queues of the runtime, so that a blocking call on one of them can be refused.
enum RuntimeQueue {
    private static let key = DispatchSpecificKey<Bool>()

    static func mark(_ queue: DispatchQueue) { queue.setSpecific(key: key, value: true) }

    /// True on a queue where blocking would stop what the call waits for.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}

extension DispatchQueue {
    /// The pool of threads for callers' code: it may block, and must not keep a process from running.
    ///
    /// Processes run in the pool of `userInteractive`. On Linux, Dispatch has no such class and uses `userInitiated`,
    /// so these two share one pool. The default pool is the one that callers block themselves.
    static var forCallers: DispatchQueue {
        .global(qos: .utility)
    }
}

/// Runs a task on a Dispatch queue, so that user code that blocks its thread does not hold up other tasks.
package final class QueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    package init(label: String) { queue = DispatchQueue(label: label, target: .forCallers) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
