import CPushOpenSSL

/// An `EVP_PKEY`.
final class PrivateKey: @unchecked Sendable {
    // Sendable: it never changes after init. OpenSSL may read a key in parallel, and signing is a read.
    let pointer: OpaquePointer

    /// Takes ownership of one reference.
    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EVP_PKEY_free(pointer) }

    /// The same key in the default library context; nil if that does not support it.
    ///
    /// - Parameter foreign: A key of any library context. The caller keeps its ownership.
    static func copy(of foreign: OpaquePointer) -> PrivateKey? {
        guard let content = EVP_PKEY2PKCS8(foreign) else { return nil }
        defer { PKCS8_PRIV_KEY_INFO_free(content) }
        return EVP_PKCS82PKEY(content).map(PrivateKey.init)
    }
}
