import Dispatch
import Glibc
import PushLocking

/// A network in memory: listeners by endpoint, and a `Connector` to reach them, without sockets or ports.
package final class MemoryNetwork: Connector {
    package typealias Accept = @Sendable (MemoryChannel) -> Void

    private let listeners = Locked<[Endpoint: Accept]>([:])
    private let capacity: Int

    /// - Parameter capacity: How many bytes the "kernel" buffers in each direction of a new connection.
    package init(capacity: Int = 64 << 10) { self.capacity = capacity }

    /// The network itself, as a connector.
    package var connector: any Connector { self }

    /// Calls `accept` with the remote end of each connection, on the queue of the connecting side. Replaces an earlier
    /// listener at the same endpoint.
    package func listen(on endpoint: Endpoint, accept: @escaping Accept) {
        listeners.withLock { $0[endpoint] = accept }
    }

    /// Refuses later connections. Existing ones stay open.
    package func stopListening(on endpoint: Endpoint) {
        listeners.withLock { $0[endpoint] = nil }
    }

    package func connect(
        to endpoint: Endpoint, on queue: DispatchQueue,
        completion: @escaping @Sendable (Result<any ByteChannel, TransportError>) -> Void
    ) -> any Cancellable {
        let attempt = MemoryConnect()
        queue.async {
            guard !attempt.isCancelled.withLock({ $0 }) else { return }
            guard let accept = self.listeners.withLock({ $0[endpoint] }) else {
                return completion(.failure(Self.refused(endpoint)))
            }
            let (near, far) = MemoryChannel.pair(capacity: self.capacity)
            accept(far)
            completion(.success(near))
        }
        return attempt
    }

    private static func refused(_ endpoint: Endpoint) -> TransportError {
        TransportError(
            layer: .connect, code: .system(ECONNREFUSED),
            sentence: "No connection to \(endpoint): nothing listens there. Check the host and the port.")
    }
}

private final class MemoryConnect: Cancellable {
    let isCancelled = Locked(false)
    func cancel() { isCancelled.withLock { $0 = true } }
}
