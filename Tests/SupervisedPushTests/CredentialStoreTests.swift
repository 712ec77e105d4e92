import PushSimulator
import Testing

@testable import SupervisedPush

/// What is wrong with a credential is said by `connect`, before any network, in one sentence.
@Suite struct CredentialStoreTests {
    private let credentials: ThrowAwayCredentials
    private let store = CredentialStore(time: ManualTime())

    init() throws { credentials = try ThrowAwayCredentials() }

    private func failure(_ credential: Credential, trust: TrustRoots = .system) -> ConnectError? {
        #expect(throws: ConnectError.self) {
            _ = try store.resolve(ConnectionConfig(credential: credential, trust: trust))
        }
    }

    @Test("parity: E4 – key from a file or from memory, key id and team id") func aKeyFromMemoryIsUsed() throws {
        let config = ConnectionConfig(
            credential: .token(
                key: .pem(credentials.signingKeyPEM), keyID: credentials.keyID, teamID: credentials.teamID))
        #expect(try store.resolve(config).authority != nil)
        #expect(try store.resolve(config).authority === store.resolve(config).authority)
        #expect(try store.resolve(config).context === store.resolve(config).context)
    }

    @Test func aMissingFileIsNamed() {
        let error = failure(.token(key: .file("/nowhere/AuthKey_ABC123DEFG.p8"), teamID: "DEF123GHIJ"))
        #expect(error?.description.contains("/nowhere/AuthKey_ABC123DEFG.p8") == true)
        #expect(error?.code == .credential)
    }

    @Test("parity: E26 – the key id is taken from the file's name, or asked for")
    func aFileNameWithoutAnIDAsksForOne() {
        let error = failure(.token(key: .file("/nowhere/key.p8"), teamID: "DEF123GHIJ"))
        #expect(error?.description.contains("AuthKey_<id>.p8") == true)
    }

    @Test func aCertificateInPlaceOfAKeyIsToldApart() {
        let error = failure(
            .token(key: .pem(credentials.providerCertificatePEM), keyID: "ABC123DEFG", teamID: "DEF123GHIJ"))
        #expect(error?.description.contains("certificate") == true)
    }

    @Test(arguments: ["", "short", "ABC123DEFGH", "ABC 23DEFG"]) func anOddTeamIDIsRefused(teamID: String) {
        #expect(failure(.token(key: .pem(""), keyID: "ABC123DEFG", teamID: teamID))?.code == .credential)
    }

    @Test func aKeyThatDoesNotMatchItsCertificateIsRefused() throws {
        let other = try ThrowAwayCredentials()
        let error = failure(
            .certificate(.pem(credentials.providerCertificatePEM), privateKey: .pem(other.providerKeyPEM)))
        #expect(error?.code == .credential)
    }

    @Test func aTrustBundleThatIsNoneIsRefused() {
        let credential = Credential.token(
            key: .pem(credentials.signingKeyPEM), keyID: credentials.keyID, teamID: credentials.teamID)
        #expect(failure(credential, trust: .pem("nothing"))?.code == .credential)
    }

    @Test func aCredentialNeverShowsItsSecrets() {
        let credential = Credential.certificate(
            .pem(credentials.providerCertificatePEM), privateKey: .pem("KEYBYTES"), password: "PASSWORD")
        var dumped = ""
        dump(credential, to: &dumped)
        for text in ["\(credential)", String(reflecting: credential), dumped] {
            #expect(!text.contains("KEYBYTES") && !text.contains("PASSWORD"))
        }
    }

    @Test func aConfigurationOutOfRangeNamesTheValue() {
        let credential = Credential.token(key: .pem(""), teamID: "DEF123GHIJ")
        let changes: [(String, @Sendable (inout ConnectionConfig) -> Void)] = [
            ("port", { $0.port = 0 }), ("timeout", { $0.timeout = .zero }), ("maxInFlight", { $0.maxInFlight = 0 }),
            ("maxWaiting", { $0.maxWaiting = 0 }), ("backoffCeiling", { $0.backoffCeiling = .zero }),
            ("host", { $0.host = "" }), ("lateWindow", { $0.lateWindow = .seconds(-1) }),
        ]
        for (name, change) in changes {
            let error = #expect(throws: ConnectError.self) {
                try ConnectionConfig(credential: credential).with(change).validate()
            }
            #expect(error?.description.contains(name) == true)
        }
    }
}
