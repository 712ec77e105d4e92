import CPushOpenSSL
import Glibc

/// An APNs authentication key (`.p8`). Signs provider tokens with ES256 (RFC 7518, section 3.4).
package struct SigningKey: Sendable {
    private static let curve = "prime256v1"
    private let key: PrivateKey

    /// Reads a `.p8` file: an unencrypted private key on the curve P-256, as PEM text in any form (``KeyText``) or as DER.
    package init(pem: [UInt8]) throws(KeyError) {
        OpenSSLSetup.once()
        let bundle = try PEMBundle(pemOrDER: KeyText.pem(pem), what: ".p8 key", remedy: KeyText.remedy)
        if bundle.holdsCertificate {
            throw KeyError(
                .certificateInsteadOfKey,
                "The file holds a certificate\(bundle.holdsKey ? " and its key" : ""), not an APNs signing key (.p8). Use "
                    + "Credential.certificate, or --certificate on the command line.")
        }
        if bundle.holdsEncryptedKey { throw KeyError(.encrypted, KeyText.encryptedSentence) }
        key = try bundle.privateKey(password: nil)
        guard EVP_PKEY_get_base_id(key.pointer) == EVP_PKEY_EC else {
            throw KeyError(.notEC, "The key is not an elliptic curve key. Give the .p8 file of an APNs key.")
        }
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        let isNamed = EVP_PKEY_get_group_name(key.pointer, &name, name.count, &length) == 1
        ERR_clear_error()
        guard isNamed, Self.curve.withCString({ strcmp($0, name) == 0 }) else {
            throw KeyError(.wrongCurve, "The key is not on the curve P-256. Give the .p8 file of an APNs key.")
        }
    }

    /// Whether this OpenSSL supports deterministic signatures (RFC 6979): 3.2 and newer.
    package static var canSignAlike: Bool { OpenSSL_version_num() >= 0x3020_0000 }

    /// The signature of `bytes`: r and s, 32 bytes each, big endian. May be called from any thread.
    ///
    /// - Parameter alike: Whether the same bytes always get the same signature, on every machine. Ignored unless
    ///   ``canSignAlike``.
    package func sign(_ bytes: [UInt8], alike: Bool = false) throws(KeyError) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        var der = [UInt8](repeating: 0, count: 128)
        var length = der.count
        var parameters: OpaquePointer?
        guard context != nil, EVP_DigestSignInit(context, &parameters, EVP_sha256(), nil, key.pointer) == 1,
            !alike || !Self.canSignAlike || cpush_sign_alike(parameters) == 1,
            EVP_DigestSign(context, &der, &length, bytes, bytes.count) == 1,
            let signature = Self.raw(der.prefix(length))
        else { throw KeyError(.unusable, "OpenSSL could not sign with this key. Give the .p8 file of an APNs key.") }
        return signature
    }

    /// Converts DER `SEQUENCE { r INTEGER, s INTEGER }` to r‖s, each padded on the left.
    private static func raw(_ der: ArraySlice<UInt8>) -> [UInt8]? {
        let parsed = der.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return d2i_ECDSA_SIG(nil, &position, buffer.count)
        }
        guard let parsed else { return nil }
        defer { ECDSA_SIG_free(parsed) }
        var result = [UInt8](repeating: 0, count: 64)
        let isPadded = result.withUnsafeMutableBufferPointer { buffer -> Bool in
            guard let start = buffer.baseAddress else { return false }
            return BN_bn2binpad(ECDSA_SIG_get0_r(parsed), start, 32) == 32
                && BN_bn2binpad(ECDSA_SIG_get0_s(parsed), start + 32, 32) == 32
        }
        return isPadded ? result : nil
    }
}
