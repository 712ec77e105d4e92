import PushQueue
import PushTransport

extension RedisFailure {
    /// A failure of the transport, which names the server. `refused` needs an operator, because
    /// another try ends the same way.
    init(_ error: TransportError, of server: String) {
        switch error.code {
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
