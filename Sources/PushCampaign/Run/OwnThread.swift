import Dispatch

/// Runs blocking work in order, on a thread of its own.
package struct OwnThread: Sendable {
    private let queue: DispatchQueue

    /// A serial queue without a target gets its own thread whenever it needs one.
    package init(_ label: String) { queue = DispatchQueue(label: label) }

    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }

    package func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result = await run { () -> Result<Value, Failure> in
            do throws(Failure) { return .success(try work()) } catch { return .failure(error) }
        }
        return try result.get()
    }
}
