import CPushOpenSSL

/// ES256 signatures in a token: r and s of 32 bytes each (RFC 7518, section 3.4), or ASN.1 DER, which APNs also
/// accepts.
enum ECDSASignature {
    /// Whether `signature` is a valid signature of `message` by `key`.
    static func isValid(_ signature: [UInt8], of message: Octets, by key: KeyObject) -> Bool {
        if signature.count == 64, let der = der(raw: signature), verify(der, for: message, with: key) { return true }
        return signature.first == 0x30 && verify(signature, for: message, with: key)
    }

    private static func der(raw: [UInt8]) -> [UInt8]? {
        guard let pair = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(pair) }
        let r = BN_bin2bn(raw, 32, nil)
        let s = raw.withUnsafeBufferPointer { $0.baseAddress.flatMap { BN_bin2bn($0 + 32, 32, nil) } }
        // ECDSA_SIG_set0 takes ownership of both numbers, or of neither.
        guard let r, let s, ECDSA_SIG_set0(pair, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_ECDSA_SIG(pair, &encoded)
        guard count > 0, let encoded else { return nil }
        defer { CRYPTO_free(encoded, nil, 0) }
        return Array(UnsafeBufferPointer(start: encoded, count: Int(count)))
    }

    private static func verify(_ der: [UInt8], for message: Octets, with key: KeyObject) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key.pointer) == 1 else { return false }
        return message.withUnsafeBufferPointer { message in
            EVP_DigestVerify(context, der, der.count, message.baseAddress, message.count) == 1
        }
    }
}
