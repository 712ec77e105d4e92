import Dispatch

/// Runs work that blocks on a thread of its own, in order.
struct OwnThread: Sendable {
    private let queue: DispatchQueue

    /// A serial queue without a target has a thread to itself whenever it needs one.
    init(_ label: String) { queue = DispatchQueue(label: label) }

    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }
}
