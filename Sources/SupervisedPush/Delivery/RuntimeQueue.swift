import Dispatch

/// Marks the queues of the runtime, so that a blocking call on one of them can be refused.
enum RuntimeQueue {
    private static let key = DispatchSpecificKey<Bool>()

    static func mark(_ queue: DispatchQueue) { queue.setSpecific(key: key, value: true) }

    /// True on a queue where blocking would stop what the call waits for.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
