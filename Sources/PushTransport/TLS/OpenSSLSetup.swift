import CPushOpenSSL

/// How OpenSSL is set up, once, before its first use here.
package enum OpenSSLSetup {
    /// Without a clean-up at exit: it would free what connections on other threads still use, and crash a program that
    /// ends without closing them. The system takes the memory back anyway. Has no effect where the program itself has
    /// used OpenSSL before.
    private static let isDone = OPENSSL_init_ssl(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    package static func once() { _ = isDone }
}
