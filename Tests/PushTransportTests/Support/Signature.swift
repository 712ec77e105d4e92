import CPushOpenSSL

@testable import PushTransport

/// Verifies signatures of ES256.
enum Signature {
    /// Whether r‖s is the key's signature of the message.
    static func verifies(_ signature: [UInt8], _ message: [UInt8], _ key: PrivateKey) -> Bool {
        let parts = ECDSA_SIG_new()
        ECDSA_SIG_set0(
            parts, BN_bin2bn(Array(signature[..<32]), 32, nil), BN_bin2bn(Array(signature[32...]), 32, nil))
        defer { ECDSA_SIG_free(parts) }
        var der: UnsafeMutablePointer<UInt8>?
        let length = i2d_ECDSA_SIG(parts, &der)
        defer { cpush_free(der) }
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        guard length > 0, EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key.pointer) == 1 else { return false }
        return EVP_DigestVerify(context, der, Int(length), message, message.count) == 1
    }
}
