import CPushOpenSSL
import Locking

/// Whose certificates a client believes.
package enum TrustRoots: Sendable, Hashable {
    /// The system's store, which is read once and shared.
    case system
    /// The certificates of a PEM bundle, instead of the system's.
    case pem([UInt8])
}

/// An `SSL_CTX`: what all connections with the same trust and credential share.
///
/// TLS 1.2 or newer, ALPN `h2`, no renegotiation. A client verifies the server's chain and host name, always; nothing
/// here can switch that off.
package final class TLSContext: @unchecked Sendable {
    // Sendable, because the SSL_CTX is set up in the factories below and never changed again; making an SSL from it is
    // safe on several threads, its references are counted atomically.

    /// What a server says to ALPN (RFC 7301); a client must refuse all but the first.
    package enum ServerALPN: Sendable {
        case h2
        /// Nothing, as a server that knows no ALPN.
        case none
        /// `http/1.1`, whatever was offered.
        case http1
    }

    let pointer: OpaquePointer
    let isClient: Bool

    private init(isClient: Bool) throws(KeyError) {
        OpenSSLSetup.once()
        guard let pointer = SSL_CTX_new(isClient ? TLS_client_method() : TLS_server_method()) else {
            throw Self.unusable("OpenSSL has no memory for a TLS context.")
        }
        self.pointer = pointer
        self.isClient = isClient
        guard cpush_ctx_harden(pointer) == 1 else {
            throw Self.unusable("OpenSSL's configuration forbids TLS 1.2 with AES-GCM. Check openssl.cnf.")
        }
    }

    deinit { SSL_CTX_free(pointer) }

    /// A client that believes `trust` and shows `identity`, if it has one, to a server that asks.
    package static func client(trust: TrustRoots, identity: Identity? = nil) throws(KeyError) -> TLSContext {
        let context = try TLSContext(isClient: true)
        switch trust {
        case .system: SSL_CTX_set1_cert_store(context.pointer, try SystemStore.shared())
        case .pem(let bytes): try context.trust(bytes)
        }
        if let identity { try context.use(identity) }
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        let protocols: [UInt8] = [2, 0x68, 0x32]  // "h2"
        guard SSL_CTX_set_alpn_protos(context.pointer, protocols, UInt32(protocols.count)) == 0 else {
            throw unusable("OpenSSL could not set ALPN.")
        }
        return context
    }

    /// A server that asks for a client certificate without requiring one, as APNs does.
    ///
    /// - Parameters:
    ///   - clientRoots: PEM certificates that a client certificate is checked against; nil: none is believed.
    ///   - refusesUntrusted: whether a certificate that fails the check ends the handshake with an alert. Otherwise the
    ///     handshake succeeds and `TLSEngine.peerVerification` tells.
    ///   - alpn: how ALPN is answered.
    package static func server(
        identity: Identity, clientRoots: [UInt8]? = nil, refusesUntrusted: Bool = false, alpn: ServerALPN = .h2
    ) throws(KeyError) -> TLSContext {
        let context = try TLSContext(isClient: false)
        try context.use(identity)
        if let clientRoots { try context.trust(clientRoots) }
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, refusesUntrusted ? nil : { _, _ in 1 })
        switch alpn {
        case .h2: SSL_CTX_set_alpn_select_cb(context.pointer, selectH2, nil)
        case .http1: SSL_CTX_set_alpn_select_cb(context.pointer, selectHTTP1, nil)
        case .none: break
        }
        // A client may try to resume; without this an asked-for client certificate would make that an error.
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

    private func trust(_ pem: [UInt8]) throws(KeyError) {
        let bundle = try PEMBundle(pem, what: "trust roots")
        guard bundle.holdsCertificate else {
            throw KeyError(.noCertificate, "The trust roots file holds no certificate (-----BEGIN CERTIFICATE-----).")
        }
        defer { ERR_clear_error() }
        let store = SSL_CTX_get_cert_store(pointer)
        for root in bundle.certificates where !root.withPointer({ X509_STORE_add_cert(store, $0) == 1 }) {
            throw KeyError(.damaged, "The trust roots file holds a certificate that OpenSSL refuses.")
        }
    }

    fileprivate static func unusable(_ sentence: String) -> KeyError {
        ERR_clear_error()
        return KeyError(.unusable, sentence)
    }
}

/// The system's roots, about 831 KiB where they are one file: read when first needed, shared by every context.
private enum SystemStore {
    // An X509_STORE has its own lock and counts its references; this one is never freed.
    private static let store = Locked<OpaquePointer?>(nil)

    static func shared() throws(KeyError) -> OpaquePointer {
        try store.withLock { store throws(KeyError) in
            if let store { return store }
            guard let made = X509_STORE_new(), X509_STORE_set_default_paths(made) == 1 else {
                throw TLSContext.unusable("The system's trust store cannot be read. Install ca-certificates.")
            }
            ERR_clear_error()
            store = made
            return made
        }
    }
}

/// Chooses `h2` from the client's list (RFC 7301, section 3.1), or refuses the handshake as section 3.2 says.
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
