import Dispatch
import PushHTTP1
import PushTransport

/// One exchange of HTTP/1.1 over one TLS connection, which it then closes.
///
/// It lives on its queue, and as long as who waits for it holds it. Its completion comes once: with an answer, a failure,
/// or because it was cancelled.
final class WebExchange: @unchecked Sendable {
    // Sendable: it is used only on its queue.

    typealias Completion = @Sendable (Result<HTTP1Message, WebFailure>) -> Void

    private let endpoint: Endpoint
    private let request: [UInt8]
    private let limit: Duration
    private var reader: HTTP1Reader
    private var attempt: (any Cancellable)?
    private var transport: TLSTransport?
    private var completion: Completion?

    init(to endpoint: Endpoint, request: [UInt8], mostBytes: Int, limit: Duration, completion: @escaping Completion) {
        self.endpoint = endpoint
        self.request = request
        self.limit = limit
        self.completion = completion
        reader = HTTP1Reader(.responses, limits: HTTP1Reader.Limits(bodyBytes: mostBytes))
    }

    /// Starts. Call it on the queue, as all others.
    func start(_ connector: any Connector, _ context: TLSContext, on queue: DispatchQueue) {
        // It may have been cancelled before.
        guard completion != nil else { return }
        attempt = connector.connect(to: endpoint, on: queue) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let channel): self.shakeHands(channel, context, on: queue)
            case .failure(let error): self.fail(.link, error.sentence)
            }
        }
        queue.asyncAfter(deadline: .now() + limit / .seconds(1)) { [weak self] in
            guard let self else { return }
            self.fail(
                .link, "\(self.endpoint.host) did not answer in \(self.limit.components.seconds) s. Ask again later.")
        }
    }

    func cancel() { finish(.failure(WebFailure(kind: .stopped, sentence: ExportError.stopped.sentence))) }

    private func shakeHands(_ channel: any ByteChannel, _ context: TLSContext, on queue: DispatchQueue) {
        attempt = nil
        guard completion != nil else { return channel.abort() }
        do {
            let engine = try TLSEngine(client: context, serverName: endpoint.host)
            let transport = TLSTransport(channel: channel, engine: engine)
            self.transport = transport
            transport.start(on: queue, delegate: self)
        } catch {
            channel.abort()
            fail(.link, error.sentence)
        }
    }

    private func fail(_ kind: WebFailure.Kind, _ sentence: String) {
        finish(.failure(WebFailure(kind: kind, sentence: sentence)))
    }

    private func finish(_ result: Result<HTTP1Message, WebFailure>) {
        guard let completion else { return }
        self.completion = nil
        attempt?.cancel()
        attempt = nil
        if case .success = result { transport?.close() } else { transport?.abort() }
        transport = nil
        completion(result)
    }

    private func fail(_ problem: HTTP1Problem) {
        switch problem {
        case .bodyTooLong: fail(.tooLong, "The answer of \(endpoint.host) \(problem.text).")
        case .incomplete: fail(.link, "The answer of \(endpoint.host) \(problem.text). Ask again.")
        default: fail(.malformed, "The answer of \(endpoint.host) \(problem.text).")
        }
    }
}

extension WebExchange: TransportDelegate {
    func transportEstablished(_ transport: TLSTransport) {
        request.withUnsafeBytes { transport.write($0) }
        transport.flush()
    }

    func transport(_ transport: TLSTransport, received plaintext: UnsafeRawBufferPointer) {
        guard completion != nil else { return }
        do throws(HTTP1Problem) {
            try reader.receive(plaintext)
            if let message = reader.message { finish(.success(message)) }
        } catch { fail(error) }
    }

    func transportDrained(_ transport: TLSTransport) {}
    func transportHasRoom(_ transport: TLSTransport) {}

    func transport(_ transport: TLSTransport, closed error: TransportError?) {
        if let error { return fail(.link, error.sentence) }
        do throws(HTTP1Problem) {
            try reader.end()
            if let message = reader.message { finish(.success(message)) }
        } catch { fail(error) }
    }
}
