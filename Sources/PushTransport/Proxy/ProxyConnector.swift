import Dispatch

/// Opens channels through a proxy: connects to it and asks it for a tunnel to the endpoint, whose name the proxy resolves.
///
/// TLS goes through the tunnel from end to end, so that the proxy sees no more than the endpoint's name. There is no time
/// limit here, as with any connector; the stages tell whoever has one what its time is spent on.
package final class ProxyConnector: Connector {
    package enum Stage: Sendable, Equatable {
        /// The proxy is reached and asked for the tunnel.
        case tunnelling
        /// The tunnel stands; the completion follows.
        case tunnelled
    }

    private let proxy: ProxyServer
    private let connector: any Connector
    private let onStage: @Sendable (Stage) -> Void

    /// - Parameters:
    ///   - connector: reaches the proxy.
    ///   - onStage: called on the queue of `connect`, not from inside of it, and not after `cancel()` there.
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
        _ completion: @escaping @Sendable (Result<any ByteChannel, TransportError>) -> Void
    ) -> any Cancellable {
        let attempt = TunnelAttempt(proxy, to: endpoint, on: queue, onStage, completion)
        attempt.start(connector)
        return attempt
    }
}
