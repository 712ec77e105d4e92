import CPushOpenSSL

/// An `EVP_PKEY`.
final class PrivateKey: @unchecked Sendable {
    // Sendable, because it is never changed after init: OpenSSL's reads of a key, signing included, may run in parallel.
    let pointer: OpaquePointer

    /// Takes over one reference.
    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EVP_PKEY_free(pointer) }

    /// A key of the default library context with the same content; nil if that knows no such key.
    ///
    /// - Parameter foreign: a key of any library context, which stays the caller's.
    static func copy(of foreign: OpaquePointer) -> PrivateKey? {
        guard let content = EVP_PKEY2PKCS8(foreign) else { return nil }
        defer { PKCS8_PRIV_KEY_INFO_free(content) }
        return EVP_PKCS82PKEY(content).map(PrivateKey.init)
    }
}
