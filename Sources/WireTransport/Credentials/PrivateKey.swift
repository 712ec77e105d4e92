import CPushOpenSSL

/// An `EVP_PKEY`.
final class PrivateKey: @unchecked Sendable {
    // Sendable, because it is never changed after init: OpenSSL's reads of a key, signing included, may run in parallel.
    let pointer: OpaquePointer

    /// Takes over one reference.
    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EVP_PKEY_free(pointer) }
}
