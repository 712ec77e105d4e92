import Dispatch

/// A connected, non-blocking byte stream: a socket, or its counterpart in memory.
///
/// Confined to the queue it is activated on: every call after `activate` happens there, and every event arrives there.
/// A call never waits, traps on an errno, or calls back from inside.
package protocol ByteChannel: AnyObject, Sendable {
    /// Starts the events. Called once.
    func activate(on queue: DispatchQueue, onEvent: @escaping @Sendable (ChannelEvent) -> Void)
    /// Reads the bytes that have arrived.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult
    /// Passes bytes to the kernel, which may accept only some of them.
    func write(_ bytes: UnsafeRawBufferPointer) -> WriteResult
    /// Stops reading from the kernel and stops the read events, so that the peer's bytes fill the kernel's buffers. For
    /// a simulator that plays a peer that hangs.
    func stopReading()
    /// Closes the stream in order; the kernel still sends what it accepted. No event follows. May be repeated.
    func close()
    /// Closes the stream with a reset. No event follows. May be repeated.
    func abort()
}

package enum ChannelEvent: Sendable, Equatable {
    /// Bytes, an end of stream or an error can be read. Repeated until they are.
    case readable
    /// The kernel accepts bytes again. Comes once after a write returned `.wouldBlock`.
    case writable
}

package enum ReadResult: Sendable, Equatable {
    case bytes(Int)
    case wouldBlock
    case endOfStream
    case failed(Int32)
}

package enum WriteResult: Sendable, Equatable {
    case taken(Int)
    case wouldBlock
    case failed(Int32)
}

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
