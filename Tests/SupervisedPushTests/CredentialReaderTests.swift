import Foundation
import Logging
import ProcessRuntime
import PushSimulator
import Testing

@testable import SupervisedPush

/// What is wrong with a credential is said by `connect`, before any network, in one sentence.
@Suite struct CredentialReaderTests {
    private let credentials: ThrowAwayCredentials
    private let time = ManualTime()
    private let reader: CredentialReader

    init() throws {
        credentials = try ThrowAwayCredentials()
        reader = CredentialReader(time: time)
    }

    private func failure(_ credential: Credential, trust: TrustRoots = .system) -> ConnectError? {
        #expect(throws: ConnectError.self) {
            _ = try reader.resolve(PushConnection.Configuration(credential: credential, trust: trust))
        }
    }

    /// The signing key in a file of this name, for as long as `body` runs.
    private func withKeyFile(_ name: String, _ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: name)
        try Data(credentials.signingKeyPEM.utf8).write(to: file)
        try body(file.path)
    }

    @Test("parity: E4 – key from a file or from memory, key id and team id: the same key, one authority")
    func aKeyFromAFileAndFromMemoryIsOne() throws {
        func resolve(_ key: ByteSource) throws -> ResolvedCredential {
            try reader.resolve(
                PushConnection.Configuration(
                    credential: .token(key: key, keyID: credentials.keyID, teamID: credentials.teamID)))
        }
        let fromMemory = try resolve(.pem(credentials.signingKeyPEM))
        #expect(fromMemory.authority != nil)
        #expect(try resolve(.bytes(Array(credentials.signingKeyPEM.utf8))).authority === fromMemory.authority)
        try withKeyFile("key.p8") { path in
            let fromFile = try resolve(.file(path))
            #expect(fromFile.authority === fromMemory.authority && fromFile.context === fromMemory.context)
        }
    }

    /// An authority for each team; they share a context.
    private func config(team: Int) -> PushConnection.Configuration {
        PushConnection.Configuration(
            credential: .token(
                key: .pem(credentials.signingKeyPEM), keyID: credentials.keyID, teamID: "TEAM\(100_000 + team)"))
    }

    @Test func whatNoConnectionUsesIsForgotten() throws {
        let used = try reader.resolve(config(team: 0))
        for team in 1...200 { _ = try reader.resolve(config(team: team)) }
        #expect(reader.count <= 16)
        time.advance(by: .seconds(60))
        let again = try reader.resolve(config(team: 0))
        #expect(again.authority === used.authority && again.context === used.context)
        #expect(reader.count == 2)
    }

    @Test func aContextIsForgottenToo() throws {
        func resolve(_ credentials: ThrowAwayCredentials) throws -> ResolvedCredential {
            try reader.resolve(
                PushConnection.Configuration(
                    credential: .certificate(
                        .pem(credentials.providerCertificatePEM), privateKey: .pem(credentials.providerKeyPEM))))
        }
        let used = try resolve(credentials)
        _ = try resolve(ThrowAwayCredentials())
        #expect(reader.count == 2)
        time.advance(by: .seconds(60))
        #expect(try resolve(credentials).context === used.context)
        #expect(reader.count == 1)
    }

    @Test func aKeyIsKeptAsLongAsAPNsTakesNoOtherTokenOfIt() throws {
        let first = try reader.resolve(config(team: 1)).authority?.providerToken(time.now)
        time.advance(by: .seconds(20 * 60 - 1))
        // No connection used it meanwhile; yet no second token is made.
        _ = try reader.resolve(config(team: 2))
        #expect(try reader.resolve(config(team: 1)).authority?.providerToken(time.now) == first)
        time.advance(by: .seconds(61))
        _ = try reader.resolve(config(team: 3))
        #expect(reader.count == 2)
    }

    /// Whatever its name and the team id are.
    @Test(arguments: [
        ("/nowhere/AuthKey_ABC123DEFG.p8", "DEF123GHIJ"), ("nope.p8", "DEF123GHIJ"), ("nope.p8", "short"),
    ])
    func aMissingFileIsNamed(path: String, teamID: String) {
        let error = failure(.token(key: .file(path), teamID: teamID))
        #expect(error?.description.hasPrefix("The signing key in \(path) can't be read") == true, "\(error as Any)")
        #expect(error?.code == .credential)
    }

    @Test func anUnusableKeyIsNamedByItsFile() throws {
        try withKeyFile("AuthKey_ABC123DEFG.p8") { path in
            try Data("-----BEGIN PRIVATE KEY-----\nMIGH".utf8).write(to: URL(filePath: path))
            let error = failure(.token(key: .file(path), teamID: "DEF123GHIJ"))
            #expect(
                error?.description.hasPrefix(
                    "The signing key in \(path) can't be used: The .p8 key lacks its last line") == true,
                "\(error as Any)")
            let certificate = failure(.certificate(.file(path), privateKey: .file("/none.key")))
            #expect(certificate?.description.contains("/none.key") == true)
        }
    }

    @Test(
        "ids that contradict each other or the file's name are warned of",
        arguments: [
            ("AuthKey_ABC123DEFG.p8", "QTGQVB5GCV", "ABC123DEFG", "are key id and team id swapped?"),
            ("AuthKey_ABC123DEFG.p8", "QTGQVB5GCV", "DEF123GHIJ", "has ABC123DEFG: is it another key?"),
            ("AuthKey_ABC123DEFG.p8", "abc123defg", "DEF123GHIJ", "Apple's ids have capital letters"),
            ("AuthKey_ABC123DEFG.p8", nil, "ABC123DEFG", "the key id and the team id are the same, ABC123DEFG"),
            ("AuthKey_ABC123DEFG.p8", "ABC123DEFG", "DEF123GHIJ", nil),
            ("AuthKey_ABC123DEFG.p8", nil, "DEF123GHIJ", nil),
            ("my_key.p8", "ABC123DEFG", "DEF123GHIJ", nil), ("key.p8", "ABC123DEFG", "DEF123GHIJ", nil),
        ] as [(String, String?, String, String?)])
    func contradictions(file: String, keyID: String?, teamID: String, warning: String?) throws {
        try withKeyFile(file) { path in
            let log = CapturedLog()
            var config = PushConnection.Configuration(
                credential: .token(key: .file(path), keyID: keyID, teamID: teamID))
            config.watching.logger = log.logger(.warning)
            _ = try reader.resolve(config)
            let said = log.lines.filter { !$0.contains("chmod") }
            #expect(said.count == (warning == nil ? 0 : 1), "\(said)")
            if let warning { #expect(said.first?.contains(warning) == true, "\(said)") }
        }
    }

    @Test("parity: E26 – the key id is taken from the name AuthKey_<id>.p8, unless another one is given")
    func theKeyIDComesFromTheFilesName() throws {
        func token(_ keyID: String?, _ path: String) throws -> ProviderToken {
            let config = PushConnection.Configuration(
                credential: .token(key: .file(path), keyID: keyID, teamID: credentials.teamID))
            return try #require(try reader.resolve(config).authority?.providerToken(time.now))
        }
        try withKeyFile("AuthKey_\(credentials.keyID).p8") { path in
            let taken = try token(nil, path)
            #expect(taken.keyID == credentials.keyID && taken.teamID == credentials.teamID)
            #expect(try token("GIVEN12345", path).keyID == "GIVEN12345")
        }
    }

    @Test("parity: E26 – a file's name without a key id asks for one")
    func aFileNameWithoutAnIDAsksForOne() throws {
        try withKeyFile("key.p8") { path in
            let error = failure(.token(key: .file(path), teamID: "DEF123GHIJ"))
            #expect(error?.description.contains("AuthKey_<id>.p8") == true)
        }
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
        let changes: [(String, @Sendable (inout PushConnection.Configuration) -> Void)] = [
            ("port", { $0.port = 0 }), ("timeout", { $0.timeout = .zero }),
            ("maxInFlight", { $0.limits.maxInFlight = 0 }),
            ("maxWaiting", { $0.limits.maxWaiting = 0 }), ("backoffCeiling", { $0.retry.backoffCeiling = .zero }),
            ("host", { $0.host = "" }), ("lateWindow", { $0.lateWindow = .seconds(-1) }),
            ("firstFlight", { $0.limits.firstFlight = 0 }),
        ]
        for (name, change) in changes {
            let error = #expect(throws: ConnectError.self) {
                try PushConnection.Configuration(credential: credential).with(change).validate()
            }
            #expect(error?.description.contains(name) == true)
        }
    }
}
