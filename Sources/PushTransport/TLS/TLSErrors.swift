import CPushOpenSSL

/// Translates OpenSSL's failures into errors that say which check failed and what to do.
struct TLSErrors {
    /// The requested name of the server; nil on a server.
    let serverName: String?

    private var peer: String { serverName ?? "the client" }

    /// The failure of the latest call on `ssl`. Empties the error queue.
    ///
    /// - Parameter refusal: The details of a rejected certificate.
    func failure(
        _ ssl: OpaquePointer, isEstablished: Bool, refusal: CertificateRefusal? = nil
    ) -> TransportError {
        let entry = OpenSSLErrors.takeLast()
        let reason = ERR_GET_REASON(entry)
        let alert = reason - Int32(SSL_AD_REASON_OFFSET)
        if (0...255).contains(alert) { return refused(UInt8(alert)) }
        if reason == SSL_R_CERTIFICATE_VERIFY_FAILED {
            return (refusal ?? CertificateRefusal(result: SSL_get_verify_result(ssl))).error(of: peer)
        }
        switch reason {
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_NO_SHARED_CIPHER, SSL_R_VERSION_TOO_LOW, SSL_R_WRONG_SSL_VERSION:
            return TransportError(
                layer: .tls, code: .handshakeRefused,
                sentence: "No TLS with \(peer): \(OpenSSLErrors.text(entry)). Both sides need TLS 1.2 or newer."
            )
        case SSL_R_NO_APPLICATION_PROTOCOL:
            return noHTTP2()
        case Int32(ERR_R_MALLOC_FAILURE), Int32(ERR_R_INTERNAL_ERROR):
            return TransportError(
                layer: .tls, code: .internalFailure,
                sentence: "OpenSSL failed: \(OpenSSLErrors.text(entry)). Try again on a new connection.")
        default:
            let advice =
                isEstablished
                ? "The stream was damaged in transit. A new connection is needed."
                : "Check the host and the port: the server may not use TLS, or a proxy may answer."
            return TransportError(
                layer: .tls, code: .protocolViolation,
                sentence: "\(peer) sent invalid TLS: \(OpenSSLErrors.text(entry)). \(advice)")
        }
    }

    func noHTTP2() -> TransportError {
        TransportError(
            layer: .tls, code: .noHTTP2,
            sentence: "HTTP/2 was not negotiated with \(peer) (ALPN h2). Check the host and the port.")
    }

    /// The stream ended without close_notify.
    func ended(isEstablished: Bool) -> TransportError {
        guard isEstablished else {
            return TransportError(
                layer: .tls, code: .closedInHandshake,
                sentence: "The connection was closed during the TLS handshake with \(peer). "
                    + "Check the host, the port and the certificate.")
        }
        return TransportError(
            layer: .tls, code: .truncated,
            sentence: "The connection was closed without TLS's close_notify. A new connection is needed.")
    }

    /// The peer's fatal alert (RFC 8446, section 6.2).
    private func refused(_ alert: UInt8) -> TransportError {
        let text = SSL_alert_desc_string_long(Int32(alert)).map { String(cString: $0) } ?? "unknown"
        let what = "\(peer) answered with the TLS alert \(alert) (\(text))."
        switch Int32(alert) {
        case SSL_AD_BAD_CERTIFICATE, SSL_AD_UNSUPPORTED_CERTIFICATE, SSL_AD_CERTIFICATE_REVOKED,
            SSL_AD_CERTIFICATE_EXPIRED, SSL_AD_CERTIFICATE_UNKNOWN, SSL_AD_UNKNOWN_CA, SSL_AD_ACCESS_DENIED,
            SSL_AD_CERTIFICATE_REQUIRED:
            let sentence = "Our certificate was refused: \(what) Check that it is valid and made for this server."
            return TransportError(layer: .tls, code: .certificateRefused, sentence: sentence)
        case SSL_AD_HANDSHAKE_FAILURE, SSL_AD_PROTOCOL_VERSION, SSL_AD_INSUFFICIENT_SECURITY:
            let sentence = "No TLS was negotiated: \(what) Both sides need TLS 1.2 or newer."
            return TransportError(layer: .tls, code: .handshakeRefused, sentence: sentence)
        case SSL_AD_NO_APPLICATION_PROTOCOL:
            return noHTTP2()
        default:
            let sentence = "The TLS connection was ended: \(what) A new connection is needed."
            return TransportError(layer: .tls, code: .alert, sentence: sentence)
        }
    }
}
