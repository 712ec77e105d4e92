import Glibc
import Testing

@testable import PushSimulator

@Suite struct ThrowAwayCredentialsTests {
    @Test func filesAreWrittenWithTheirModesAndReadBack() throws {
        let directory = try TemporaryDirectory()
        let credentials = try ThrowAwayCredentials(topic: "com.example.written")
        let files = try credentials.write(to: directory.path + "/inner")
        #expect(files.signingKey == directory.path + "/inner/AuthKey_\(credentials.keyID).p8")
        for key in [files.signingKey, files.serverKey, files.providerKey] {
            #expect(directory.mode(of: key) == 0o600)
        }
        #expect(directory.mode(of: files.authority) == 0o644)

        let reread = try ThrowAwayCredentials(directory: directory.path + "/inner")
        #expect(reread.keyID == credentials.keyID)
        #expect(reread.teamID == credentials.teamID)
        #expect(reread.topic == "com.example.written")
        #expect(reread.authorityPEM == credentials.authorityPEM)
        #expect(reread.signingKeyPEM == credentials.signingKeyPEM)
        #expect(reread.providerKeyPEM == credentials.providerKeyPEM)
        try reread.write(to: directory.path + "/inner")
    }

    @Test func aDirectoryWithoutCredentialsIsAClearError() throws {
        let directory = try TemporaryDirectory()
        #expect { try ThrowAwayCredentials(directory: directory.path) } throws: {
            ($0 as? SimulatorError)?.code == .file
        }
        #expect { try ThrowAwayCredentials(directory: directory.path + "/absent") } throws: {
            ($0 as? SimulatorError)?.description.contains("No such file") == true
        }
        let files = try ThrowAwayCredentials().write(to: directory.path)
        try FileAccess.write("no certificate", to: files.serverCertificate, mode: 0o644)
        #expect { try ThrowAwayCredentials(directory: directory.path) } throws: {
            ($0 as? SimulatorError)?.code == .invalidCredential
        }
    }

    private func names(_ texts: String...) throws -> [ServerName] { try texts.map { try #require(ServerName($0)) } }

    @Test func theServersCertificateIsForTheNamesThatAreAskedFor() throws {
        let credentials = try ThrowAwayCredentials()
        let usual = try names("localhost", "127.0.0.1", "::1", "0:0:0:0:0:0:0:1", "apns.test")
        #expect(try credentials.serving(usual).serverCertificatePEM == credentials.serverCertificatePEM)
        let more = try names("push_apns", "10.1.2.3", "fd00::3", "apns.internal")
        let serving = try credentials.serving(more)
        let server = try #require(CertificateObject(pem: serving.serverCertificatePEM))
        #expect((usual + more).allSatisfy(server.isValid))
        #expect(!server.isValid(for: try #require(ServerName("elsewhere.test"))))
        let authority = try #require(CertificateObject(pem: credentials.authorityPEM))
        #expect(server.isTrusted(by: authority, asServer: true))
        #expect(server.belongs(to: try #require(KeyObject(pem: serving.serverKeyPEM))))
        #expect(serving.providerKeyPEM == credentials.providerKeyPEM && serving.keyID == credentials.keyID)
        // Once it has the names, it stays.
        #expect(try serving.serving(more).serverCertificatePEM == serving.serverCertificatePEM)
    }

    @Test func withoutTheAuthoritysKeyThereIsNoOtherServerCertificate() throws {
        let directory = try TemporaryDirectory()
        let files = try ThrowAwayCredentials().write(to: directory.path)
        unlink(files.authorityKey)
        let credentials = try ThrowAwayCredentials(directory: directory.path)
        #expect(try credentials.serving(try names("localhost")).serverKeyPEM == credentials.serverKeyPEM)
        #expect { try credentials.serving(try names("apns")) } throws: {
            ($0 as? SimulatorError)?.description.contains("ca-key.pem") == true
        }
    }

    @Test(arguments: [
        "", ".", "a..b", "-a", "a-", "a b", "a,DNS:b", "300.1.1.1", "a.1", "*.test", "é", "fe80::1%lo", "a/b",
        String(repeating: "a", count: 64), String(repeating: "a.", count: 127) + "a",
    ])
    func whatIsNeitherANameNorAnAddressIsRefused(text: String) {
        #expect(ServerName(text) == nil)
    }

    @Test func identifiersHaveTenCharacters() throws {
        let credentials = try ThrowAwayCredentials()
        #expect(credentials.keyID.utf8.count == 10)
        #expect(credentials.teamID.utf8.count == 10)
        #expect(throws: SimulatorError.self) { try ThrowAwayCredentials(keyID: "short") }
        #expect(throws: SimulatorError.self) { try ThrowAwayCredentials(topic: "") }
    }

    @Test func certificatesKeysAndAuthorityBelongTogether() throws {
        let credentials = try ThrowAwayCredentials()
        let authority = try #require(CertificateObject(pem: credentials.authorityPEM))
        let stranger = try #require(CertificateObject(pem: try ThrowAwayCredentials().authorityPEM))
        let server = try #require(CertificateObject(pem: credentials.serverCertificatePEM))
        let provider = try #require(CertificateObject(pem: credentials.providerCertificatePEM))
        #expect(server.isTrusted(by: authority, asServer: true))
        #expect(!server.isTrusted(by: authority, asServer: false))
        #expect(!server.isTrusted(by: stranger, asServer: true))
        #expect(provider.isTrusted(by: authority, asServer: false))
        let serverKey = try #require(KeyObject(pem: credentials.serverKeyPEM))
        #expect(serverKey.isP256)
        #expect(server.belongs(to: serverKey))
        #expect(!provider.belongs(to: serverKey))
        #expect(credentials.signingKeyPEM.hasPrefix("-----BEGIN PRIVATE KEY-----"))
    }

    @Test func filesOfTwoRunsDoNotGoTogether() throws {
        let directory = try TemporaryDirectory()
        let files = try ThrowAwayCredentials().write(to: directory.path)
        try FileAccess.write(try ThrowAwayCredentials().authorityPEM, to: files.authority, mode: 0o644)
        #expect { try ThrowAwayCredentials(directory: directory.path) } throws: {
            ($0 as? SimulatorError)?.description.contains("belong together") == true
        }
    }

    @Test func theProviderCertificateSaysWhatAnApplePushCertificateSays() throws {
        let credentials = try ThrowAwayCredentials(topic: "com.example.app", environments: [.production])
        let certificate = ProviderCertificate(try #require(CertificateObject(pem: credentials.providerCertificatePEM)))
        #expect(certificate.subjectUID == "com.example.app")
        #expect(certificate.teamID == credentials.teamID)
        #expect(certificate.environments == [.production])
        #expect(certificate.topics.prefix(2) == ["com.example.app", "com.example.app.voip"])
    }

    @Test func topicListsSurviveEncodingAndDamage() {
        let long = String(repeating: "x", count: 300)
        let bytes = DER.encode(topics: [("a", "app"), (long, "voip")])
        #expect(DER.topics(bytes) == ["a", long])
        for count in 0..<bytes.count { #expect(DER.topics(Array(bytes.prefix(count))).isEmpty) }
        for position in bytes.indices {
            var damaged = bytes
            damaged[position] ^= 0xFF
            #expect(DER.topics(damaged).count <= 2)
        }
    }

    @Test func onlyKeysOnP256Sign() throws {
        let credentials = try ThrowAwayCredentials()
        #expect(throws: SimulatorError.self) {
            try ProviderKey(pem: credentials.serverCertificatePEM, keyID: "A", teamID: "B")
        }
        #expect(throws: SimulatorError.self) { try ProviderKey(pem: "", keyID: "A", teamID: "B") }
    }
}
