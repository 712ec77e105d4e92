import CPushOpenSSL
import Glibc

/// TLS without I/O: ciphertext in, plaintext out, and the reverse.
///
/// Not thread-safe: it belongs to one transport. Every call leaves the thread's OpenSSL error queue empty. After an
/// error only the outgoing bytes are useful: they may contain the alert for the peer.
package final class TLSEngine {
    package enum Incoming: Equatable {
        /// This many bytes of plaintext are in the buffer.
        case bytes(Int)
        /// All input is consumed.
        case needsMore
        /// The peer ended the stream with close_notify.
        case endOfStream
    }

    /// The largest plaintext of one record (RFC 8446, section 5.1).
    package static let recordLimit = 16 << 10

    private let ssl: OpaquePointer
    private let buffers: EngineBuffers
    private let errors: TLSErrors
    private let context: TLSContext
    package private(set) var isEstablished = false
    /// The keys of the server's chain, if it contains none of the pinned ones but was accepted anyway.
    package private(set) var unpinnedKeys: [KeyPin]?
    /// Why the server's certificate was rejected.
    private var refusal: CertificateRefusal?
    /// An earlier session was offered, and no plaintext from the server has confirmed it yet.
    private var isUnproven = false
    /// Until when the server's certificate need not be verified again, in seconds since 1970.
    private var trustedUntil: Int64 = 0

    /// A client. The server's certificate must be valid for `serverName`: a DNS name, which is also sent as SNI, or an
    /// IP literal.
    package init(client context: TLSContext, serverName: String) throws(TransportError) {
        let name = serverName.hasSuffix(".") ? String(serverName.dropLast()) : serverName
        // OpenSSL treats an empty name as "any host".
        guard !name.isEmpty, !name.utf8.contains(0), name.utf8.count <= 253 else {
            throw TransportError(
                layer: .tls, code: .invalidEndpoint, sentence: "The server's name is empty or invalid. Check the host.")
        }
        errors = TLSErrors(serverName: name)
        self.context = context
        (ssl, buffers) = try Self.make(context, isClient: true)
        let verification = SSL_get0_param(ssl)
        // Only the subjectAltName may name hosts (RFC 9525, section 2).
        X509_VERIFY_PARAM_set_hostflags(
            verification, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        let isSet: Bool
        if SocketAddress(literal: name, port: 0) != nil {
            isSet = X509_VERIFY_PARAM_set1_ip_asc(verification, name) == 1
        } else {
            isSet =
                X509_VERIFY_PARAM_set1_host(verification, name, name.utf8.count) == 1
                && cpush_set_server_name(ssl, name) == 1
        }
        guard isSet else { throw Self.outOfMemory() }
        buffers.engine = self
        SSL_set_connect_state(ssl)
        guard let session = context.sessions.take(for: name) else { return }
        isUnproven = true
        trustedUntil = session.trustedUntil
        SSL_set_session(ssl, session.pointer)
    }

    package init(server context: TLSContext) throws(TransportError) {
        errors = TLSErrors(serverName: nil)
        self.context = context
        (ssl, buffers) = try Self.make(context, isClient: false)
        SSL_set_accept_state(ssl)
    }

    deinit {
        // A lost connection sends no close_notify. OpenSSL would then forbid its session, which TLS 1.1 and newer do
        // not require (RFC 4346, section 7.2.1). A session that a fatal alert ended is already forbidden.
        if isEstablished { SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN) }
        SSL_free(ssl)
    }

    private static func make(
        _ context: TLSContext, isClient: Bool
    ) throws(TransportError) -> (OpaquePointer, EngineBuffers) {
        guard context.isClient == isClient, let ssl = SSL_new(context.pointer) else { throw outOfMemory() }
        let buffers = EngineBuffers()
        guard let bio = EngineBIO.make(buffers) else {
            SSL_free(ssl)
            throw outOfMemory()
        }
        SSL_set_bio(ssl, bio, bio)
        return (ssl, buffers)
    }

    private static func outOfMemory() -> TransportError {
        ERR_clear_error()
        return TransportError(
            layer: .tls, code: .internalFailure,
            sentence: "OpenSSL could not make a TLS connection. Check the memory and the configuration.")
    }

    // MARK: Incoming

    /// Lends `ciphertext` to the engine while `body` runs. `body` reads until `.needsMore`; the rest is dropped.
    package func feed<Failure: Error>(
        _ ciphertext: UnsafeRawBufferPointer, _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        buffers.incoming = ciphertext
        defer { buffers.incoming = UnsafeRawBufferPointer(start: nil, count: 0) }
        try body()
    }

    /// Continues the handshake as far as the input allows. Returns true once it is complete and, if the context
    /// requires it, HTTP/2 is negotiated.
    package func handshake() throws(TransportError) -> Bool {
        OpenSSLErrors.clear()
        let code = SSL_do_handshake(ssl)
        guard code == 1 else {
            if SSL_get_error(ssl, code) == SSL_ERROR_WANT_READ { return false }
            throw errors.failure(ssl, isEstablished: false, refusal: refusal)
        }
        if context.requiresH2, !choseH2 { throw errors.noHTTP2() }
        isEstablished = true
        return true
    }

    /// Ends the connection. If it offered a session and failed, the next one starts without it: some servers resume a
    /// session and then fail.
    func end() {
        guard isUnproven, let host = errors.serverName else { return }
        isUnproven = false
        context.sessions.forget(host)
    }

    private var choseH2: Bool { applicationProtocol == "h2" }

    private var applicationProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        return name.map { String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self) }
    }

    /// Decrypts at most one record. Loop until `.needsMore`.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Incoming {
        // With nothing left to decrypt, OpenSSL would do much work to find that out.
        if isEstablished, buffers.incoming.isEmpty, SSL_has_pending(ssl) == 0 { return .needsMore }
        OpenSSLErrors.clear()
        let count = SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count))
        if count > 0 {
            isUnproven = false
            return .bytes(Int(count))
        }
        switch SSL_get_error(ssl, count) {
        case SSL_ERROR_WANT_READ: return .needsMore
        case SSL_ERROR_ZERO_RETURN: return .endOfStream
        default: throw errors.failure(ssl, isEstablished: true)
        }
    }

    /// Whether the handshake resumed an earlier session. Both sides know.
    package var isResumed: Bool { SSL_session_reused(ssl) == 1 }

    /// The error for a stream that ended before close_notify.
    func endedEarly() -> TransportError { errors.ended(isEstablished: isEstablished) }

    // MARK: Outgoing

    /// Encrypts at most `recordLimit` bytes into one record.
    ///
    /// - Returns: False if nothing was encrypted because part of a message about the connection itself has arrived,
    ///   such as a session ticket. OpenSSL needs the rest of it first: call again after that was fed.
    package func write(_ plaintext: UnsafeRawBufferPointer) throws(TransportError) -> Bool {
        guard !plaintext.isEmpty else { return true }
        OpenSSLErrors.clear()
        let count = SSL_write(ssl, plaintext.baseAddress, Int32(clamping: plaintext.count))
        if Int(count) == plaintext.count { return true }
        guard SSL_get_error(ssl, count) == SSL_ERROR_WANT_READ else { throw errors.failure(ssl, isEstablished: true) }
        return false
    }

    /// Appends a close_notify to the outgoing bytes.
    package func endStream() {
        guard isEstablished else { return }
        OpenSSLErrors.clear()
        SSL_shutdown(ssl)
        OpenSSLErrors.clear()
    }

    /// Ciphertext for the peer, in one piece; valid until the next call.
    package var outgoing: UnsafeRawBufferPointer { buffers.outgoing.bytes }

    /// Drops the first `count` bytes of `outgoing`.
    package func consumeOutgoing(_ count: Int) { buffers.outgoing.consume(count) }

    package func discardOutgoing() { buffers.outgoing.removeAll() }

    // MARK: The peer

    /// The negotiated parameters; nil before the handshake is complete. Also available if only HTTP/2 was not
    /// negotiated.
    package var agreement: TLSAgreement? {
        guard SSL_is_init_finished(ssl) == 1, let version = SSL_get_version(ssl) else { return nil }
        let cipher = SSL_CIPHER_get_name(SSL_get_current_cipher(ssl))
        return TLSAgreement(
            version: String(cString: version), cipher: cipher.map { String(cString: $0) } ?? "none",
            applicationProtocol: applicationProtocol)
    }

    /// The check that the peer's certificate failed; nil if it passed or the peer sent none.
    package var peerVerification: TransportError.Code? {
        let code = SSL_get_verify_result(ssl)
        return code == Int(X509_V_OK) ? nil : CertificateRefusal.code(of: code)
    }

    /// The peer's certificate; nil if it sent none.
    package var peerCertificateDER: [UInt8]? {
        guard let certificate = SSL_get1_peer_certificate(ssl) else { return nil }
        defer {
            X509_free(certificate)
            ERR_clear_error()
        }
        var bytes: UnsafeMutablePointer<UInt8>?
        let length = i2d_X509(certificate, &bytes)
        guard length > 0, let bytes else { return nil }
        defer { cpush_free(bytes) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(length)))
    }
}

/// The functions that the context's callbacks call on a client's engine, during a call to OpenSSL.
extension TLSEngine {
    /// Whether the server's chain is valid and, if keys are pinned, contains one of them. If not, the server gets an
    /// alert before it sees our certificate.
    func verify(_ verification: OpaquePointer) -> Bool {
        guard X509_verify_cert(verification) == 1 else {
            if X509_STORE_CTX_get_error(verification) == X509_V_OK {
                X509_STORE_CTX_set_error(verification, X509_V_ERR_UNSPECIFIED)
            }
            refusal = CertificateRefusal(verification)
            return false
        }
        trustedUntil = Self.trustEnd(of: verification)
        guard let pins = context.pins else { return true }
        let keys = Self.keys(of: X509_STORE_CTX_get0_chain(verification))
        guard pins.pins.isDisjoint(with: keys) else { return true }
        if pins.reportsOnly {
            unpinnedKeys = keys
            return true
        }
        refusal = CertificateRefusal(unpinned: keys)
        X509_STORE_CTX_set_error(verification, X509_V_ERR_APPLICATION_VERIFICATION)
        return false
    }

    private static func trustEnd(of verification: OpaquePointer) -> Int64 {
        let end = Int64(time(nil)) + TLSSessions.trustedFor
        guard let certificate = X509_STORE_CTX_get0_cert(verification),
            let notAfter = Certificate.seconds(X509_get0_notAfter(certificate))
        else { return end }
        return min(end, notAfter)
    }

    private static func keys(of chain: OpaquePointer?) -> [KeyPin] {
        (0..<max(0, cpush_certificate_count(chain))).compactMap { index in
            cpush_certificate_at(chain, index).flatMap { KeyPin(of: $0) }
        }
    }

    /// Whether the session is kept. If a server's keys are reported, its session is not kept, because each of its
    /// connections must report.
    func keep(_ session: OpaquePointer) -> Bool {
        guard let host = errors.serverName, unpinnedKeys == nil, SSL_SESSION_is_resumable(session) == 1 else {
            return false
        }
        context.sessions.keep(TLSSession(owning: session, trustedUntil: trustedUntil), for: host)
        return true
    }
}

/// The parameters that a TLS handshake negotiated.
package struct TLSAgreement: Sendable, Hashable {
    /// For example `TLSv1.3`.
    package let version: String
    /// OpenSSL's name of the cipher suite.
    package let cipher: String
    /// The protocol chosen by ALPN; nil if there is none.
    package let applicationProtocol: String?
}
