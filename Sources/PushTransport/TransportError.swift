/// Why a transport could not be established, or ended.
///
/// Contains no key, token or payload, so it may be logged.
package struct TransportError: Error, Sendable, Hashable, CustomStringConvertible {
    package enum Layer: String, Sendable, Hashable {
        case resolve, connect, proxy, tls, socket
    }

    /// A short name without values, suitable as a metric label.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        package let name: String

        package init(_ name: String) { self.name = name }

        /// The name of a system call's errno, for example `ECONNREFUSED`.
        package static func system(_ number: Int32) -> Code { Code(errnoName(number)) }

        /// The name has no address.
        package static let unknownHost = Code("unknownHost")
        /// The resolver failed temporarily, or too many lookups are waiting.
        package static let resolverFailed = Code("resolverFailed")
        /// The host or the port is not valid.
        package static let invalidEndpoint = Code("invalidEndpoint")

        /// The server's certificate failed verification.
        package static let certificateExpired = Code("certificateExpired")
        package static let certificateNotYetValid = Code("certificateNotYetValid")
        package static let untrustedIssuer = Code("untrustedIssuer")
        package static let wrongHost = Code("wrongHost")
        /// A key or a signature in the chain is too weak.
        package static let certificateWeak = Code("certificateWeak")
        package static let certificateInvalid = Code("certificateInvalid")
        /// The chain is valid but contains none of the pinned keys.
        package static let pinMismatch = Code("pinMismatch")

        /// The peer refused our certificate with a TLS alert.
        package static let certificateRefused = Code("certificateRefused")
        /// There is no common TLS version or cipher suite, or the peer refused the handshake.
        package static let handshakeRefused = Code("handshakeRefused")
        /// Any other alert of the peer.
        package static let alert = Code("alert")
        /// The peer did not choose HTTP/2 by ALPN.
        package static let noHTTP2 = Code("noHTTP2")
        /// The received data is not TLS, or is damaged.
        package static let protocolViolation = Code("protocolViolation")
        /// The peer makes TLS produce answers faster than it reads them.
        package static let flooded = Code("flooded")
        /// The stream ended during the handshake.
        package static let closedInHandshake = Code("closedInHandshake")
        /// The stream ended without the peer's close_notify.
        package static let truncated = Code("truncated")
        /// OpenSSL failed on our side.
        package static let internalFailure = Code("internalFailure")

        /// The proxy requires a user name and password, or rejected those it got.
        package static let proxyAuthentication = Code("proxyAuthentication")
        /// The proxy does not allow a tunnel to this host and port.
        package static let proxyForbidden = Code("proxyForbidden")
        /// The proxy did not reach the host.
        package static let proxyBadGateway = Code("proxyBadGateway")
        /// Any other refusal.
        package static let proxyRefused = Code("proxyRefused")
        /// The proxy closed the connection before the tunnel was open.
        package static let proxyClosed = Code("proxyClosed")
        /// The proxy's answer does not follow its protocol.
        package static let proxyMalformed = Code("proxyMalformed")
        /// The proxy's answer exceeds the size limits.
        package static let proxyTooLong = Code("proxyTooLong")

        /// The replies of SOCKS (RFC 1928, section 6).
        package static let socksFailure = Code("socksFailure")
        package static let socksNotAllowed = Code("socksNotAllowed")
        package static let socksNetworkUnreachable = Code("socksNetworkUnreachable")
        package static let socksHostUnreachable = Code("socksHostUnreachable")
        package static let socksConnectionRefused = Code("socksConnectionRefused")
        package static let socksTTLExpired = Code("socksTTLExpired")
        package static let socksCommandNotSupported = Code("socksCommandNotSupported")
        package static let socksAddressNotSupported = Code("socksAddressNotSupported")

        package var description: String { name }
    }

    package let layer: Layer
    package let code: Code
    /// A sentence that says what happened and what to do.
    package let sentence: String

    package init(layer: Layer, code: Code, sentence: String) {
        self.layer = layer
        self.code = code
        self.sentence = sentence
    }

    package var description: String { sentence }

    static func socket(_ number: Int32) -> TransportError {
        TransportError(
            layer: .socket, code: .system(number),
            sentence: "The connection was lost: \(errnoText(number)). A new connection is needed.")
    }
}
