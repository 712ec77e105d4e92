import CPushOpenSSL

/// Sets up OpenSSL once, before its first use here.
package enum OpenSSLSetup {
    /// Without a clean-up at exit: it would free what connections on other threads still use, and crash a program that
    /// exits without closing them. The system reclaims the memory anyway. Has no effect if the program itself used
    /// OpenSSL before.
    private static let isDone = OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    package static func once() { _ = isDone }
}
