import Dispatch

/// An operation that can be cancelled.
package protocol Cancellable: AnyObject, Sendable {
    /// Cancels the operation. On the completion's queue this is exact: no completion follows. May be repeated.
    func cancel()
}

/// Opens channels: over sockets, or inside a `MemoryNetwork`.
package protocol Connector: Sendable {
    /// Connects without blocking. Calls `completion` exactly once, on `queue`, never from inside this call and never
    /// after `cancel()`. There is no time limit: the caller cancels when its own limit has passed.
    func connect(
        to endpoint: Endpoint, on queue: DispatchQueue,
        completion: @escaping @Sendable (Result<any ByteChannel, TransportError>) -> Void
    ) -> any Cancellable
}

/// A host and a port to connect to or to listen on.
package struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// A DNS name or an IP literal (IPv6 without brackets).
    package var host: String
    /// 0…65535; 0 lets a listener choose a free port.
    package var port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// The host as written in a URI: an IPv6 literal is in brackets (RFC 3986, section 3.2.2).
    package var uriHost: String { host.contains(":") ? "[\(host)]" : host }

    package var description: String { "\(uriHost):\(port)" }
}
