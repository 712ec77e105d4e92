import Dispatch

/// Runs a task on a Dispatch queue: user code that blocks its thread there holds up nobody else's tasks.
package final class QueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    package init(label: String) { queue = DispatchQueue(label: label, target: .forCallers) }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
