import Dispatch

/// Something under way that can be called off.
package protocol Cancellable: AnyObject, Sendable {
    /// Calls it off; from the completion's queue this is exact: no completion comes after it. May be repeated.
    func cancel()
}

/// Opens channels: over sockets, or inside a `MemoryNetwork`.
package protocol Connector: Sendable {
    /// Connects without blocking. `completion` comes exactly once, on `queue`, never from inside this call, and never
    /// after `cancel()`. There is no time limit here: the caller cancels when its own has passed.
    func connect(
        to endpoint: Endpoint, on queue: DispatchQueue,
        _ completion: @escaping @Sendable (Result<any ByteChannel, TransportError>) -> Void
    ) -> any Cancellable
}
