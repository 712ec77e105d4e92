import CPushOpenSSL
import Dispatch
import Testing

@testable import PushTransport

@Suite struct CredentialTests {
    private let p256 = PrivateKey(TestPKI.key(.p256))

    @Test("parity: E4 – a .p8 key signs r‖s that its public key accepts")
    func aSigningKeySigns() throws {
        let key = try SigningKey(pem: TestPKI.keyPEM(p256.pointer))
        // Enough to meet values of r and s that are shorter than 32 bytes.
        for round in 0..<600 {
            let message = Array("message \(round)".utf8)
            let signature = try key.sign(message)
            #expect(signature.count == 64)
            #expect(Signature.verifies(signature, message, p256))
        }
    }

    @Test func aSigningKeyMayBeUsedOnManyThreads() throws {
        let key = try SigningKey(pem: TestPKI.keyPEM(p256.pointer))
        DispatchQueue.concurrentPerform(iterations: 64) { round in
            let message = [UInt8(round)]
            let signature = try? key.sign(message)
            #expect(signature.map { Signature.verifies($0, message, p256) } == true)
        }
    }

    @Test func everyWrongSigningKeyHasItsOwnError() {
        let certificate = TestPKI.server.certificatePEM
        let good = TestPKI.keyPEM(p256.pointer)
        let cases: [(KeyError.Code, [UInt8])] = [
            (.empty, []), (.empty, Array(" \r\n".utf8)), (.notPEM, Array("hello".utf8)),
            (.truncated, [0x30, 0x82, 0x01, 0x00, 0xff]), (.certificateInsteadOfKey, certificate),
            (.publicKey, TestPKI.publicPEM(p256.pointer)),
            (.encrypted, TestPKI.keyPEM(p256.pointer, password: "secret")),
            (.notEC, TestPKI.keyPEM(TestPKI.key(.rsa))), (.wrongCurve, TestPKI.keyPEM(TestPKI.key(.p384))),
            (.truncated, Array(good.prefix(good.count / 2))),
            (.damaged, Array("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".utf8)),
            (.tooLarge, [UInt8](repeating: 65, count: PEMBundle.sizeLimit + 1)),
        ]
        for (code, bytes) in cases {
            expectKeyError(code) { _ = try SigningKey(pem: bytes) }
        }
        #expect(ERR_peek_error() == 0)
    }

    @Test("parity: E6 – certificate and key from one file or from two, encrypted or not")
    func anIdentityIsReadFromItsForms() throws {
        let made = TestPKI.server
        let encrypted = TestPKI.keyPEM(made.key, password: "secret")
        let password = Array("secret".utf8)
        #expect(try Identity(pem: made.certificatePEM + made.keyPEM).commonName == "push.example")
        #expect(try Identity(pem: made.keyPEM + made.certificatePEM).commonName == "push.example")
        #expect(try Identity(certificate: made.certificatePEM, key: made.keyPEM).chain.isEmpty)
        _ = try Identity(certificate: made.certificatePEM, key: encrypted, password: password)
        _ = try Identity(pem: made.certificatePEM + encrypted, password: password)
        let chained = try Identity(pem: TestPKI.root.certificatePEM + made.certificatePEM + made.keyPEM)
        #expect(chained.commonName == "push.example")
        #expect(chained.chain.map(\.commonName) == ["Test root"])
    }

    @Test func everyWrongIdentityHasItsOwnError() {
        let made = TestPKI.server
        let encrypted = TestPKI.keyPEM(made.key, password: "secret")
        let long = [UInt8](repeating: 65, count: 5_000)
        expectKeyError(.empty) { _ = try Identity(pem: []) }
        expectKeyError(.notPEM) { _ = try Identity(pem: [1, 2, 3]) }
        expectKeyError(.noKey) { _ = try Identity(pem: made.certificatePEM) }
        expectKeyError(.keyInsteadOfCertificate) { _ = try Identity(pem: made.keyPEM) }
        expectKeyError(.keyInsteadOfCertificate) { _ = try Identity(certificate: made.keyPEM, key: made.keyPEM) }
        expectKeyError(.certificateInsteadOfKey) {
            _ = try Identity(certificate: made.certificatePEM, key: made.certificatePEM)
        }
        expectKeyError(.publicKey) {
            _ = try Identity(certificate: made.certificatePEM, key: TestPKI.publicPEM(made.key))
        }
        expectKeyError(.encrypted) { _ = try Identity(certificate: made.certificatePEM, key: encrypted) }
        for wrong in [Array("wrong".utf8), [], long] {
            expectKeyError(.wrongPassword) {
                _ = try Identity(certificate: made.certificatePEM, key: encrypted, password: wrong)
            }
        }
        expectKeyError(.mismatch) { _ = try Identity(pem: TestPKI.root.certificatePEM + made.keyPEM) }
        expectKeyError(.damaged) {
            _ = try Identity(pem: Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8))
        }
        expectKeyError(.noCertificate) { _ = try TLSContext.client(trust: .pem(made.keyPEM)) }
        #expect(ERR_peek_error() == 0)
    }

    @Test func noErrorShowsItsInput() {
        let secret = "c2VjcmV0IGtleSBtYXRlcmlhbA"
        let text = "-----BEGIN PRIVATE KEY-----\n\(secret)==\n-----END PRIVATE KEY-----\n"
        let error = #expect(throws: KeyError.self) { try SigningKey(pem: Array(text.utf8)) }
        #expect(error?.description.contains(secret) == false)
    }

    @Test func aProviderCertificateTellsTopicAndEnvironments() throws {
        let app = Array("com.x.app".utf8), voip = Array("com.x.app.voip".utf8)
        let list = sequence(
            utf8(app) + sequence(utf8(Array("app".utf8))) + utf8(voip) + sequence(utf8(Array("voip".utf8))))
        let identity = try TestPKI.provider(uid: "com.x.app", topics: list).identity()
        #expect(identity.subjectUID == "com.x.app")
        #expect(identity.topics == ["com.x.app", "com.x.app.voip"])
        #expect(identity.allowsDevelopment && identity.allowsProduction)
        #expect(identity.notAfter - identity.notBefore == 90_000)
        let plain = try TestPKI.server.identity()
        #expect(plain.subjectUID == nil && plain.topics.isEmpty)
        #expect(!plain.allowsDevelopment && !plain.allowsProduction)
    }

    @Test func anyTopicListIsReadWithinItsBounds() {
        let list = sequence(utf8(Array("com.x.app".utf8)) + sequence(utf8(Array("app".utf8))))
        for index in list.indices {
            #expect(Certificate.topics(in: Array(list[..<index])).isEmpty)
            for value in UInt8.min...UInt8.max {
                var changed = list
                changed[index] = value
                #expect(Certificate.topics(in: changed).count <= 2)
            }
        }
        #expect(Certificate.topics(in: [0x30, 0x84, 0xff, 0xff, 0xff, 0xff]).isEmpty)
        #expect(Certificate.topics(in: [0x30, 0x89, 1, 1, 1, 1, 1, 1, 1, 1, 1]).isEmpty)
    }

    private func utf8(_ text: [UInt8]) -> [UInt8] { [0x0c, UInt8(text.count)] + text }
    private func sequence(_ content: [UInt8]) -> [UInt8] { [0x30, UInt8(content.count)] + content }
}
