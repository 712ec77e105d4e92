import Dispatch
import PushTransport
import Testing

/// One end of a TLS connection under test: records what its transport tells it, and lets a test wait for it.
final class Peer: TransportDelegate, @unchecked Sendable {
    // Sendable, because everything in it is touched on `queue` only, reached from tests by `queue.sync`.
    enum Event: Equatable { case established, received, drained, hasRoom, closed }

    let queue: DispatchQueue
    let transport: TLSTransport
    private let changed = DispatchSemaphore(value: 0)
    private(set) var events: [Event] = []
    private(set) var received: [UInt8] = []
    private(set) var error: TransportError?
    /// Kept alive with this end.
    var partner: AnyObject?
    var onEvent: ((Peer, Event) -> Void)?
    /// Gets the plaintext instead of `received`.
    var onPlaintext: ((UnsafeRawBufferPointer) -> Void)?

    /// - Parameter queue: one of its own where it is left out.
    init(_ channel: any ByteChannel, _ engine: TLSEngine, on queue: DispatchQueue? = nil) {
        transport = TLSTransport(channel: channel, engine: engine)
        self.queue = queue ?? DispatchQueue(label: "peer", target: .global(qos: .userInteractive))
    }

    func start() -> Peer {
        queue.sync { transport.start(on: queue, delegate: self) }
        return self
    }

    /// Waits until `condition` holds after one of the events; fails the test after two minutes.
    @discardableResult
    func wait(_ what: Comment = "event", until condition: (Peer) -> Bool, at place: SourceLocation = #_sourceLocation)
        -> Bool
    {
        let deadline = DispatchTime.now() + .seconds(120)
        while !queue.sync(execute: { condition(self) }) {
            guard changed.wait(timeout: deadline) == .success else {
                Issue.record("no \(what) in time: \(queue.sync { events.suffix(20) })", sourceLocation: place)
                return false
            }
        }
        return true
    }

    func waitFor(_ event: Event, at place: SourceLocation = #_sourceLocation) {
        wait("\(event)", until: { $0.events.contains(event) }, at: place)
    }

    func waitForError(at place: SourceLocation = #_sourceLocation) -> TransportError? {
        waitFor(.closed, at: place)
        return queue.sync { error }
    }

    func send(_ bytes: [UInt8]) {
        queue.sync {
            bytes.withUnsafeBytes { transport.write($0) }
            transport.flush()
        }
    }

    private func note(_ event: Event) {
        events.append(event)
        onEvent?(self, event)
        changed.signal()
    }

    func transportEstablished(_ transport: TLSTransport) { note(.established) }

    func transport(_ transport: TLSTransport, received plaintext: UnsafeRawBufferPointer) {
        if let onPlaintext { onPlaintext(plaintext) } else { received.append(contentsOf: plaintext) }
        note(.received)
    }

    func transportDrained(_ transport: TLSTransport) { note(.drained) }

    func transportHasRoom(_ transport: TLSTransport) { note(.hasRoom) }

    func transport(_ transport: TLSTransport, closed error: TransportError?) {
        self.error = error
        note(.closed)
    }
}

/// A client and a server joined in memory.
struct Pair {
    let client: Peer
    let server: Peer
    let clientEnd: MemoryChannel
    let serverEnd: MemoryChannel

    init(
        host: String = "push.example", capacity: Int = 64 << 10, server: TestCertificate = TestPKI.server,
        client: TestCertificate? = nil, roots: TestCertificate = TestPKI.root, clientRoots: TestCertificate? = nil,
        refusesUntrusted: Bool = false, alpn: TLSContext.ServerALPN = .h2,
        onServerEvent: ((Peer, Peer.Event) -> Void)? = nil
    ) throws {
        let clientContext = try TLSContext.client(trust: .pem(roots.certificatePEM), identity: try client?.identity())
        let serverContext = try TLSContext.server(
            identity: try server.identity(), clientRoots: clientRoots?.certificatePEM,
            refusesUntrusted: refusesUntrusted, alpn: alpn)
        try self.init(clientContext, serverContext, host: host, capacity: capacity, onServerEvent: onServerEvent)
    }

    /// With contexts that earlier pairs may have used.
    init(
        _ clientContext: TLSContext, _ serverContext: TLSContext, host: String = "push.example",
        capacity: Int = 64 << 10, onServerEvent: ((Peer, Peer.Event) -> Void)? = nil
    ) throws {
        (clientEnd, serverEnd) = MemoryChannel.pair(capacity: capacity)
        self.server = Peer(serverEnd, try TLSEngine(server: serverContext))
        self.client = Peer(clientEnd, try TLSEngine(client: clientContext, serverName: host))
        self.server.onEvent = onServerEvent
        self.client.partner = self.server
        _ = self.server.start()
        _ = self.client.start()
    }

    func established() -> Pair {
        client.waitFor(.established)
        server.waitFor(.established)
        return self
    }
}
