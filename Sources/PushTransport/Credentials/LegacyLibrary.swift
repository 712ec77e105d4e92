import CPushOpenSSL

/// OpenSSL with its legacy provider: RC2, single DES and their like, which old files are encrypted with.
///
/// It lives in a library context of its own and only as long as it is used, so that nothing else in the program gets to
/// know these algorithms.
enum LegacyLibrary {
    /// Lends such a library context to `body`. What is made in it must not outlive it.
    ///
    /// - Parameters:
    ///   - what: begins the error's sentence: "The private key".
    ///   - remedy: the command that encrypts it anew.
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
                    + "installed. Install it (on Debian openssl-provider-legacy), or encrypt anew where it is: \(remedy)."
            )
        }
        return try body(library)
    }
}
