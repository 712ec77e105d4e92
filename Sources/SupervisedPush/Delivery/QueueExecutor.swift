import Dispatch

/// Runs a task on a Dispatch queue: user code that blocks its thread there holds up nobody else's tasks.
final class QueueExecutor: TaskExecutor {
    private let queue: DispatchQueue

    init(label: String, qos: DispatchQoS.QoSClass = .utility) {
        queue = DispatchQueue(label: label, target: .global(qos: qos))
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
