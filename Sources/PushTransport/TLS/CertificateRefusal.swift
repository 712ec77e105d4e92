import CPushOpenSSL

/// Why a peer's certificate was rejected: the failed check and the relevant fields of the certificate. A class, so that
/// an engine without a refusal stores only a pointer.
final class CertificateRefusal {
    /// An `X509_V_ERR_` code.
    private let result: Int
    /// The certificate that failed: the peer's own, or an issuer's.
    private let certificate: Facts?
    /// The keys of a valid chain that contains none of the pinned ones.
    private let unpinned: [KeyPin]?

    private struct Facts {
        let subject: String
        let issuer: String
        let notBefore: Int64?
        let notAfter: Int64?
        let names: [String]
        let isPeers: Bool
    }

    /// Creates a refusal from the result code alone.
    init(result: Int) {
        self.result = result
        certificate = nil
        unpinned = nil
    }

    /// Creates a refusal inside a verification that has just failed.
    init(_ verification: OpaquePointer) {
        result = Int(X509_STORE_CTX_get_error(verification))
        let current = X509_STORE_CTX_get_current_cert(verification) ?? X509_STORE_CTX_get0_cert(verification)
        certificate = current.map { current in
            Facts(
                subject: Certificate.name(X509_get_subject_name(current)),
                issuer: Certificate.name(X509_get_issuer_name(current)),
                notBefore: Certificate.seconds(X509_get0_notBefore(current)),
                notAfter: Certificate.seconds(X509_get0_notAfter(current)), names: SubjectNames.of(current),
                isPeers: X509_STORE_CTX_get_error_depth(verification) == 0)
        }
        unpinned = nil
        // Drop errors from reading these fields. OpenSSL reports the verification failure itself later.
        ERR_clear_error()
    }

    init(unpinned keys: [KeyPin]) {
        result = Int(X509_V_ERR_APPLICATION_VERIFICATION)
        certificate = nil
        unpinned = keys
    }

    func error(of peer: String) -> TransportError {
        if let unpinned {
            let keys = unpinned.map(\.description).joined(separator: ", ")
            return TransportError(
                layer: .tls, code: .pinMismatch,
                sentence: "None of the pinned keys is in the certificate chain of \(peer), which has \(keys). "
                    + "If the server's key was changed on purpose, pin the new one; otherwise the connection may be "
                    + "intercepted.")
        }
        let code = Self.code(of: result)
        let who = certificate?.isPeers == false ? "An issuer of the certificate" : "The certificate"
        return TransportError(
            layer: .tls, code: code,
            sentence: "\(who) of \(peer) was rejected: \(what(code)). \(Self.advice(code))")
    }

    /// What failed, and for which certificate.
    private func what(_ code: TransportError.Code) -> String {
        let text = X509_verify_cert_error_string(result).map { String(cString: $0) } ?? "error \(result)"
        guard let certificate else { return text }
        var parts = ["subject \(certificate.subject)"]
        switch code {
        case .certificateNotYetValid:
            if let notBefore = certificate.notBefore { parts.append("valid from \(UTCTime.text(notBefore))") }
        case .untrustedIssuer: parts.append("issuer \(certificate.issuer)")
        case .wrongHost:
            let names = certificate.names
            parts.append(names.isEmpty ? "it names no host" : "it is for \(names.joined(separator: ", "))")
        default: break
        }
        if let notAfter = certificate.notAfter { parts.append("valid until \(UTCTime.text(notAfter))") }
        return "\(text) (\(parts.joined(separator: "; ")))"
    }

    private static func advice(_ code: TransportError.Code) -> String {
        switch code {
        case .certificateExpired: "Check this machine's clock; if it is right, the server needs a new certificate."
        case .certificateNotYetValid: "Check this machine's clock."
        case .untrustedIssuer: "Install ca-certificates, or add the issuer's certificate as a trust root."
        case .wrongHost: "Check the host: this certificate belongs to another server."
        case .certificateWeak: "The server needs a certificate with a stronger key or signature."
        default: "The server needs another certificate."
        }
    }

    /// The meaning of an `X509_V_ERR_` code.
    static func code(of result: Int) -> TransportError.Code {
        switch Int32(clamping: result) {
        case X509_V_ERR_CERT_HAS_EXPIRED: .certificateExpired
        case X509_V_ERR_CERT_NOT_YET_VALID: .certificateNotYetValid
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .wrongHost
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
            .untrustedIssuer
        case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK: .certificateWeak
        default: .certificateInvalid
        }
    }
}

/// The hosts and addresses in a certificate.
enum SubjectNames {
    private static let subjectAltName = "2.5.29.17"
    private static let dnsName: UInt8 = 0x82
    private static let ipAddress: UInt8 = 0x87
    private static let limit = 5

    /// At most five names, if they are visible ASCII, and the number of the others.
    static func of(_ certificate: OpaquePointer) -> [String] {
        guard let content = Certificate.extensionContent(of: certificate, identifier: subjectAltName) else { return [] }
        var outer = DERReader(content[...])
        guard let list = outer.next() else { return [] }
        var reader = DERReader(list.content)
        var names: [String] = []
        var count = 0
        while let value = reader.next() {
            guard let name = text(value.tag, content: value.content) else { continue }
            count += 1
            if count <= limit { names.append(name) }
        }
        return count > limit ? names + ["\(count - limit) more"] : names
    }

    private static func text(_ tag: UInt8, content: ArraySlice<UInt8>) -> String? {
        switch (tag, content.count) {
        case (dnsName, 1...253) where content.allSatisfy { (33..<127).contains($0) }:
            String(decoding: content, as: UTF8.self)
        case (ipAddress, 4): content.map { "\($0)" }.joined(separator: ".")
        case (ipAddress, 16):
            stride(from: content.startIndex, to: content.endIndex, by: 2)
                .map { String(Int(content[$0]) << 8 | Int(content[$0 + 1]), radix: 16) }.joined(separator: ":")
        default: nil
        }
    }
}
