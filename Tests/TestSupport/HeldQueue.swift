import Dispatch
import PushLocking
import PushTransport

/// A connector that knows the queue of the process that dialled last, and can hold it: so a test decides what the process
/// finds when it goes on.
package final class HeldQueue: Connector {
    private let connector: any Connector
    private let queue = Locked<DispatchQueue?>(nil)

    package init(_ connector: any Connector) { self.connector = connector }

    package func connect(
        to endpoint: Endpoint, on queue: DispatchQueue,
        completion: @escaping @Sendable (Result<any ByteChannel, TransportError>) -> Void
    ) -> any Cancellable {
        self.queue.withLock { $0 = queue }
        return connector.connect(to: endpoint, on: queue, completion: completion)
    }

    /// Returns once the process stands still. It goes on when the closure that is returned is called; nil if there was no
    /// process.
    ///
    /// - Parameter body: runs on the process's queue, just before it stands still. A manual clock must be moved here: elsewhere
    ///   it would wait for the process.
    package func hold(after body: @escaping @Sendable () -> Void = {}) async -> (@Sendable () -> Void)? {
        guard let queue = queue.withLock({ $0 }) else { return nil }
        let gate = DispatchSemaphore(value: 0)
        await withCheckedContinuation { continuation in
            queue.async {
                body()
                continuation.resume()
                gate.wait()
            }
        }
        return { gate.signal() }
    }
}
