import Dispatch

/// Runs blocking work in order, on a thread of its own.
struct OwnThread: Sendable {
    private let queue: DispatchQueue

    /// A serial queue without a target gets its own thread whenever it needs one.
    init(_ label: String) { queue = DispatchQueue(label: label) }

    func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }
}
