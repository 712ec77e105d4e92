import Dispatch
import HandWrittenFrames
import PushLocking
import PushTransport

/// One connection of a `HandWrittenPeer`.
package final class HandWrittenConversation: @unchecked Sendable {
    // Sendable, because everything in it but `seen` is touched on `queue` only.
    package enum Happening {
        /// TLS is up.
        case opened
        /// A whole frame of the client arrived.
        case frame(HandWritten.Found)
        /// The client ended the connection; nil: in order.
        case closed(TransportError?)
    }

    /// 1, 2, 3 … in the order the connections came.
    package let number: Int
    private let queue = DispatchQueue(label: "hand-written")
    private let channel: MemoryChannel
    private let transport: TLSTransport
    private let script: HandWrittenPeer.Script
    private var received: [UInt8] = []
    private var prefaceLeft = HandWritten.preface.count
    private let seen = Locked<[HandWritten.Found]>([])

    init(_ number: Int, _ channel: MemoryChannel, _ engine: TLSEngine, _ script: @escaping HandWrittenPeer.Script) {
        self.number = number
        self.channel = channel
        self.script = script
        transport = TLSTransport(channel: channel, engine: engine)
    }

    func start() { queue.async { [self] in transport.start(on: queue, delegate: self) } }

    func end() { queue.async { [self] in transport.abort() } }

    /// All frames of the client so far.
    package var frames: [HandWritten.Found] { seen.withLock { $0 } }

    /// Requests of which END_STREAM arrived.
    package var wholeRequests: Int {
        seen.withLock { frames in frames.count { $0.isKind(.data) && $0.flags & HandWritten.endStream != 0 } }
    }

    /// HEADERS frames of the client so far.
    package var headers: Int { seen.withLock { frames in frames.count { $0.isKind(.headers) } } }

    /// How often the client wrote.
    package var writes: Int { channel.writesArrived }

    /// Does something on the connection's queue.
    package func perform(_ body: @escaping @Sendable (HandWrittenConversation) -> Void) {
        queue.async { body(self) }
    }

    /// Does something on the connection's queue; returns when it is done.
    package func performed(_ body: @escaping @Sendable (HandWrittenConversation) -> Void) async {
        await withCheckedContinuation { continuation in
            queue.async {
                body(self)
                continuation.resume()
            }
        }
    }

    // MARK: For scripts, on the connection's queue

    package func write(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { transport.write($0) }
        transport.flush()
    }

    /// Ends in order: close_notify, then the end of the stream.
    package func close() { transport.close() }

    /// Ends with a reset.
    package func abort() { transport.abort() }

    /// Ends the stream without close_notify.
    package func cut() { channel.close() }

    /// Writes past TLS, straight to the client's socket.
    package func writeRaw(_ bytes: [UInt8]) { bytes.withUnsafeBytes { _ = channel.write($0) } }
}

extension HandWrittenConversation: TransportDelegate {
    package func transportEstablished(_ transport: TLSTransport) { script(self, .opened) }

    package func transport(_ transport: TLSTransport, received plaintext: UnsafeRawBufferPointer) {
        let skipped = min(prefaceLeft, plaintext.count)
        prefaceLeft -= skipped
        received.append(contentsOf: plaintext.dropFirst(skipped))
        let frames = HandWritten.frames(in: received)
        received.removeFirst(frames.last?.end ?? 0)
        for frame in frames {
            seen.withLock { $0.append(frame) }
            script(self, .frame(frame))
        }
    }

    package func transportDrained(_ transport: TLSTransport) {}

    package func transportHasRoom(_ transport: TLSTransport) {}

    package func transport(_ transport: TLSTransport, closed error: TransportError?) { script(self, .closed(error)) }
}
