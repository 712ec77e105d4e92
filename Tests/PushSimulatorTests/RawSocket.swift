import Dispatch
import PushTransport

/// Sends bytes that are no TLS.
final class RawSocket: @unchecked Sendable {
    // Sendable, because its channel is touched on `queue` only.
    private let queue = DispatchQueue(label: "raw-socket")
    private let connector = SocketConnector()
    private var channel: (any ByteChannel)?
    private var attempt: (any Cancellable)?

    func send(_ text: String, to endpoint: Endpoint) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            queue.async { [self] in
                attempt = connector.connect(to: endpoint, on: queue) { [self] result in
                    switch result {
                    case .success(let channel):
                        self.channel = channel
                        channel.activate(on: queue) { _ in }
                        _ = Array(text.utf8).withUnsafeBytes { channel.write($0) }
                        continuation.resume()
                    case .failure(let error): continuation.resume(throwing: error)
                    }
                }
            }
        }
    }
}
