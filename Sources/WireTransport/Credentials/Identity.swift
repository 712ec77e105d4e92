/// A certificate, its chain and its private key: what a TLS end shows of itself.
///
/// Whether an expired certificate may be used is the caller's decision, by `notAfter`.
package struct Identity: Sendable {
    /// The certificate that belongs to the key.
    package let certificate: Certificate
    /// The other certificates, in their order.
    let chain: [Certificate]
    let key: PrivateKey

    package var subjectUID: String? { certificate.subjectUID }
    package var commonName: String? { certificate.commonName }
    package var topics: [String] { certificate.topics }
    package var allowsDevelopment: Bool { certificate.allowsDevelopment }
    package var allowsProduction: Bool { certificate.allowsProduction }
    /// Seconds since 1970.
    package var notBefore: Int64 { certificate.notBefore }
    /// Seconds since 1970.
    package var notAfter: Int64 { certificate.notAfter }

    /// Reads a PEM file that holds both certificate and key.
    ///
    /// - Parameter password: of an encrypted key; ignored if the key is not encrypted.
    package init(pem: [UInt8], password: [UInt8]? = nil) throws(KeyError) {
        OpenSSLSetup.once()
        let bundle = try PEMBundle(pem, what: "certificate")
        guard bundle.holdsCertificate else { throw Self.noCertificate(bundle) }
        guard bundle.holdsKey else {
            throw KeyError(
                .noKey, "The certificate file holds no private key. Give the key's file too, or one file with both.")
        }
        try self.init(bundle.certificates, try bundle.privateKey(password: password))
    }

    /// Reads a PEM file with the certificate and one with the key.
    ///
    /// - Parameter password: of an encrypted key; ignored if the key is not encrypted.
    package init(certificate: [UInt8], key: [UInt8], password: [UInt8]? = nil) throws(KeyError) {
        OpenSSLSetup.once()
        let certificates = try PEMBundle(certificate, what: "certificate")
        guard certificates.holdsCertificate else { throw Self.noCertificate(certificates) }
        let keys = try PEMBundle(key, what: "private key")
        try self.init(certificates.certificates, try keys.privateKey(password: password))
    }

    private init(_ certificates: [Certificate], _ key: PrivateKey) throws(KeyError) {
        guard let index = certificates.firstIndex(where: { $0.matches(key) }) else {
            throw KeyError(
                .mismatch, "The private key does not belong to the certificate. Export both from the same place.")
        }
        var chain = certificates
        certificate = chain.remove(at: index)
        self.chain = chain
        self.key = key
    }

    private static func noCertificate(_ bundle: PEMBundle) -> KeyError {
        guard bundle.holdsKey || bundle.holdsPublicKey else {
            return KeyError(.noCertificate, "The file holds no certificate (-----BEGIN CERTIFICATE-----).")
        }
        return KeyError(.keyInsteadOfCertificate, "The file holds a key where a certificate is needed.")
    }
}
