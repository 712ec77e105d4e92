import PushQueue
import PushTransport

extension RedisFailure {
    /// A failure of the transport, which names the server. `refused` needs an operator, because
    /// another try ends the same way.
    ///
    /// - Parameters:
    ///   - error: What failed.
    ///   - server: How sentences call the server.
    ///   - showsCertificate: Whether this side has a certificate of its own.
    init(_ error: TransportError, of server: String, showsCertificate: Bool) {
        switch error.code {
        case .certificateRefused where !showsCertificate:
            self.init(
                .refused,
                "\(server) wants a client's certificate, and there is none. Give its file and that of its key; to pushctl, "
                    + "--queue-certificate and --queue-key.")
        case .certificateExpired, .certificateNotYetValid, .untrustedIssuer, .wrongHost, .certificateWeak,
            .certificateInvalid, .pinMismatch, .certificateRefused, .handshakeRefused, .invalidEndpoint:
            self.init(.refused, "\(server): \(error.sentence)")
        case .closedInHandshake, .protocolViolation:
            self.init(
                .unreachable,
                "\(server): \(error.sentence) If this port does not use TLS, write redis:// for rediss://.")
        default:
            self.init(.unreachable, "\(server): \(error.sentence)")
        }
    }
}
