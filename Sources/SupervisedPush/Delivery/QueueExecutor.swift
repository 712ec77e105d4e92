import Dispatch

/// Runs a task on a Dispatch queue, so that user code that blocks its thread does not hold up other tasks.
package final class QueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    package init(label: String) { queue = DispatchQueue(label: label, target: .forCallers) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
