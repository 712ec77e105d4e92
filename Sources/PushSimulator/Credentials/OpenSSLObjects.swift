import CPushOpenSSL
import PushTransport

/// A key of OpenSSL, freed with its last reference.
final class KeyObject: @unchecked Sendable {
    // Sendable: an EVP_PKEY never changes after it is made, and its reference count is atomic.
    let pointer: OpaquePointer

    /// Takes ownership of a reference.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EVP_PKEY_free(pointer) }

    /// Makes a new EC key on P-256.
    static func makeP256() throws(SimulatorError) -> KeyObject {
        OpenSSLSetup.once()
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { throw .openSSL("make a key context") }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            EVP_PKEY_keygen(context, &key) == 1, let key
        else { throw .openSSL("make a P-256 key") }
        return KeyObject(owning: key)
    }

    /// The private or public key in a PEM text; nil if it contains none that is readable without a password.
    convenience init?(pem: String) {
        let refusePassword:
            @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32 =
                { _, _, _, _ in -1 }
        let key =
            MemoryBIO.reading(pem) { PEM_read_bio_PrivateKey($0, nil, refusePassword, nil) }
            ?? MemoryBIO.reading(pem) { PEM_read_bio_PUBKEY($0, nil, refusePassword, nil) }
        ERR_clear_error()
        guard let key else { return nil }
        self.init(owning: key)
    }

    /// Whether this is an EC key on P-256, the only kind for ES256 (RFC 7518, section 3.4).
    var isP256: Bool {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard EVP_PKEY_get_group_name(pointer, &name, name.count, &length) == 1 else { return false }
        let text = String(decoding: name.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text == "prime256v1" || text == "P-256"
    }

    /// The private key as unencrypted PKCS#8 PEM, the form of a `.p8` file.
    func privatePEM() throws(SimulatorError) -> String {
        try MemoryBIO.writing { PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
    }
}

/// A certificate of OpenSSL, freed with its last reference.
final class CertificateObject {
    let pointer: OpaquePointer

    /// Takes ownership of a reference.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { X509_free(pointer) }

    /// The first certificate in a PEM text, or nil.
    convenience init?(pem: String) {
        let certificate = MemoryBIO.reading(pem) { PEM_read_bio_X509($0, nil, nil, nil) }
        ERR_clear_error()
        guard let certificate else { return nil }
        self.init(owning: certificate)
    }

    /// A certificate in DER, or nil.
    convenience init?(der: [UInt8]) {
        OpenSSLSetup.once()
        let certificate = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var cursor = bytes.baseAddress
            return d2i_X509(nil, &cursor, bytes.count)
        }
        ERR_clear_error()
        guard let certificate else { return nil }
        self.init(owning: certificate)
    }

    func pem() throws(SimulatorError) -> String {
        try MemoryBIO.writing { PEM_write_bio_X509($0, pointer) }
    }

    /// Whether `key` is this certificate's private key.
    func belongs(to key: KeyObject) -> Bool {
        defer { ERR_clear_error() }
        return X509_check_private_key(pointer, key.pointer) == 1
    }

    /// Whether `authority` issued this certificate and it is currently valid, for a server or for a client.
    func isTrusted(by authority: CertificateObject, asServer: Bool) -> Bool {
        defer { ERR_clear_error() }
        guard let store = X509_STORE_new(), let context = X509_STORE_CTX_new() else { return false }
        defer {
            X509_STORE_CTX_free(context)
            X509_STORE_free(store)
        }
        return X509_STORE_add_cert(store, authority.pointer) == 1
            && X509_STORE_CTX_init(context, store, pointer, nil) == 1
            && X509_STORE_CTX_set_purpose(context, asServer ? X509_PURPOSE_SSL_SERVER : X509_PURPOSE_SSL_CLIENT) == 1
            && X509_verify_cert(context) == 1
    }
}

/// Reads and writes text in memory with OpenSSL.
enum MemoryBIO {
    static func reading<Result>(_ text: String, _ body: (OpaquePointer) -> Result?) -> Result? {
        OpenSSLSetup.once()
        var text = text
        return text.withUTF8 { bytes in
            guard let base = bytes.baseAddress, let bio = BIO_new_mem_buf(base, Int32(clamping: bytes.count)) else {
                return nil
            }
            defer { BIO_free(bio) }
            return body(bio)
        }
    }

    static func writing(_ body: (OpaquePointer) -> Int32) throws(SimulatorError) -> String {
        OpenSSLSetup.once()
        guard let bio = BIO_new(BIO_s_mem()) else { throw .openSSL("reserve memory") }
        defer { BIO_free(bio) }
        guard body(bio) == 1 else { throw .openSSL("write PEM") }
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(bio))
        let count = bytes.withUnsafeMutableBytes { BIO_read(bio, $0.baseAddress, Int32(clamping: $0.count)) }
        return String(decoding: bytes.prefix(Int(max(count, 0))), as: UTF8.self)
    }
}

extension SimulatorError {
    /// OpenSSL failed. Appends its reason and empties its error queue.
    static func openSSL(_ deed: String) -> SimulatorError {
        let code = ERR_get_error()
        ERR_clear_error()
        var text = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(code, &text, text.count)
        let end = text.firstIndex(of: 0) ?? text.endIndex
        let words = String(decoding: text[..<end].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return SimulatorError(.cryptography, "OpenSSL could not \(deed): \(code == 0 ? "no reason given" : words)")
    }
}
