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
