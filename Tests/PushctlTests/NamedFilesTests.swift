import Foundation
import PushCampaign
import PushTerminal
import Testing

@testable import pushctl

/// Which files a command reads, and must not write.
@Suite final class NamedFilesTests {
    private let folder = NSTemporaryDirectory() + "/pushctl-named-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = folder + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func everyFileThatTheFlagsAndTheConfigurationNameIsKnown() throws {
        let names = ["key.p8", "other.p8", "certificate.pem", "private.pem", "p12", "password", "roots.pem"]
        for name in names { _ = try file(name, name) }
        let config = try file(
            "push.json",
            #"{"key": "other.p8", "key-id": "ABC123DEFG", "team-id": "DEF123GHIJ", "trust-roots": "roots.pem"}"#)
        func named(_ flags: [String]) throws -> Set<String> {
            let files = try ConnectionOptions.parsed(flags).files
            return Set(
                (names + ["push.json"]).filter {
                    FileIdentity(at: folder + "/" + $0).flatMap { files.name(of: $0) } != nil
                })
        }
        let token = ["--key", folder + "/key.p8", "--key-id", "K", "--team-id", "T"]
        // The configuration's key is not used, and is a key all the same.
        #expect(try named(token + ["--config", config]) == ["key.p8", "other.p8", "roots.pem", "push.json"])
        #expect(try named(token + ["--trust-roots", folder + "/roots.pem"]) == ["key.p8", "roots.pem"])
        let certificate = ["--certificate", folder + "/certificate.pem", "--private-key", folder + "/private.pem"]
        #expect(
            try named(certificate + ["--password-file", folder + "/password"])
                == ["certificate.pem", "private.pem", "password"])
        #expect(try named(["--p12", folder + "/p12"]) == ["p12"])
    }
}
