import CPushOpenSSL

/// OpenSSL with its legacy provider (RC2, single DES and similar), for files with old encryption.
///
/// It has its own library context and exists only while it is used, so these algorithms are not available to the rest
/// of the program.
enum LegacyLibrary {
    /// Passes a library context to `body`. Nothing made in the context may outlive it.
    ///
    /// - Parameters:
    ///   - what: The start of the error sentence, such as "The private key".
    ///   - remedy: The command that encrypts the file again.
    static func use<Value>(
        _ what: String, remedy: String, _ body: (OpaquePointer) throws(KeyError) -> Value
    ) throws(KeyError) -> Value {
        let library = OSSL_LIB_CTX_new()
        defer {
            OSSL_LIB_CTX_free(library)
            ERR_clear_error()
        }
        let legacy = OSSL_PROVIDER_load(library, "legacy")
        let ordinary = OSSL_PROVIDER_load(library, "default")
        defer {
            OSSL_PROVIDER_unload(ordinary)
            OSSL_PROVIDER_unload(legacy)
        }
        guard let library, legacy != nil, ordinary != nil else {
            throw KeyError(
                .legacyProviderMissing,
                "\(what) is encrypted with RC2 or DES, as old exports are, and OpenSSL's legacy provider is not "
                    + "installed. Install it (on Debian openssl-provider-legacy), or encrypt the file again where it "
                    + "is installed: \(remedy)."
            )
        }
        return try body(library)
    }
}
