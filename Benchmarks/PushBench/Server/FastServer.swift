import Dispatch
import PushLocking
import PushTransport

/// The least that a push needs: TLS, and 200 for each stream that ends. It checks nothing and decodes no header field,
/// so that a client is the limit and not the server.
final class FastServer: Sendable {
    private let queue = DispatchQueue(label: "server", target: .global(qos: .userInteractive))
    private let listener: SocketListener
    private let connections = Locked<[ObjectIdentifier: FastConnection]>([:])

    /// - Parameter window: How many body bytes a connection takes before they are given back.
    init(port: Int, window: UInt32, certificate: [UInt8], key: [UInt8]) throws {
        let context = try TLSContext.server(identity: Identity(certificate: certificate, key: key))
        listener = try SocketListener(on: Endpoint(host: "localhost", port: port))
        listener.accept(on: queue) { [queue, connections] channel in
            guard let engine = try? TLSEngine(server: context) else { return channel.close() }
            let connection = FastConnection(TLSTransport(channel: channel, engine: engine), window: window) { ended in
                connections.withLock { $0[ObjectIdentifier(ended)] = nil }
            }
            connections.withLock { $0[ObjectIdentifier(connection)] = connection }
            connection.start(on: queue)
        }
    }
}

/// One client's connection. Confined to the server's queue.
private final class FastConnection: TransportDelegate, @unchecked Sendable {
    // Sendable: it is confined to the server's queue.

    private let transport: TLSTransport
    private let whenEnded: (FastConnection) -> Void
    private var responder: FastResponder

    init(_ transport: TLSTransport, window: UInt32, whenEnded: @escaping (FastConnection) -> Void) {
        self.transport = transport
        responder = FastResponder(window: window)
        self.whenEnded = whenEnded
    }

    func start(on queue: DispatchQueue) { transport.start(on: queue, delegate: self) }

    func transportEstablished(_ transport: TLSTransport) { responder.greet() }

    func transport(_ transport: TLSTransport, received plaintext: UnsafeRawBufferPointer) {
        if !responder.read(plaintext) {
            transport.abort()
            whenEnded(self)
        }
    }

    func transportDrained(_ transport: TLSTransport) {
        responder.takeOutput { transport.write($0) }
        transport.flush()
    }

    func transportHasRoom(_ transport: TLSTransport) {}

    func transport(_ transport: TLSTransport, closed error: TransportError?) { whenEnded(self) }
}
