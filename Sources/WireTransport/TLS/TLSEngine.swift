import CPushOpenSSL
import Glibc

/// TLS without I/O: ciphertext in, plaintext out, and back.
///
/// Not thread-safe: it belongs to one transport. Every call leaves the thread's OpenSSL error queue empty. After an
/// error is thrown only what is outgoing is of use: it may hold the alert that tells the peer.
package final class TLSEngine {
    package enum Incoming: Equatable {
        /// So many bytes of plaintext are in the buffer.
        case bytes(Int)
        /// All that was fed is used up.
        case needsMore
        /// The peer ended the stream with close_notify.
        case endOfStream
    }

    /// The largest plaintext of one record (RFC 8446, section 5.1).
    package static let recordLimit = 16 << 10

    private let ssl: OpaquePointer
    private let buffers: EngineBuffers
    private let errors: TLSErrors
    package private(set) var isEstablished = false

    /// A client. The server's certificate must be valid for `serverName`: a DNS name, also sent as SNI, or an IP literal.
    package init(client context: TLSContext, serverName: String) throws(TransportError) {
        let name = serverName.hasSuffix(".") ? String(serverName.dropLast()) : serverName
        // OpenSSL takes an empty name for "any host".
        guard !name.isEmpty, !name.utf8.contains(0), name.utf8.count <= 253 else {
            throw TransportError(
                layer: .tls, code: .invalidEndpoint, sentence: "The server's name is empty or no name. Check the host.")
        }
        errors = TLSErrors(serverName: name)
        (ssl, buffers) = try Self.make(context, isClient: true)
        let verification = SSL_get0_param(ssl)
        X509_VERIFY_PARAM_set_hostflags(verification, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        let isSet: Bool
        if SocketAddress(literal: name, port: 0) != nil {
            isSet = X509_VERIFY_PARAM_set1_ip_asc(verification, name) == 1
        } else {
            isSet =
                X509_VERIFY_PARAM_set1_host(verification, name, name.utf8.count) == 1
                && cpush_set_server_name(ssl, name) == 1
        }
        guard isSet else { throw Self.outOfMemory() }
        SSL_set_connect_state(ssl)
    }

    package init(server context: TLSContext) throws(TransportError) {
        errors = TLSErrors(serverName: nil)
        (ssl, buffers) = try Self.make(context, isClient: false)
        SSL_set_accept_state(ssl)
    }

    deinit { SSL_free(ssl) }

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

    /// Lends `ciphertext` to the engine while `body` runs, which reads until `.needsMore`. What is left is dropped.
    package func feed<Failure: Error>(
        _ ciphertext: UnsafeRawBufferPointer, _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        buffers.incoming = ciphertext
        defer { buffers.incoming = UnsafeRawBufferPointer(start: nil, count: 0) }
        try body()
    }

    /// Goes on with the handshake as far as what was fed allows; true once it is done and HTTP/2 was agreed on.
    package func handshake() throws(TransportError) -> Bool {
        ERR_clear_error()
        let code = SSL_do_handshake(ssl)
        guard code == 1 else {
            if SSL_get_error(ssl, code) == SSL_ERROR_WANT_READ { return false }
            throw errors.failure(ssl, isEstablished: false)
        }
        if SSL_is_server(ssl) == 0, !choseH2 { throw errors.noHTTP2() }
        isEstablished = true
        return true
    }

    private var choseH2: Bool {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        guard let name else { return false }
        return UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8)
    }

    /// Decrypts at most one record's worth; loop until `.needsMore`.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Incoming {
        ERR_clear_error()
        let count = SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count))
        if count > 0 { return .bytes(Int(count)) }
        switch SSL_get_error(ssl, count) {
        case SSL_ERROR_WANT_READ: return .needsMore
        case SSL_ERROR_ZERO_RETURN: return .endOfStream
        default: throw errors.failure(ssl, isEstablished: true)
        }
    }

    /// What it means that the stream ended before close_notify arrived.
    func endedEarly() -> TransportError { errors.ended(isEstablished: isEstablished) }

    // MARK: Outgoing

    /// Encrypts at most `recordLimit` bytes into one record.
    package func write(_ plaintext: UnsafeRawBufferPointer) throws(TransportError) {
        guard !plaintext.isEmpty else { return }
        ERR_clear_error()
        let count = SSL_write(ssl, plaintext.baseAddress, Int32(clamping: plaintext.count))
        guard Int(count) == plaintext.count else { throw errors.failure(ssl, isEstablished: true) }
    }

    /// Adds a close_notify to what is outgoing.
    package func endStream() {
        guard isEstablished else { return }
        ERR_clear_error()
        SSL_shutdown(ssl)
        ERR_clear_error()
    }

    /// Ciphertext for the peer, in one piece; valid until the next call.
    package var outgoing: UnsafeRawBufferPointer { buffers.outgoing.bytes }

    /// Drops the first `count` bytes of `outgoing`.
    package func consumeOutgoing(_ count: Int) { buffers.outgoing.consume(count) }

    package func discardOutgoing() { buffers.outgoing.removeAll() }

    // MARK: The peer

    /// nil if the peer's certificate passed the check or it sent none; else which check failed.
    package var peerVerification: TransportError.Code? {
        let code = SSL_get_verify_result(ssl)
        return code == Int(X509_V_OK) ? nil : TLSErrors.verificationCode(code)
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
