import Dispatch
import PushHTTP1
import PushTransport

/// One connection to a simulated export: a request, its answer, and the end. It lives on its queue.
final class ExportConnection: @unchecked Sendable {
    // Sendable: it is used only on its queue.

    /// How long a client may take.
    private static let patience = DispatchTimeInterval.seconds(20)

    private let answer: @Sendable (HTTP1Message) -> HTTP1Message
    private var reader = HTTP1Reader(.requests, limits: HTTP1Reader.Limits(bodyBytes: 16 << 10))
    private var transport: TLSTransport?
    private var onEnd: (@Sendable () -> Void)?

    /// - Parameters:
    ///   - answer: What a request is answered with.
    ///   - onEnd: Called once, on the queue.
    init(answer: @escaping @Sendable (HTTP1Message) -> HTTP1Message, onEnd: @escaping @Sendable () -> Void) {
        self.answer = answer
        self.onEnd = onEnd
    }

    func start(_ channel: any ByteChannel, _ context: TLSContext, on queue: DispatchQueue) {
        guard onEnd != nil, let engine = try? TLSEngine(server: context) else {
            channel.abort()
            return end()
        }
        let transport = TLSTransport(channel: channel, engine: engine)
        self.transport = transport
        transport.start(on: queue, delegate: self)
        queue.asyncAfter(deadline: .now() + Self.patience) { [weak self] in self?.cut() }
    }

    /// Ends it at once.
    func cut() {
        transport?.abort()
        end()
    }

    private func end() {
        transport = nil
        let onEnd = onEnd
        self.onEnd = nil
        onEnd?()
    }

    private func say(_ message: HTTP1Message, on transport: TLSTransport) {
        var message = message
        message.fields.append(.init("connection", "close"))
        if let bytes = message.bytes {
            bytes.withUnsafeBytes { transport.write($0) }
            transport.flush()
        }
        transport.close()
        end()
    }
}

extension ExportConnection: TransportDelegate {
    func transportEstablished(_ transport: TLSTransport) {}

    func transport(_ transport: TLSTransport, received plaintext: UnsafeRawBufferPointer) {
        guard onEnd != nil else { return }
        do throws(HTTP1Problem) {
            try reader.receive(plaintext)
            if let request = reader.message { say(answer(request), on: transport) }
        } catch {
            say(HTTP1Message(.response(status: error == .bodyTooLong ? 413 : 400)), on: transport)
        }
    }

    func transportDrained(_ transport: TLSTransport) {}
    func transportHasRoom(_ transport: TLSTransport) {}
    func transport(_ transport: TLSTransport, closed error: TransportError?) { end() }
}
