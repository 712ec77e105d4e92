import ProcessRuntime
import PushSimulator
import PushTransport
import Testing

@testable import SupervisedPush

/// What a certificate says of itself is read before any network, by the clock that the runtime goes by.
@Suite struct CertificateCheckTests {
    private let time = ManualTime()
    private let reader: CredentialReader

    init() { reader = CredentialReader(time: time) }

    private func config(_ environments: Set<SimulatedEnvironment>, topic: String = "com.example.app") throws
        -> PushConnection.Configuration
    {
        let made = try ThrowAwayCredentials(topic: topic, environments: environments)
        return PushConnection.Configuration(
            credential: .certificate(.pem(made.providerCertificatePEM), privateKey: .pem(made.providerKeyPEM)))
    }

    private func refusal(_ config: PushConnection.Configuration) -> ConnectError? {
        let error = #expect(throws: ConnectError.self) { _ = try reader.resolve(config) }
        #expect(error?.code == .credential)
        return error
    }

    @Test("parity: E6 – an expired certificate is refused before the network, with its date, also one in use")
    func anExpiredCertificate() throws {
        let config = try config([.production])
        let used = try reader.resolve(config)
        let end = try #require(used.identity).notAfter
        time.setWallClock(milliseconds: end * 1_000 + 999)
        _ = try reader.resolve(config)
        time.setWallClock(milliseconds: (end + 1) * 1_000)
        let text = refusal(config)?.description ?? ""
        #expect(text.hasPrefix("The certificate expired on 20") && text.contains(" UTC") && text.contains("clock"))
    }

    @Test func aCertificateFromTheFuture() throws {
        let config = try config([.production])
        let start = try #require(reader.resolve(config).identity).notBefore
        time.setWallClock(milliseconds: start * 1_000)
        _ = try reader.resolve(config)
        time.setWallClock(milliseconds: start * 1_000 - 1)
        #expect(refusal(config)?.description.hasPrefix("The certificate is valid from ") == true)
    }

    @Test(
        "parity: E6 – a certificate of the other environment is refused before the network",
        arguments: [nil, "api.push.apple.com", "API.Push.Apple.com."])
    func theOtherEnvironment(host: String?) throws {
        let development = try config([.development]).with { $0.host = host }
        #expect(
            refusal(development)?.description.contains("is only for the development environment") == true)
        // A host of Apple's decides, whatever the environment says.
        let production = try config([.production]).with { $0.host = host }
        #expect(try reader.resolve(production).identity != nil)
        #expect(try reader.resolve(config([.development, .production]).with { $0.host = host }).identity != nil)
    }

    @Test(arguments: ["api.sandbox.push.apple.com", "api.development.push.apple.com"])
    func theDevelopmentHosts(host: String) throws {
        #expect(
            try refusal(config([.production]).with { $0.host = host })?.description
                .contains("connect with environment .production") == true)
        _ = try reader.resolve(config([.development]).with { $0.host = host })
        _ = refusal(try config([.production]).with { $0.environment = .development })
        _ = try reader.resolve(config([.development]).with { $0.environment = .development })
    }

    @Test func aHostOfOnesOwnAndACertificateWithoutMarksAreNotChecked() throws {
        _ = try reader.resolve(config([.development]).with { $0.host = "localhost" })
        _ = try reader.resolve(config([]))
    }

    @Test func aCertificateAloneAsksForItsKey() throws {
        let made = try ThrowAwayCredentials()
        let alone = PushConnection.Configuration(credential: .certificate(.pem(made.providerCertificatePEM)))
        #expect(refusal(alone)?.description.contains("Give the key file too") == true)
        let wrong = PushConnection.Configuration(
            credential: .pkcs12(.pem(made.providerCertificatePEM), password: "PASSWORD"))
        #expect(refusal(wrong)?.description.contains("not PKCS#12") == true)
        #expect(
            refusal(PushConnection.Configuration(credential: .pkcs12(.file("/nowhere/a.p12"))))?.description.contains(
                "/nowhere")
                == true)
        var dumped = ""
        dump(wrong.credential, to: &dumped)
        #expect(!dumped.contains("PASSWORD") && !"\(wrong.credential)".contains("PASSWORD"))
        #expect(try Credential.pkcs12(.bytes([])).makeProviderToken() == nil)
    }

    @Test func aTrustThatIsNoneIsRefused() throws {
        let pin = try SPKIPin("sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
        #expect("\(pin)" == "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
        let config = try config([.production])
        try config.with { $0.trust = .system.pinning([pin]) }.validate()
        for trust in [
            SupervisedPush.TrustRoots.system.pinning([]),
            (0...100).reduce(SupervisedPush.TrustRoots.system) { trust, _ in trust.adding(.pem("")) },
        ] {
            let error = #expect(throws: ConnectError.self) { try config.with { $0.trust = trust }.validate() }
            #expect(error?.code == .configuration && error?.description.contains("trust") == true)
        }
        #expect(refusal(config.with { $0.trust = .system.adding(.pem("nothing")) }) != nil)
        #expect(throws: ConnectError.self) { try SPKIPin("sha256/AAAA") }
        let made = try ThrowAwayCredentials()
        let first = try SPKIPin(ofCertificate: .pem(made.authorityPEM))
        #expect(try SPKIPin("\(first)") == first)
        #expect(throws: ConnectError.self) { try SPKIPin(ofCertificate: .pem(made.authorityKeyPEM ?? "")) }
    }

    /// What differs in trust or form shares no context; what is the same does.
    @Test func contextsAreToldApartByAllThatGoesIntoThem() throws {
        let config = try config([.production])
        let made = try ThrowAwayCredentials()
        let roots = ByteSource.pem(made.authorityPEM)
        let (pin, other) = (
            try SPKIPin(ofCertificate: roots), try SPKIPin(ofCertificate: .pem(made.serverCertificatePEM))
        )
        let trusts: [SupervisedPush.TrustRoots] = [
            .system, .pem(made.authorityPEM), .system.adding(roots), .pem(made.authorityPEM).adding(roots),
            .system.adding(roots).adding(roots), .system.pinning([pin]), .system.pinning([other]),
            .system.pinning([pin, other]), .system.pinning([pin], reportOnly: true),
        ]
        let contexts = try trusts.map { trust in try reader.resolve(config.with { $0.trust = trust }).context }
        #expect(Set(contexts.map { ObjectIdentifier($0) }).count == trusts.count)
        let again = try reader.resolve(config.with { $0.trust = .system.pinning([other, pin]) }).context
        #expect(again === contexts[7])
    }
}
