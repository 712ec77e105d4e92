import CPushOpenSSL

/// Encodes bytes as Base64 with padding (RFC 4648, section 4).
func base64(_ bytes: some Sequence<UInt8>) -> String {
    let bytes = Array(bytes)
    // Four digits for each three bytes, and a zero that OpenSSL appends.
    var digits = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
    let count = EVP_EncodeBlock(&digits, bytes, Int32(bytes.count))
    return String(decoding: digits.prefix(Int(count)), as: UTF8.self)
}
