import Dispatch
import PushLocking
import PushTransport

/// A network in memory that knows the client's ends, so that a test can play the kernel: take this many bytes and no more,
/// or break the connection.
package final class TappedNetwork: Connector {
    /// Weak, because an end that nobody owns closes itself, as a socket does.
    private struct Tap {
        weak var channel: MemoryChannel?
    }

    package let network: MemoryNetwork
    private let taps = Locked<[Tap]>([])

    init(_ network: MemoryNetwork) { self.network = network }

    /// The client's ends of all connections that are held, oldest first.
    package var channels: [MemoryChannel] { taps.withLock { $0.compactMap(\.channel) } }

    package func connect(
        to endpoint: Endpoint, on queue: DispatchQueue,
        completion: @escaping @Sendable (Result<any ByteChannel, TransportError>) -> Void
    ) -> any Cancellable {
        network.connect(to: endpoint, on: queue) { [weak self] result in
            if case .success(let channel) = result, let channel = channel as? MemoryChannel {
                self?.taps.withLock { $0.append(Tap(channel: channel)) }
            }
            completion(result)
        }
    }
}
