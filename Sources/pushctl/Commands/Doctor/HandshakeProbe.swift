import Dispatch
import PushCampaign
import PushTransport

/// One TLS handshake over a channel, to see what it agrees on and what the server sends. Sends nothing afterwards.
final class HandshakeProbe: Cancellable, @unchecked Sendable {
    // Sendable: it is used only on its queue.

    struct End: Sendable {
        /// Set even if the choice of HTTP/2 failed after the rest was agreed on.
        let handshake: DoctorFacts.Handshake?
        let failure: DoctorFacts.Failure?
    }

    private var transport: TLSTransport?
    private var completion: (@Sendable (End) -> Void)?

    /// Starts at once. Call it on the queue, where the completion will also run.
    init(
        _ channel: any ByteChannel, context: TLSContext, host: String, on queue: DispatchQueue,
        completion: @escaping @Sendable (End) -> Void
    ) {
        self.completion = completion
        do {
            let transport = TLSTransport(channel: channel, engine: try TLSEngine(client: context, serverName: host))
            self.transport = transport
            transport.start(on: queue, delegate: self)
        } catch {
            channel.abort()
            let failure = DoctorFacts.Failure(error)
            queue.async { self.finish(failure) }
        }
    }

    func cancel() {
        completion = nil
        transport?.abort()
    }

    private func finish(_ failure: DoctorFacts.Failure?) {
        let completion = completion
        self.completion = nil
        completion?(End(handshake: handshake, failure: failure))
    }

    private var handshake: DoctorFacts.Handshake? {
        guard let transport, let agreement = transport.agreement else { return nil }
        var handshake = DoctorFacts.Handshake(
            version: agreement.version, cipher: agreement.cipher,
            applicationProtocol: agreement.applicationProtocol)
        if let certificate = transport.peerCertificateDER.flatMap({ Certificate(der: $0) }) {
            handshake.subject = certificate.subject
            handshake.issuer = certificate.issuer
            handshake.notAfter = certificate.notAfter
        }
        return handshake
    }
}

extension HandshakeProbe: TransportDelegate {
    func transportEstablished(_ transport: TLSTransport) {
        finish(nil)
        transport.close()
    }

    func transport(_ transport: TLSTransport, received plaintext: UnsafeRawBufferPointer) {}
    func transportDrained(_ transport: TLSTransport) {}
    func transportHasRoom(_ transport: TLSTransport) {}

    func transport(_ transport: TLSTransport, closed error: TransportError?) {
        let silent = DoctorFacts.Failure("closedInHandshake", "The server closed the connection in the TLS handshake.")
        finish(error.map(DoctorFacts.Failure.init) ?? silent)
    }
}

extension DoctorFacts.Failure {
    init(_ error: TransportError) { self.init(error.code.name, error.sentence) }
}
