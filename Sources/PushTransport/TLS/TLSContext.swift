import CPushOpenSSL

/// An `SSL_CTX`: the state shared by all connections with the same trust and credential.
///
/// TLS 1.2 or newer, no renegotiation. A client always verifies the server's chain and host name; nothing
/// here can disable that.
package final class TLSContext: @unchecked Sendable {
    // Sendable: the factories below set up the SSL_CTX and nothing changes it later. Making an SSL from it is
    // thread-safe, and its reference count is atomic.

    /// What a client offers by ALPN (RFC 7301).
    package enum ClientALPN: Sendable {
        /// HTTP/2, which the server must choose.
        case h2
        /// Nothing: for protocols without a name in ALPN. Any server is accepted.
        case none
    }

    /// How a server answers ALPN (RFC 7301). A client that offers `h2` must accept only the first.
    package enum ServerALPN: Sendable {
        case h2
        /// No answer, like a server without ALPN.
        case none
        /// `http/1.1`, whatever was offered.
        case http1
    }

    let pointer: OpaquePointer
    let isClient: Bool
    /// Whether the handshake fails unless HTTP/2 is negotiated.
    let requiresH2: Bool
    /// The keys of which the server must have one; nil accepts any valid chain.
    let pins: PinPolicy?
    /// The sessions that a client can resume.
    let sessions = TLSSessions()
    /// Kept alive, so that other contexts can share it.
    private var roots: TrustStore?

    private init(isClient: Bool, requiresH2: Bool = false, pins: PinPolicy? = nil) throws(KeyError) {
        OpenSSLSetup.once()
        guard let pointer = SSL_CTX_new(isClient ? TLS_client_method() : TLS_server_method()) else {
            throw Self.unusable("OpenSSL has no memory for a TLS context.")
        }
        self.pointer = pointer
        self.isClient = isClient
        self.requiresH2 = requiresH2
        self.pins = pins
        guard cpush_ctx_harden(pointer) == 1 else {
            throw Self.unusable("OpenSSL's configuration forbids TLS 1.2 with AES-GCM. Check openssl.cnf.")
        }
    }

    deinit { SSL_CTX_free(pointer) }

    /// A client that trusts `trust`, and sends `identity`, if given, to servers that ask for it.
    ///
    /// - Parameters:
    ///   - additional: Files of root certificates, in addition to `trust`.
    ///   - pins: The keys of which the server's verified chain must also contain one.
    ///   - alpn: The protocol that the server must choose.
    package static func client(
        trust: TrustAnchors, additional: [[UInt8]] = [], pins: PinPolicy? = nil, identity: Identity? = nil,
        alpn: ClientALPN = .h2
    ) throws(KeyError) -> TLSContext {
        let context = try TLSContext(isClient: true, requiresH2: alpn == .h2, pins: pins)
        try context.believe(trust, additional: additional)
        SSL_CTX_set_cert_verify_callback(context.pointer, verifyServer, nil)
        cpush_ctx_hand_out_sessions(context.pointer, takeSession)
        if let identity { try context.use(identity) }
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        guard alpn == .h2 else { return context }
        let protocols: [UInt8] = [2, 0x68, 0x32]  // "h2"
        guard SSL_CTX_set_alpn_protos(context.pointer, protocols, UInt32(protocols.count)) == 0 else {
            throw unusable("OpenSSL could not set ALPN.")
        }
        return context
    }

    /// A server that requests a client certificate but does not require one, as APNs does.
    ///
    /// - Parameters:
    ///   - clientRoots: PEM certificates that verify client certificates; nil trusts none.
    ///   - refusesUntrusted: Whether a certificate that fails the check ends the handshake with an alert. If false, the
    ///     handshake succeeds and `TLSEngine.peerVerification` reports the failure.
    ///   - alpn: How ALPN is answered.
    package static func server(
        identity: Identity, clientRoots: [UInt8]? = nil, refusesUntrusted: Bool = false, alpn: ServerALPN = .h2
    ) throws(KeyError) -> TLSContext {
        let context = try TLSContext(isClient: false)
        try context.use(identity)
        if let clientRoots { try context.believe(.pem(clientRoots), additional: []) }
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, refusesUntrusted ? nil : { _, _ in 1 })
        switch alpn {
        case .h2: SSL_CTX_set_alpn_select_cb(context.pointer, selectH2, nil)
        case .http1: SSL_CTX_set_alpn_select_cb(context.pointer, selectHTTP1, nil)
        case .none: break
        }
        // A client may try to resume. Without this, the request for a client certificate would turn that into an error.
        SSL_CTX_set_session_id_context(context.pointer, [1], 1)
        return context
    }

    private func use(_ identity: Identity) throws(KeyError) {
        defer { ERR_clear_error() }
        let isTaken =
            identity.certificate.withPointer { SSL_CTX_use_certificate(pointer, $0) == 1 }
            && identity.chain.allSatisfy { $0.withPointer { cpush_ctx_add_chain_certificate(pointer, $0) == 1 } }
            && SSL_CTX_use_PrivateKey(pointer, identity.key.pointer) == 1
        guard isTaken else {
            throw Self.unusable(
                "OpenSSL refuses the certificate or its key: \(OpenSSLErrors.text(ERR_peek_last_error())). "
                    + "Use a certificate with a stronger key.")
        }
    }

    private func believe(_ trust: TrustAnchors, additional: [[UInt8]]) throws(KeyError) {
        let store = try TrustStore.shared(trust, additional: additional)
        SSL_CTX_set1_cert_store(pointer, store.pointer)
        roots = store
    }

    static func unusable(_ sentence: String) -> KeyError {
        ERR_clear_error()
        return KeyError(.unusable, sentence)
    }
}

/// Verifies a server's chain, in every client handshake that does not resume a session.
private func verifyServer(_ verification: OpaquePointer?, _ unused: UnsafeMutableRawPointer?) -> Int32 {
    guard let verification,
        let ssl = X509_STORE_CTX_get_ex_data(verification, SSL_get_ex_data_X509_STORE_CTX_idx()),
        let engine = EngineBIO.engine(of: OpaquePointer(ssl))
    else { return 0 }
    return engine.verify(verification) ? 1 : 0
}

/// Receives a reference to the session. Returning 1 keeps it.
private func takeSession(_ ssl: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
    guard let ssl, let session, let engine = EngineBIO.engine(of: ssl) else { return 0 }
    return engine.keep(session) ? 1 : 0
}

/// Chooses `h2` from the client's list (RFC 7301, section 3.1), or refuses the handshake as section 3.2 requires.
private func selectH2(
    _ ssl: OpaquePointer?, _ out: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ outLength: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?, _ count: UInt32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let out, let outLength, let offered else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    var index = 0
    while index < Int(count) {
        let length = Int(offered[index])
        guard index + 1 + length <= Int(count) else { break }
        if length == 2, offered[index + 1] == 0x68, offered[index + 2] == 0x32 {
            out.pointee = offered + index + 1
            outLength.pointee = 2
            return SSL_TLSEXT_ERR_OK
        }
        index += 1 + length
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}

private let http1: StaticString = "http/1.1"

/// Chooses `http/1.1` even if it was not offered.
private func selectHTTP1(
    _ ssl: OpaquePointer?, _ out: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ outLength: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?, _ count: UInt32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    out?.pointee = http1.utf8Start
    outLength?.pointee = UInt8(http1.utf8CodeUnitCount)
    return SSL_TLSEXT_ERR_OK
}
