import CPushOpenSSL
import PushTransport

/// A key and its certificate, made for a test.
struct TestCertificate: @unchecked Sendable {
    // Sendable, because both objects are only read once made; they live as long as the test program.
    let key: OpaquePointer
    let x509: OpaquePointer

    var certificatePEM: [UInt8] { pem { PEM_write_bio_X509($0, x509) } }
    var keyPEM: [UInt8] { TestPKI.keyPEM(key) }

    func identity() throws -> Identity { try Identity(pem: certificatePEM + keyPEM) }
}

enum TestPKI {
    enum KeyKind { case p256, p384, rsa }

    struct Failed: Error {}

    static let root: TestCertificate = make(
        "Test root", issuer: nil, extensions: [(NID_basic_constraints, "critical,CA:TRUE")])
    static let otherRoot: TestCertificate = make(
        "Other root", issuer: nil, extensions: [(NID_basic_constraints, "critical,CA:TRUE")])
    static let server = leaf(names: "DNS:push.example,IP:127.0.0.1,IP:::1")

    /// - Parameter usage: the extended key usage; nil: any.
    static func leaf(
        names: String, usage: String? = nil, issuer: TestCertificate = root, from: Int = -3_600, to: Int = 86_400
    ) -> TestCertificate {
        let extensions = [(NID_subject_alt_name, names)] + (usage.map { [(NID_ext_key_usage, $0)] } ?? [])
        return make("push.example", issuer: issuer, extensions: extensions, from: from, to: to)
    }

    /// A provider certificate as Apple makes them, with a topic list if there are topics.
    static func provider(uid: String, topics: [UInt8]? = nil, issuer: TestCertificate = root) -> TestCertificate {
        var raw: [(String, [UInt8])] = [
            ("1.2.840.113635.100.6.3.1", [5, 0]), ("1.2.840.113635.100.6.3.2", [5, 0]),
        ]
        if let topics { raw.append(("1.2.840.113635.100.6.3.6", topics)) }
        return make("Apple Push Services: \(uid)", issuer: issuer, uid: uid, raw: raw)
    }

    static func key(_ kind: KeyKind) -> OpaquePointer {
        let context = EVP_PKEY_CTX_new_id(kind == .rsa ? EVP_PKEY_RSA : EVP_PKEY_EC, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        EVP_PKEY_keygen_init(context)
        switch kind {
        case .p256: EVP_PKEY_CTX_set_group_name(context, "P-256")
        case .p384: EVP_PKEY_CTX_set_group_name(context, "P-384")
        case .rsa: EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2_048)
        }
        EVP_PKEY_generate(context, &key)
        guard let key else { preconditionFailure("no test key") }
        return key
    }

    static func keyPEM(_ key: OpaquePointer, password: String? = nil) -> [UInt8] {
        pem { bio in
            guard let password else { return PEM_write_bio_PKCS8PrivateKey(bio, key, nil, nil, 0, nil, nil) }
            return PEM_write_bio_PKCS8PrivateKey(
                bio, key, EVP_aes_256_cbc(), password, Int32(password.utf8.count), nil, nil)
        }
    }

    static func publicPEM(_ key: OpaquePointer) -> [UInt8] { pem { PEM_write_bio_PUBKEY($0, key) } }

    private static func make(
        _ name: String, issuer: TestCertificate?, extensions: [(Int32, String)] = [], uid: String? = nil,
        raw: [(String, [UInt8])] = [], from: Int = -3_600, to: Int = 86_400
    ) -> TestCertificate {
        let key = key(.p256)
        guard let x509 = X509_new(), let subject = X509_get_subject_name(x509) else {
            preconditionFailure("no test certificate")
        }
        X509_set_version(x509, 2)
        ASN1_INTEGER_set(X509_get_serialNumber(x509), Int.random(in: 1...1_000_000_000))
        X509_gmtime_adj(X509_getm_notBefore(x509), from)
        X509_gmtime_adj(X509_getm_notAfter(x509), to)
        X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, name, -1, -1, 0)
        if let uid { X509_NAME_add_entry_by_txt(subject, "UID", MBSTRING_UTF8, uid, -1, -1, 0) }
        X509_set_issuer_name(x509, issuer.map { X509_get_subject_name($0.x509) } ?? subject)
        X509_set_pubkey(x509, key)
        for (identifier, value) in extensions {
            let made = X509V3_EXT_conf_nid(nil, nil, identifier, value)
            X509_add_ext(x509, made, -1)
            X509_EXTENSION_free(made)
        }
        for (identifier, value) in raw {
            let object = OBJ_txt2obj(identifier, 1)
            let content = ASN1_OCTET_STRING_new()
            ASN1_OCTET_STRING_set(content, value, Int32(value.count))
            let made = X509_EXTENSION_create_by_OBJ(nil, object, 0, content)
            X509_add_ext(x509, made, -1)
            X509_EXTENSION_free(made)
            ASN1_OCTET_STRING_free(content)
            ASN1_OBJECT_free(object)
        }
        X509_sign(x509, issuer?.key ?? key, EVP_sha256())
        return TestCertificate(key: key, x509: x509)
    }
}

private func pem(_ write: (OpaquePointer?) -> Int32) -> [UInt8] {
    let bio = BIO_new(BIO_s_mem())
    defer { BIO_free(bio) }
    guard write(bio) == 1 else { return [] }
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let count = BIO_read(bio, &bytes, Int32(bytes.count))
    return Array(bytes.prefix(Int(max(0, count))))
}
