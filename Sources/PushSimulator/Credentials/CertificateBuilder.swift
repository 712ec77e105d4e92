import CPushOpenSSL

/// Builds one X.509 certificate (RFC 5280) step by step.
struct CertificateBuilder {
    private let certificate: CertificateObject

    /// Creates an empty version 3 certificate for `key` with a random serial number. By default valid from yesterday
    /// for a year.
    init(
        for key: KeyObject, subject: [(String, String)], days: ClosedRange<Int> = -1...365
    ) throws(SimulatorError) {
        guard let made = X509_new() else { throw .openSSL("make a certificate") }
        certificate = CertificateObject(owning: made)
        let serial = Int64.random(in: 1...Int64.max)
        let day = 24 * 60 * 60
        guard X509_set_version(made, 2) == 1,
            ASN1_INTEGER_set_int64(X509_get_serialNumber(made), serial) == 1,
            X509_gmtime_adj(X509_getm_notBefore(made), days.lowerBound * day) != nil,
            X509_gmtime_adj(X509_getm_notAfter(made), days.upperBound * day) != nil,
            X509_set_pubkey(made, key.pointer) == 1,
            let name = X509_get_subject_name(made)
        else { throw .openSSL("fill a certificate") }
        for (field, value) in subject {
            let bytes = Array(value.utf8)
            guard X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0) == 1 else {
                throw .openSSL("set \(field) of a certificate")
            }
        }
    }

    /// Adds an extension in OpenSSL's notation, such as `critical,CA:TRUE`.
    func add(_ identifier: Int32, _ value: String, issuer: CertificateObject? = nil) throws(SimulatorError) {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer?.pointer ?? certificate.pointer, certificate.pointer, nil, nil, 0)
        guard let made = X509V3_EXT_conf_nid(nil, &context, identifier, value) else {
            throw .openSSL("make an extension")
        }
        defer { X509_EXTENSION_free(made) }
        guard X509_add_ext(certificate.pointer, made, -1) == 1 else { throw .openSSL("add an extension") }
    }

    /// Adds an extension by its object identifier, with DER as its value.
    func add(_ identifier: String, der: [UInt8]) throws(SimulatorError) {
        guard let object = OBJ_txt2obj(identifier, 1), let value = ASN1_OCTET_STRING_new() else {
            throw .openSSL("make an extension")
        }
        defer {
            ASN1_OBJECT_free(object)
            ASN1_OCTET_STRING_free(value)
        }
        guard ASN1_OCTET_STRING_set(value, der, Int32(der.count)) == 1,
            let made = X509_EXTENSION_create_by_OBJ(nil, object, 0, value)
        else { throw .openSSL("make an extension") }
        defer { X509_EXTENSION_free(made) }
        guard X509_add_ext(certificate.pointer, made, -1) == 1 else { throw .openSSL("add an extension") }
    }

    /// Sets the issuer and signs. A certificate without an issuer signs itself.
    func sign(by issuer: CertificateObject?, _ key: KeyObject) throws(SimulatorError) -> CertificateObject {
        guard
            X509_set_issuer_name(certificate.pointer, X509_get_subject_name(issuer?.pointer ?? certificate.pointer))
                == 1,
            X509_sign(certificate.pointer, key.pointer, EVP_sha256()) > 0
        else { throw .openSSL("sign a certificate") }
        return certificate
    }
}
