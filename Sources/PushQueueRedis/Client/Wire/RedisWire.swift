import Dispatch
import PushTransport

/// The bytes of a connection to Redis: plain, or in TLS. All members are used on one queue.
protocol RedisWire: AnyObject {
    /// How many of the written bytes have left, or may have.
    var sent: UInt64 { get }

    /// Starts it. Called once. `owner` is held weakly.
    func start(on queue: DispatchQueue, owner: any RedisWireOwner)
    /// Adds bytes for `flush`.
    func write(_ bytes: [UInt8])
    /// Sends what was written, as far as the kernel takes it. The rest follows by itself.
    func flush()
    /// Ends it at once. No call of the owner follows.
    func abort()
}

/// Hears of a wire's events, on its queue and never from inside a call.
protocol RedisWireOwner: AnyObject {
    /// Bytes may be written.
    func wireOpened()
    /// Bytes arrived. The pointer is valid during the call.
    func wireReceived(_ bytes: UnsafeRawBufferPointer)
    /// All that had arrived was received.
    func wireDrained()
    /// The wire is gone; nil if the server closed it in order. The last call.
    func wireEnded(_ error: TransportError?)
}

/// Bytes that wait for the kernel.
struct RedisOutbox {
    /// Sent bytes are kept at most this long before the others move to the front.
    private static let slack = 1 << 20

    private var bytes: [UInt8] = []
    private var head = 0

    var isEmpty: Bool { head == bytes.count }

    mutating func append(_ more: [UInt8]) {
        if isEmpty { reset() }
        bytes.append(contentsOf: more)
    }

    /// Lends the first bytes, at most `limit`.
    func withFirst<Result>(_ limit: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { all in
            body(UnsafeRawBufferPointer(rebasing: all[head..<min(all.count, head + limit)]))
        }
    }

    mutating func consume(_ count: Int) {
        head += count
        if isEmpty { return reset() }
        guard head > Self.slack, head > bytes.count / 2 else { return }
        bytes.removeFirst(head)
        head = 0
    }

    private mutating func reset() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= Self.slack)
        head = 0
    }
}
