import CPushOpenSSL

/// This thread's OpenSSL error queue, which every failure has to leave empty: `SSL_get_error` looks into it.
enum OpenSSLErrors {
    /// Empties the queue and returns its newest entry, 0 if there was none.
    static func takeLast() -> UInt {
        let last = ERR_peek_last_error()
        ERR_clear_error()
        return last
    }

    /// OpenSSL's text for an entry: "tlsv1 alert unknown ca" for one. No content of any input is in it.
    static func text(_ entry: UInt) -> String {
        ERR_reason_error_string(entry).map { String(cString: $0) } ?? "error \(entry)"
    }
}
