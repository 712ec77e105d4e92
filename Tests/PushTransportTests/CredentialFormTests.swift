import CPushOpenSSL
import Testing

@testable import PushTransport

/// Certificates and keys in every form that the `openssl` command makes of them.
@Suite struct CredentialFormTests {
    private static let legacy = "-provider legacy -provider default"
    private let folder: CredentialFolder
    private let provider: TestCertificate
    private let password = Array("pässwörd".utf8)
    private let pass = "pass:pässwörd"

    init() throws {
        folder = try CredentialFolder()
        provider = TestPKI.provider(uid: "com.x.app")
        try folder.write("key.pem", provider.keyPEM)
        try folder.write("cert.pem", provider.certificatePEM)
        try folder.write("root.pem", TestPKI.root.certificatePEM)
    }

    private func identity(_ key: [UInt8], _ password: [UInt8]? = nil) throws -> Identity {
        try Identity(certificate: provider.certificatePEM, key: key, password: password)
    }

    @Test(
        "parity: E6 – a private key in every form, PEM and DER, encrypted or not",
        arguments: [
            "pkcs8 -topk8 -nocrypt", "pkcs8 -topk8 -nocrypt -outform DER", "ec", "ec -outform DER", "ec -aes256",
            "ec -des3",
            "pkcs8 -topk8", "pkcs8 -topk8 -outform DER", "pkcs8 -topk8 -v2 des3",
            "pkcs8 -topk8 -scrypt", "pkcs8 -topk8 -v1 PBE-SHA1-3DES", "pkcs8 -topk8 -v1 PBE-SHA1-RC2-40 \(legacy)",
            "pkcs8 -topk8 -v1 PBE-MD5-DES -outform DER \(legacy)",
        ].filter { CredentialFolder.hasLegacyProvider || !$0.contains("legacy") })
    func aKeyInEveryForm(command: String) throws {
        let key = try folder.openssl(command + " -in key.pem -passout \(pass)")
        let isPlain = command.contains("-nocrypt") || command == "ec" || command == "ec -outform DER"
        if !isPlain {
            expectKeyError(.encrypted) { _ = try identity(key) }
            expectKeyError(.wrongPassword) { _ = try identity(key, Array("wrong".utf8)) }
            expectKeyError(.wrongPassword) { _ = try identity(key, []) }
        }
        #expect(try identity(key, password).subjectUID == "com.x.app")
        // The key signs in the ordinary library context, whichever read it.
        _ = try TLSContext.client(trust: .pem(TestPKI.root.certificatePEM), identity: identity(key, password))
        #expect(ERR_peek_error() == 0)
    }

    @Test func anRSAKeyInItsTraditionalForm() throws {
        try folder.write("rsa.pem", TestPKI.keyPEM(TestPKI.key(.rsa)))
        _ = try folder.openssl("req -x509 -new -key rsa.pem -subj /CN=x -days 1")
        let certificate = try folder.read("out")
        for form in ["PEM", "DER"] {
            let key = try folder.openssl("rsa -in rsa.pem -traditional -outform \(form)")
            #expect(try Identity(certificate: certificate, key: key).commonName == "x")
        }
    }

    @Test("parity: E6 – a certificate in DER, its key in PEM or DER")
    func aCertificateInDER() throws {
        let der = try folder.openssl("x509 -in cert.pem -outform DER")
        let key = try folder.openssl("pkcs8 -topk8 -nocrypt -in key.pem -outform DER")
        #expect(try Identity(certificate: der, key: key).subjectUID == "com.x.app")
        #expect(try Identity(certificate: der, key: provider.keyPEM).subjectUID == "com.x.app")
        expectKeyError(.noKey) { _ = try Identity(certificate: der, key: nil) }
        expectKeyError(.certificateInsteadOfKey) { _ = try Identity(certificate: der, key: der) }
        expectKeyError(.keyInsteadOfCertificate) { _ = try Identity(certificate: key, key: key) }
        expectKeyError(.publicKey) {
            _ = try Identity(certificate: der, key: folder.openssl("ec -in key.pem -pubout -outform DER"))
        }
        expectKeyError(.truncated) { _ = try Identity(certificate: Array(der.dropLast()), key: key) }
        expectKeyError(.truncated) { _ = try Identity(certificate: der, key: Array(key.prefix(40))) }
        expectKeyError(.damaged) { _ = try Identity(certificate: der + [0], key: key) }
        expectKeyError(.damaged) { _ = try Identity(certificate: [0x30, 3, 2, 1, 5], key: key) }
        var bent = der
        bent[30] ^= 0xff
        #expect(throws: KeyError.self) { try Identity(certificate: bent, key: key) }
        let p12 = try folder.openssl("pkcs12 -export -inkey key.pem -in cert.pem -passout \(pass)")
        expectKeyError(.isPKCS12) { _ = try Identity(certificate: p12, key: nil) }
        expectKeyError(.isPKCS12) { _ = try Identity(certificate: der, key: p12) }
    }

    @Test(
        "parity: E6, R3 – PKCS#12 with a password, also the old RC2 and 3DES ones",
        arguments: [
            "", "-legacy", "-certpbe PBE-SHA1-RC2-40 -keypbe PBE-SHA1-3DES \(legacy)",
            "-certpbe PBE-SHA1-3DES -keypbe PBE-SHA1-3DES -macalg sha1", "-keypbe NONE -certpbe NONE",
        ].filter { CredentialFolder.hasLegacyProvider || !$0.contains("legacy") })
    func aPKCS12File(options: String) throws {
        let file = try folder.openssl(
            "pkcs12 -export -inkey key.pem -in cert.pem -certfile root.pem -passout \(pass) \(options)")
        let identity = try Identity(pkcs12: file, password: password)
        #expect(identity.subjectUID == "com.x.app")
        #expect(identity.chain.map(\.commonName) == ["Test root"])
        let client = try TLSContext.client(trust: .pem(TestPKI.root.certificatePEM), identity: identity)
        #expect(client.isClient)
        for wrong in ["wrong", "", "pässwörd\0"] {
            expectKeyError(.wrongPassword) { _ = try Identity(pkcs12: file, password: Array(wrong.utf8)) }
        }
        expectKeyError(.encrypted) { _ = try Identity(pkcs12: file, password: nil) }
        #expect(ERR_peek_error() == 0)
        // The program's own library context has not got to know the old algorithms.
        #expect(OSSL_PROVIDER_available(nil, "legacy") == 0)
    }

    @Test func aPKCS12FileWithoutAPassword() throws {
        let file = try folder.openssl("pkcs12 -export -inkey key.pem -in cert.pem -passout pass:")
        for none in [nil, [UInt8]()] {
            #expect(try Identity(pkcs12: file, password: none).subjectUID == "com.x.app")
        }
        expectKeyError(.wrongPassword) { _ = try Identity(pkcs12: file, password: password) }
    }

    @Test func everyWrongPKCS12FileHasItsOwnError() throws {
        try folder.write("other.pem", TestPKI.server.certificatePEM)
        let good = try folder.openssl("pkcs12 -export -inkey key.pem -in cert.pem -passout \(pass)")
        func parsed(_ bytes: [UInt8]) throws { _ = try Identity(pkcs12: bytes, password: password) }
        expectKeyError(.noKey) {
            try parsed(folder.openssl("pkcs12 -export -nokeys -in cert.pem -passout \(pass)"))
        }
        expectKeyError(.noCertificate) {
            try parsed(folder.openssl("pkcs12 -export -nocerts -inkey key.pem -passout \(pass)"))
        }
        expectKeyError(.mismatch) {
            try parsed(
                folder.openssl("pkcs12 -export -nocerts -inkey key.pem -certfile other.pem -passout \(pass)"))
        }
        expectKeyError(.unusable) {
            try parsed(folder.openssl("pkcs12 -export -nomac -inkey key.pem -in cert.pem -passout \(pass)"))
        }
        expectKeyError(.empty) { try parsed([]) }
        expectKeyError(.tooLarge) { try parsed(good + [UInt8](repeating: 0, count: 4 << 20)) }
        expectKeyError(.truncated) { try parsed(Array(good.dropLast())) }
        expectKeyError(.truncated) { try parsed([0x30]) }
        expectKeyError(.notPKCS12) { try parsed(provider.certificatePEM) }
        expectKeyError(.notPKCS12) { try parsed(folder.openssl("x509 -in cert.pem -outform DER")) }
    }

    @Test func noBrokenPKCS12FileIsTakenOrShowsItsPassword() throws {
        let good = try folder.openssl("pkcs12 -export -inkey key.pem -in cert.pem -iter 1 -passout \(pass)")
        for index in good.indices {
            for change in [UInt8(0x01), 0x80, 0xff] {
                var bent = good
                bent[index] ^= change
                do { _ = try Identity(pkcs12: bent, password: password) } catch {
                    #expect(!error.sentence.contains("pässwörd") && error.sentence.hasSuffix("."))
                }
            }
        }
        #expect(ERR_peek_error() == 0)
    }

    @Test(.enabled(if: CredentialFolder.hasLegacyProvider))
    func aKeyThatOpenSSLCannotDecryptAnyMoreIsSaidToBeSo() throws {
        let key = try folder.openssl("ec -des \(Self.legacy) -in key.pem -passout \(pass)")
        expectKeyError(.unusable) { _ = try identity(key, password) }
    }

    @Test func aChainIsSentInItsOrder() throws {
        let chain = TestPKI.otherRoot.certificatePEM + TestPKI.root.certificatePEM
        let identity = try Identity(
            certificate: provider.certificatePEM + chain,
            key: folder.openssl("pkcs8 -topk8 -in key.pem -passout \(pass)"),
            password: password)
        #expect(identity.chain.map(\.commonName) == ["Other root", "Test root"])
    }

    @Test func aPinIsTheDigestThatOpenSSLComputes() throws {
        let key = try folder.openssl("pkey -in key.pem -pubout -outform DER")
        try folder.write("spki.der", key)
        let digest = try folder.openssl("dgst -sha256 -binary spki.der")
        let pin = try KeyPin(ofFirstCertificate: provider.certificatePEM)
        #expect(pin.sha256 == digest && KeyPin(pin.description) == pin)
        #expect(KeyPin(String(pin.description.dropFirst(7))) == pin)
        #expect(pin.description.hasPrefix("sha256/") && pin.description.hasSuffix("="))
        let base64 = String(pin.description.dropFirst(7))
        for wrong in [
            "", "sha256/", String(base64.dropLast()), base64 + "=", "sha1/" + base64, " " + base64.dropLast(),
            base64.replacing("=", with: "A"), String(repeating: "=", count: 44),
        ] {
            #expect(KeyPin(wrong) == nil, "\(wrong)")
        }
    }
}

/// Expects a `KeyError` with this code and a sentence.
func expectKeyError(
    _ code: KeyError.Code, at place: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
    do {
        try body()
        Issue.record("no error where \(code) belongs", sourceLocation: place)
    } catch let error as KeyError {
        #expect(error.code == code, "\(error)", sourceLocation: place)
        #expect(error.sentence.hasSuffix("."), sourceLocation: place)
    } catch {
        Issue.record("\(error)", sourceLocation: place)
    }
}
