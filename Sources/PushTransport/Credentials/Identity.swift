import CPushOpenSSL

/// A certificate, its chain and its private key: the identity of a TLS endpoint.
///
/// The caller decides by `notAfter` whether an expired certificate may be used.
package struct Identity: Sendable {
    /// The certificate that belongs to the key.
    package let certificate: Certificate
    /// The other certificates, in order.
    let chain: [Certificate]
    let key: PrivateKey

    package var subjectUID: String? { certificate.subjectUID }
    package var commonName: String? { certificate.commonName }
    /// The subject as a distinguished name, at most 200 bytes.
    package var subject: String { certificate.subject }
    package var topics: [String] { certificate.topics }
    package var allowsDevelopment: Bool { certificate.allowsDevelopment }
    package var allowsProduction: Bool { certificate.allowsProduction }
    /// Seconds since 1970.
    package var notBefore: Int64 { certificate.notBefore }
    /// Seconds since 1970.
    package var notAfter: Int64 { certificate.notAfter }

    /// Reads a certificate and its key, each as PEM or DER.
    ///
    /// - Parameters:
    ///   - certificate: The certificate. A PEM file may also contain other certificates and the key.
    ///   - key: Nil if `certificate` contains the key.
    ///   - password: The password of an encrypted key; ignored if the key is not encrypted.
    package init(certificate: [UInt8], key: [UInt8]?, password: [UInt8]? = nil) throws(KeyError) {
        OpenSSLSetup.once()
        let certificates = try PEMBundle(pemOrDER: certificate, what: "certificate")
        guard certificates.holdsCertificate else { throw Self.noCertificate(certificates) }
        var keys = certificates
        if let key {
            keys = try PEMBundle(pemOrDER: key, what: "private key")
        } else if !certificates.holdsKey {
            throw KeyError(
                .noKey, "The certificate file holds no private key. Give the key file too, or one file with both.")
        }
        try self.init(certificates.certificates, key: try keys.privateKey(password: password))
    }

    /// Reads a PEM file that contains both certificate and key.
    package init(pem: [UInt8], password: [UInt8]? = nil) throws(KeyError) {
        try self.init(certificate: pem, key: nil, password: password)
    }

    /// Finds the certificate that belongs to the key, wherever it is in the list.
    init(_ certificates: [Certificate], key: PrivateKey) throws(KeyError) {
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
            return KeyError(.noCertificate, "The certificate file holds no certificate. Give the right file.")
        }
        return KeyError(.keyInsteadOfCertificate, "The file holds a key where a certificate is needed.")
    }
}

/// An `EVP_PKEY`.
final class PrivateKey: @unchecked Sendable {
    // Sendable: it never changes after init. OpenSSL may read a key in parallel, and signing is a read.
    let pointer: OpaquePointer

    /// Takes ownership of one reference.
    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EVP_PKEY_free(pointer) }

    /// The same key in the default library context; nil if that does not support it.
    ///
    /// - Parameter foreign: A key of any library context. The caller keeps its ownership.
    static func copy(of foreign: OpaquePointer) -> PrivateKey? {
        guard let content = EVP_PKEY2PKCS8(foreign) else { return nil }
        defer { PKCS8_PRIV_KEY_INFO_free(content) }
        return EVP_PKCS82PKEY(content).map(PrivateKey.init)
    }
}
