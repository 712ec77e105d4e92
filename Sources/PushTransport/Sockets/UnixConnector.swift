import Dispatch
import Glibc

/// Connects to a Unix socket. The host of the endpoint is the path; the port does not count.
///
/// A Unix socket connects at once or not at all, so there is nothing to wait for.
package struct UnixConnector: Connector {
    package init() {}

    package func connect(
        to endpoint: Endpoint, on queue: DispatchQueue,
        completion: @escaping @Sendable (Result<any ByteChannel, TransportError>) -> Void
    ) -> any Cancellable {
        let attempt = DispatchWorkItem {
            completion(Result { () throws(TransportError) in try Self.channel(to: endpoint.host) })
        }
        queue.async(execute: attempt)
        return Attempt(attempt)
    }

    private static func channel(to path: String) throws(TransportError) -> any ByteChannel {
        let address = try UnixAddress(path)
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw failure("No socket can be made", number: errno) }
        guard address.withSockaddr({ Glibc.connect(descriptor, $0, $1) }) == 0 else {
            let number = errno
            _ = Glibc.close(descriptor)
            throw failure("The socket \(path) takes no connection", number: number)
        }
        return SocketChannel(descriptor: descriptor)
    }

    private static func failure(_ what: String, number: Int32) -> TransportError {
        let hint = number == ENOENT || number == ECONNREFUSED ? " Check that its server runs." : ""
        return UnixAddress.failure(.system(number), "\(what): \(errnoText(number)).\(hint)")
    }

    private final class Attempt: Cancellable, @unchecked Sendable {
        // Sendable: the item is set once, and may be cancelled from any thread.
        private let item: DispatchWorkItem

        init(_ item: DispatchWorkItem) { self.item = item }

        func cancel() { item.cancel() }
    }
}
