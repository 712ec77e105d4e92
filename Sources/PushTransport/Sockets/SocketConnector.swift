import Dispatch

/// Connects over TCP: looks the name up each time, then races the addresses (RFC 8305).
package final class SocketConnector: Connector {
    private let resolver: Resolver

    package init(resolver: Resolver = Resolver()) { self.resolver = resolver }

    package func connect(
        to endpoint: Endpoint, on queue: DispatchQueue,
        completion: @escaping @Sendable (Result<any ByteChannel, TransportError>) -> Void
    ) -> any Cancellable {
        let attempt = ConnectAttempt(to: endpoint, on: queue, completion: completion)
        attempt.start(resolver)
        return attempt
    }
}
