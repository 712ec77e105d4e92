import CPushOpenSSL

/// The SHA-256 of a certificate's SubjectPublicKeyInfo (RFC 7469, section 2.4): it outlives the certificate as long as the
/// key is kept.
package struct KeyPin: Hashable, Sendable, CustomStringConvertible {
    private static let prefix = "sha256/"
    private let digest: [UInt8]

    /// nil unless these are 32 bytes.
    package init?(sha256 digest: [UInt8]) {
        guard digest.count == 32 else { return nil }
        self.digest = digest
    }

    /// Reads `sha256/` and Base64, or the Base64 alone; nil if it is not exactly the Base64 of 32 bytes.
    package init?(_ text: String) {
        let base64 = text.hasPrefix(Self.prefix) ? String(text.dropFirst(Self.prefix.count)) : text
        // EVP_DecodeBlock takes blanks around it, too, and knows of no end; what it read is compared with what stood there.
        var decoded = [UInt8](repeating: 0, count: 33)
        guard base64.utf8.count == 44, EVP_DecodeBlock(&decoded, base64, 44) == 33 else {
            ERR_clear_error()
            return nil
        }
        self.init(sha256: Array(decoded.prefix(32)))
        guard description == Self.prefix + base64 else { return nil }
    }

    /// The pin of an `X509`; nil only without memory.
    init?(of certificate: OpaquePointer) {
        var content: UnsafeMutablePointer<UInt8>?
        let length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &content)
        guard length > 0, let content else { return nil }
        defer { cpush_free(content) }
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(content, Int(length), &digest, nil, EVP_sha256(), nil) == 1 else { return nil }
        self.digest = digest
    }

    /// The pin of the first certificate in a file, PEM or DER.
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
    package var description: String {
        var text = [UInt8](repeating: 0, count: 45)
        let count = EVP_EncodeBlock(&text, digest, Int32(digest.count))
        return Self.prefix + String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }
}

/// Which keys a server's verified chain has to have one of.
package struct PinPolicy: Hashable, Sendable {
    package let pins: Set<KeyPin>
    /// Whether a chain without any is let through and told of.
    package let reportsOnly: Bool

    package init(pins: Set<KeyPin>, reportsOnly: Bool) {
        self.pins = pins
        self.reportsOnly = reportsOnly
    }
}
