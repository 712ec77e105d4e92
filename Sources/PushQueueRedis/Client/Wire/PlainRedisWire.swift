import Dispatch
import Glibc
import PushTransport

/// A wire without TLS.
final class PlainRedisWire: RedisWire {
    /// How much one burst reads before other work on the queue gets a turn.
    private static let burstLimit = 1 << 20

    private let channel: any ByteChannel
    private weak var owner: (any RedisWireOwner)?
    private var queue: DispatchQueue?
    private var outbox = RedisOutbox()
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private(set) var sent: UInt64 = 0
    /// The channel refused bytes; `.writable` will follow.
    private var isBlocked = false
    private var isOver = false

    init(_ channel: any ByteChannel) { self.channel = channel }

    deinit { if !isOver { channel.close() } }

    func start(on queue: DispatchQueue, owner: any RedisWireOwner) {
        self.owner = owner
        self.queue = queue
        // In one block, so that it is open before anything is read.
        later { wire in
            wire.activate(on: queue)
            wire.owner?.wireOpened()
        }
    }

    private func activate(on queue: DispatchQueue) {
        // nonisolated(unsafe): the channel calls on the queue, which the wire is confined to.
        nonisolated(unsafe) weak let wire = self
        channel.activate(on: queue) { event in
            switch event {
            case .readable: wire?.readBurst()
            case .writable: wire?.becameWritable()
            }
        }
    }

    func write(_ bytes: [UInt8]) { if !isOver { outbox.append(bytes) } }

    func flush() {
        while !isOver, !isBlocked, !outbox.isEmpty {
            switch outbox.withFirst(.max >> 1, channel.write) {
            case .taken(let count):
                sent += UInt64(count)
                outbox.consume(count)
            case .wouldBlock: isBlocked = true
            case .failed(let number):
                // Nothing more is written. The server may have said why before it closed.
                isBlocked = true
                later { $0.readBurst(then: Self.lost(number)) }
            }
        }
    }

    func abort() {
        guard !isOver else { return }
        isOver = true
        channel.abort()
    }

    private func becameWritable() {
        guard !isOver else { return }
        isBlocked = false
        flush()
    }

    /// - Parameter failure: A failure that ends the wire after what has arrived.
    private func readBurst(then failure: TransportError? = nil) {
        var budget = Self.burstLimit
        while budget > 0, !isOver {
            switch buffer.withUnsafeMutableBytes({ channel.read(into: $0) }) {
            case .bytes(let count):
                budget -= count
                buffer.withUnsafeBytes { owner?.wireReceived(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
            case .wouldBlock:
                owner?.wireDrained()
                if let failure { end(failure) }
                return
            case .endOfStream: return end(nil)
            case .failed(let number): return end(Self.lost(number))
            }
        }
        guard !isOver else { return }
        owner?.wireDrained()
        // Do not wait for the channel's next event: a reset may follow the unread bytes, and is reported only once.
        later { $0.readBurst(then: failure) }
    }

    private func end(_ error: TransportError?) {
        guard !isOver else { return }
        owner?.wireDrained()
        guard !isOver else { return }
        isOver = true
        channel.close()
        owner?.wireEnded(error)
    }

    private func later(_ body: @escaping (PlainRedisWire) -> Void) {
        // nonisolated(unsafe): the block runs on the queue, which the wire is confined to.
        nonisolated(unsafe) weak let wire = self
        nonisolated(unsafe) let body = body  // nonisolated(unsafe): as above, it runs on the queue only.
        queue?.async {
            guard let wire, !wire.isOver else { return }
            body(wire)
        }
    }

    private static func lost(_ number: Int32) -> TransportError {
        TransportError(
            layer: .socket, code: .system(number),
            sentence: "The connection was lost: \(String(cString: strerror(number))). A new connection is needed.")
    }
}
