import CPushOpenSSL

/// The OpenSSL error queue of this thread. It must be empty after every failure, because `SSL_get_error` reads it.
enum OpenSSLErrors {
    /// Empties the queue. It is nearly always empty, and checking costs a tenth of emptying.
    static func clear() {
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    /// Empties the queue and returns its newest entry; 0 if it was empty.
    static func takeLast() -> UInt {
        let last = ERR_peek_last_error()
        ERR_clear_error()
        return last
    }

    /// Empties the queue and returns whether an entry says that no loaded provider has an algorithm.
    static func takeMissingAlgorithm() -> Bool {
        var isMissing = false
        while case let entry = ERR_get_error(), entry != 0 {
            if ERR_GET_LIB(entry) == ERR_LIB_EVP, ERR_GET_REASON(entry) == ERR_R_UNSUPPORTED { isMissing = true }
        }
        return isMissing
    }

    /// OpenSSL's text for an entry, for example "tlsv1 alert unknown ca". It contains no input.
    static func text(_ entry: UInt) -> String {
        ERR_reason_error_string(entry).map { String(cString: $0) } ?? "error \(entry)"
    }
}

/// Sets up OpenSSL once, before its first use here.
package enum OpenSSLSetup {
    /// Without a clean-up at exit: it would free what connections on other threads still use, and crash a program that
    /// exits without closing them. The system reclaims the memory anyway. Has no effect if the program itself used
    /// OpenSSL before.
    private static let isDone = OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    package static func once() { _ = isDone }
}

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
