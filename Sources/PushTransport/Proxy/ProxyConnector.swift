import Dispatch

/// Opens channels through a proxy. Connects to the proxy and requests a tunnel to the endpoint, whose name the proxy
/// resolves.
///
/// TLS runs end to end through the tunnel, so the proxy sees only the endpoint's name. As with any connector there is
/// no time limit; the stages tell a caller with a limit where its time goes.
package final class ProxyConnector: Connector {
    package enum Stage: Sendable, Equatable {
        /// The proxy is connected and the tunnel is requested.
        case tunnelling
        /// The tunnel is open; the completion follows.
        case tunnelled
    }

    private let proxy: ProxyServer
    private let connector: any Connector
    private let onStage: @Sendable (Stage) -> Void

    /// - Parameters:
    ///   - connector: Connects to the proxy.
    ///   - onStage: Called on the queue of `connect`, never from inside `connect`, and not after `cancel()` on that
    ///     queue.
    package init(
        _ proxy: ProxyServer, through connector: any Connector,
        onStage: @escaping @Sendable (Stage) -> Void = { _ in }
    ) {
        self.proxy = proxy
        self.connector = connector
        self.onStage = onStage
    }

    package func connect(
        to endpoint: Endpoint, on queue: DispatchQueue,
        completion: @escaping @Sendable (Result<any ByteChannel, TransportError>) -> Void
    ) -> any Cancellable {
        let attempt = TunnelAttempt(proxy, to: endpoint, on: queue, onStage: onStage, completion: completion)
        attempt.start(connector)
        return attempt
    }
}
