import CPushOpenSSL

/// A SHA-256 over several values. It distinguishes secrets without storing them.
package struct Digest: Hashable, Sendable {
    private let bytes: [UInt8]

    /// Computes the digest of `values`. Each value is hashed with its length, so two different lists never hash the
    /// same bytes.
    package init(of values: [[UInt8]?]) throws(KeyError) {
        OpenSSLSetup.once()
        let context = EVP_MD_CTX_new()
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        var digest = [UInt8](repeating: 0, count: 32)
        let isComplete =
            context != nil && EVP_DigestInit_ex(context, EVP_sha256(), nil) == 1
            && values.allSatisfy { value in
                var length = Int64(value?.count ?? -1)
                return EVP_DigestUpdate(context, &length, MemoryLayout<Int64>.size) == 1
                    && EVP_DigestUpdate(context, value ?? [], value?.count ?? 0) == 1
            } && EVP_DigestFinal_ex(context, &digest, nil) == 1
        guard isComplete else { throw KeyError(.unusable, "OpenSSL could not compute a SHA-256.") }
        bytes = digest
    }
}
