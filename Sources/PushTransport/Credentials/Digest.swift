import CPushOpenSSL

/// A SHA-256 over several values: what tells secrets apart without keeping them.
package struct Digest: Hashable, Sendable {
    private let bytes: [UInt8]

    /// The digest of these values; no two lists of values have the same bytes, wherever one ends and the next begins.
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
