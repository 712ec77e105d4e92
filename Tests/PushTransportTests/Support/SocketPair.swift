import Dispatch
import PushLocking
import PushTransport
import Testing

/// Connections over loopback sockets.
enum SocketPair {
    static func engineContexts() throws -> (client: TLSContext, server: TLSContext) {
        (
            try .client(trust: .pem(TestPKI.root.certificatePEM)),
            try .server(identity: TestPKI.server.identity())
        )
    }

    static func established() throws -> (client: Peer, server: Peer) {
        let contexts = try engineContexts()
        let (near, far) = try channels()
        let server = Peer(far, try TLSEngine(server: contexts.server)).start()
        let client = Peer(near, try TLSEngine(client: contexts.client, serverName: "127.0.0.1")).start()
        client.waitFor(.established)
        server.waitFor(.established)
        return (client, server)
    }

    static func channels() throws -> (any ByteChannel, any ByteChannel) {
        let listener = try SocketListener(on: Endpoint(host: "localhost", port: 0))
        let queue = DispatchQueue(label: "connect")
        let accepted = Awaited<SocketChannel>()
        listener.accept(on: queue) { accepted.set($0) }
        let connected = Awaited<Result<any ByteChannel, TransportError>>()
        let attempt = SocketConnector().connect(to: listener.endpoint, on: queue) { connected.set($0) }
        let pair = (try #require(connected.value()).get(), try #require(accepted.value()))
        attempt.cancel()
        listener.close()
        return pair
    }
}

/// A value that comes once, from another thread.
final class Awaited<Value: Sendable>: Sendable {
    private let stored = Locked<[Value]>([])
    private let arrived = DispatchSemaphore(value: 0)

    func set(_ value: Value) {
        stored.withLock { $0.append(value) }
        arrived.signal()
    }

    /// nil if none came within two minutes.
    func value() -> Value? {
        guard arrived.wait(timeout: .now() + .seconds(120)) == .success else { return nil }
        return stored.withLock { $0.removeFirst() }
    }

    var count: Int { stored.withLock { $0.count } }
}
