import CPushOpenSSL
import Dispatch
import Testing

@testable import PushTransport

/// Whom a client believes, and what it says where it does not.
@Suite struct TrustTests {
    private static let stranger = KeyPin(sha256: [UInt8](repeating: 7, count: 32))

    private func pin(_ certificate: TestCertificate) throws -> KeyPin {
        try KeyPin(ofFirstCertificate: certificate.certificatePEM)
    }

    /// A client with pins and a certificate, and the server it meets.
    private func pair(
        _ pins: [KeyPin?], reportsOnly: Bool = false, server: TestCertificate = TestPKI.server
    ) throws -> Pair {
        let policy = PinPolicy(pins: Set(pins.compactMap(\.self)), reportsOnly: reportsOnly)
        let client = try TLSContext.client(
            trust: .pem(TestPKI.root.certificatePEM), pins: policy,
            identity: TestPKI.provider(uid: "com.example.app").identity())
        let server = try TLSContext.server(
            identity: server.identity(), clientRoots: TestPKI.root.certificatePEM)
        return try Pair(client, server)
    }

    // MARK: Roots

    @Test("parity: P11 – an authority of one's own, instead of the system's or beside it")
    func additionalRootsStandBesideTheOthers() throws {
        let own = TestPKI.root.certificatePEM
        let der = try #require(Self.der(TestPKI.root))
        let server = try TLSContext.server(identity: TestPKI.server.identity())
        let other = TrustAnchors.pem(TestPKI.otherRoot.certificatePEM)
        for client in [
            try TLSContext.client(trust: .pem(own)), try TLSContext.client(trust: .pem(der)),
            try TLSContext.client(trust: .system, additional: [own]),
            try TLSContext.client(trust: other, additional: [TestPKI.otherRoot.certificatePEM, own]),
        ] {
            _ = try Pair(client, server).established()
        }
        let without = try TLSContext.client(trust: other, additional: [TestPKI.otherRoot.certificatePEM])
        #expect(try Pair(without, server).client.waitForError()?.code == .untrustedIssuer)
        expectKeyError(.noCertificate) {
            _ = try TLSContext.client(trust: .system, additional: [TestPKI.server.keyPEM])
        }
    }

    private static func der(_ certificate: TestCertificate) -> [UInt8]? {
        var bytes: UnsafeMutablePointer<UInt8>?
        let length = i2d_X509(certificate.x509, &bytes)
        defer { cpush_free(bytes) }
        return bytes.map { Array(UnsafeBufferPointer(start: $0, count: Int(length))) }
    }

    @Test func contextsShareTheirRootsAsLongAsOneUsesThem() throws {
        func store(_ context: TLSContext) -> OpaquePointer? { SSL_CTX_get_cert_store(context.pointer) }
        let own = TestPKI.root.certificatePEM, other = TestPKI.otherRoot.certificatePEM
        let identity = try TestPKI.provider(uid: "com.example.app").identity()
        let first = try TLSContext.client(trust: .pem(own), additional: [other])
        #expect(
            try store(first) == store(TLSContext.client(trust: .pem(own), additional: [other], identity: identity)))
        #expect(try store(first) != store(TLSContext.client(trust: .pem(other), additional: [own])))
        #expect(try store(TLSContext.client(trust: .system)) == store(TLSContext.client(trust: .system)))
        weak var gone: TrustStore?
        do {
            let lone = try TrustStore.shared(.pem(TestPKI.server.certificatePEM), additional: [])
            gone = lone
            withExtendedLifetime(lone) {}
        }
        #expect(gone == nil)
    }

    // MARK: Pins

    @Test func anyKeyOfTheChainMayBePinned() throws {
        let leaf = try pin(TestPKI.server), root = try pin(TestPKI.root)
        for pins in [[leaf], [root], [Self.stranger, root]] {
            let pair = try pair(pins).established()
            #expect(pair.client.queue.sync { pair.client.transport.unpinnedKeys } == nil)
        }
    }

    @Test func aServerWithoutAPinnedKeyIsRefusedBeforeItSeesOurCertificate() throws {
        let pair = try pair([Self.stranger, pin(TestPKI.otherRoot)])
        let error = pair.client.waitForError()
        #expect(error?.code == .pinMismatch && error?.layer == .tls)
        for key in [try pin(TestPKI.server), try pin(TestPKI.root)] {
            #expect(error?.sentence.contains("\(key)") == true)
        }
        #expect(pair.server.waitForError()?.layer == .tls)
        #expect(pair.server.queue.sync { pair.server.transport.peerCertificateDER } == nil)
    }

    @Test func aPinDoesNotStandInForVerification() throws {
        let server = TestPKI.leaf(names: "DNS:push.example", issuer: TestPKI.otherRoot)
        let error = try pair([pin(server)], server: server).client.waitForError()
        #expect(error?.code == .untrustedIssuer)
    }

    @Test func reportOnlyTellsAndGoesOnEachTime() throws {
        let policy = PinPolicy(pins: [try #require(Self.stranger)], reportsOnly: true)
        let client = try TLSContext.client(trust: .pem(TestPKI.root.certificatePEM), pins: policy)
        let server = try TLSContext.server(identity: TestPKI.server.identity())
        for _ in 0..<3 {
            let pair = try Pair(client, server).established()
            pair.server.send([1])
            pair.client.waitFor(.received)
            let (keys, isResumed) = pair.client.queue.sync {
                (pair.client.transport.unpinnedKeys, pair.client.transport.isResumed)
            }
            #expect(try keys == [pin(TestPKI.server), pin(TestPKI.root)])
            #expect(!isResumed && client.sessions.count == 0)
        }
    }

    // MARK: What is said

    @Test func aRefusalNamesTheCheckTheSubjectAndTheDates() throws {
        let expired = TestPKI.leaf(names: "DNS:push.example", from: -7_200, to: -3_600)
        let early = TestPKI.leaf(names: "DNS:push.example", from: 3_600, to: 7_200)
        let client = TestPKI.leaf(names: "DNS:push.example", usage: "clientAuth")
        let many = TestPKI.leaf(names: (0..<8).map { "DNS:host-\($0).example" }.joined(separator: ",") + ",IP:10.0.0.1")
        let nobody = TestPKI.leaf(names: "email:a@example.com")
        let unknown = TestPKI.leaf(names: "DNS:push.example", issuer: TestPKI.otherRoot)
        for (server, code, words) in [
            (expired, TransportError.Code.certificateExpired, ["has expired", "valid until", " UTC"]),
            (early, .certificateNotYetValid, ["not yet valid", "valid from", "valid until"]),
            (many, .wrongHost, ["it is for host-0.example, ", "host-4.example, 4 more;"]),
            (TestPKI.leaf(names: "IP:10.0.0.1,IP:::1"), .wrongHost, ["it is for 10.0.0.1, 0:0:0:0:0:0:0:1;"]),
            (nobody, .wrongHost, ["it names no host"]), (unknown, .untrustedIssuer, ["issuer /CN=Other root"]),
            (client, .certificateInvalid, ["purpose"]),
        ] {
            let error = try Pair(server: server).client.waitForError()
            #expect(error?.code == code)
            for word in words + ["The certificate of push.example was rejected: ", "subject /CN=push.example"] {
                #expect(error?.sentence.contains(word) == true, "\(word) is not in: \(error?.sentence ?? "")")
            }
        }
    }

    @Test func anIssuersFaultIsSaidToBeTheIssuers() throws {
        let issuer = TestPKI.provider(uid: "com.example.app")
        let server = TestPKI.leaf(names: "DNS:push.example", issuer: issuer)
        let identity = try Identity(pem: server.certificatePEM + issuer.certificatePEM + server.keyPEM)
        let client = try TLSContext.client(trust: .pem(TestPKI.root.certificatePEM))
        let error = try Pair(client, .server(identity: identity)).client.waitForError()
        #expect(error?.sentence.hasPrefix("An issuer of the certificate of push.example was rejected: ") == true)
    }

    @Test func everyCheckHasItsCode() {
        for (result, code) in [
            (X509_V_ERR_EE_KEY_TOO_SMALL, TransportError.Code.certificateWeak),
            (X509_V_ERR_CA_MD_TOO_WEAK, .certificateWeak),
            (X509_V_ERR_CA_KEY_TOO_SMALL, .certificateWeak), (X509_V_ERR_CERT_REVOKED, .certificateInvalid),
            (X509_V_ERR_IP_ADDRESS_MISMATCH, .wrongHost), (X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, .untrustedIssuer),
        ] {
            #expect(CertificateRefusal.code(of: Int(result)) == code)
            let error = CertificateRefusal(result: Int(result)).error(of: "push.example")
            #expect(error.layer == .tls && error.code == code && error.sentence.hasSuffix("."))
        }
    }

    @Test func aServerBelowTLS12IsRefused() throws {
        let server = try TLSContext.server(identity: TestPKI.server.identity())
        SSL_CTX_ctrl(server.pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_VERSION), nil)
        SSL_CTX_ctrl(server.pointer, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_1_VERSION), nil)
        SSL_CTX_set_cipher_list(server.pointer, "ECDHE:@SECLEVEL=0")
        let client = try TLSContext.client(trust: .pem(TestPKI.root.certificatePEM))
        let error = try Pair(client, server).client.waitForError()
        #expect(error?.code == .handshakeRefused, "\(error?.code.name ?? ""): \(error?.sentence ?? "")")
    }
}
