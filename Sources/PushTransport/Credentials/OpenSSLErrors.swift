import CPushOpenSSL

/// This thread's OpenSSL error queue, which every failure has to leave empty: `SSL_get_error` looks into it.
enum OpenSSLErrors {
    /// Empties the queue. It nearly always is empty, and looking costs a tenth of emptying it.
    static func clear() {
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    /// Empties the queue and returns its newest entry, 0 if there was none.
    static func takeLast() -> UInt {
        let last = ERR_peek_last_error()
        ERR_clear_error()
        return last
    }

    /// Empties the queue and says whether an entry tells of an algorithm that no loaded provider has.
    static func takeTellsOfMissingAlgorithm() -> Bool {
        var isMissing = false
        while case let entry = ERR_get_error(), entry != 0 {
            if ERR_GET_LIB(entry) == ERR_LIB_EVP, ERR_GET_REASON(entry) == ERR_R_UNSUPPORTED { isMissing = true }
        }
        return isMissing
    }

    /// OpenSSL's text for an entry: "tlsv1 alert unknown ca" for one. No content of any input is in it.
    static func text(_ entry: UInt) -> String {
        ERR_reason_error_string(entry).map { String(cString: $0) } ?? "error \(entry)"
    }
}
