import CPushOpenSSL

/// The SHA-256 of a certificate's SubjectPublicKeyInfo (RFC 7469, section 2.4). It stays the same when the certificate
/// is renewed with the same key.
package struct KeyPin: Hashable, Sendable, CustomStringConvertible {
    private static let prefix = "sha256/"
    private let digest: [UInt8]

    /// Nil unless `digest` has 32 bytes.
    package init?(sha256 digest: [UInt8]) {
        guard digest.count == 32 else { return nil }
        self.digest = digest
    }

    /// Parses `sha256/` and Base64, or only Base64. Nil unless it is exactly the Base64 of 32 bytes.
    package init?(_ text: String) {
        let base64 = text.hasPrefix(Self.prefix) ? String(text.dropFirst(Self.prefix.count)) : text
        // EVP_DecodeBlock also accepts surrounding blanks and does not report the end. So encode the result again and
        // compare.
        var decoded = [UInt8](repeating: 0, count: 33)
        guard base64.utf8.count == 44, EVP_DecodeBlock(&decoded, base64, 44) == 33 else {
            ERR_clear_error()
            return nil
        }
        self.init(sha256: Array(decoded.prefix(32)))
        guard description == Self.prefix + base64 else { return nil }
    }

    /// The pin of an `X509`; nil only if out of memory.
    init?(of certificate: OpaquePointer) {
        var content: UnsafeMutablePointer<UInt8>?
        let length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &content)
        guard length > 0, let content else { return nil }
        defer { cpush_free(content) }
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(content, Int(length), &digest, nil, EVP_sha256(), nil) == 1 else { return nil }
        self.digest = digest
    }

    /// The pin of the first certificate in a PEM or DER file.
    package init(ofFirstCertificate file: [UInt8]) throws(KeyError) {
        OpenSSLSetup.once()
        let bundle = try PEMBundle(pemOrDER: file, what: "certificate")
        guard let certificate = bundle.certificates.first, let pin = certificate.withPointer({ KeyPin(of: $0) }) else {
            throw KeyError(.noCertificate, "The file holds no certificate.")
        }
        self = pin
    }

    /// The digest, 32 bytes.
    package var sha256: [UInt8] { digest }

    /// `sha256/` and Base64.
    package var description: String { Self.prefix + base64(digest) }
}

/// The keys of which a server's verified chain must contain one.
package struct PinPolicy: Hashable, Sendable {
    package let pins: Set<KeyPin>
    /// Whether a chain without a pinned key is accepted and only reported.
    package let reportsOnly: Bool

    package init(pins: Set<KeyPin>, reportsOnly: Bool) {
        self.pins = pins
        self.reportsOnly = reportsOnly
    }
}

/// Encodes bytes as Base64 with padding (RFC 4648, section 4).
func base64(_ bytes: some Sequence<UInt8>) -> String {
    let bytes = Array(bytes)
    // Four digits for each three bytes, and a zero that OpenSSL appends.
    var digits = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
    let count = EVP_EncodeBlock(&digits, bytes, Int32(bytes.count))
    return String(decoding: digits.prefix(Int(count)), as: UTF8.self)
}
