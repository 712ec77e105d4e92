import Glibc
import Testing

@testable import PushTransport

/// A listening socket that never accepts and whose backlog is full: connects to it get no answer.
final class FullListener {
    static let host = "127.0.0.3"
    let port: Int
    private var descriptors: [Int32] = []

    init() throws {
        let listener = try Socket.make(family: AF_INET).get()
        descriptors = [listener]
        let address = try #require(SocketAddress(literal: Self.host, port: 0))
        try #require(address.withSockaddr { bind(listener, $0, $1) } == 0 && listen(listener, 0) == 0)
        let local = try #require(Socket.localAddress(listener))
        port = local.port
        for _ in 0..<4 {
            let filler = try Socket.make(family: AF_INET).get()
            descriptors.append(filler)
            _ = local.withSockaddr { connect(filler, $0, $1) }
        }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }
}
