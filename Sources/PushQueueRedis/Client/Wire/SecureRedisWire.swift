import Dispatch
import PushTransport

/// A wire in TLS.
final class SecureRedisWire: RedisWire {
    /// What goes to TLS at once.
    private static let pieceSize = 64 << 10

    private let transport: TLSTransport
    private weak var owner: (any RedisWireOwner)?
    private var outbox = RedisOutbox()
    /// Bytes that TLS has got: the kernel may have taken them.
    private(set) var sent: UInt64 = 0
    private var isOver = false

    init(_ channel: any ByteChannel, context: TLSContext, serverName: String) throws(TransportError) {
        transport = TLSTransport(channel: channel, engine: try TLSEngine(client: context, serverName: serverName))
    }

    func start(on queue: DispatchQueue, owner: any RedisWireOwner) {
        self.owner = owner
        transport.start(on: queue, delegate: self)
    }

    func write(_ bytes: [UInt8]) { if !isOver { outbox.append(bytes) } }

    func flush() {
        // Room that grows in a flush is not announced, so it is used here.
        while !isOver, !outbox.isEmpty, transport.room > 0 {
            let count = outbox.withFirst(min(transport.room, Self.pieceSize)) { bytes in
                transport.write(bytes)
                return bytes.count
            }
            sent += UInt64(count)
            outbox.consume(count)
            if transport.room == 0 || outbox.isEmpty { transport.flush() }
        }
    }

    func abort() {
        guard !isOver else { return }
        isOver = true
        transport.abort()
    }
}

extension SecureRedisWire: TransportDelegate {
    func transportEstablished(_ transport: TLSTransport) { owner?.wireOpened() }

    func transport(_ transport: TLSTransport, received plaintext: UnsafeRawBufferPointer) {
        owner?.wireReceived(plaintext)
    }

    func transportDrained(_ transport: TLSTransport) {
        owner?.wireDrained()
        flush()
    }

    func transportHasRoom(_ transport: TLSTransport) { flush() }

    func transport(_ transport: TLSTransport, closed error: TransportError?) {
        guard !isOver else { return }
        isOver = true
        owner?.wireEnded(error)
    }
}
