import Dispatch
import Locking
import WireTransport

/// A network in memory that keeps the client's ends, so that a test can play the kernel: take so many bytes and no more,
/// or break the connection.
package final class TappedNetwork: Connector {
    package let network: MemoryNetwork
    private let taken = Locked<[MemoryChannel]>([])

    init(_ network: MemoryNetwork) { self.network = network }

    /// The client's ends of all connections so far, oldest first.
    package var channels: [MemoryChannel] { taken.withLock { $0 } }

    package func connect(
        to endpoint: Endpoint, on queue: DispatchQueue,
        _ completion: @escaping @Sendable (Result<any ByteChannel, TransportError>) -> Void
    ) -> any Cancellable {
        network.connect(to: endpoint, on: queue) { [weak self] result in
            if case .success(let channel) = result, let channel = channel as? MemoryChannel {
                self?.taken.withLock { $0.append(channel) }
            }
            completion(result)
        }
    }
}
