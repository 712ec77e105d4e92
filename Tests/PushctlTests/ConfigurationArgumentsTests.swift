import Foundation
import PushTerminal
import Testing

@testable import pushctl

@Suite("parity: E25 – --config: the same names as JSON, flags win") final class ConfigurationArgumentsTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "pushctl-options-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func file(_ text: String) throws -> String {
        let place = folder.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let path = place.appending(path: "push.json")
        try Data(text.utf8).write(to: path)
        return path.path
    }

    private func options(_ arguments: [String]) throws -> ConnectionOptions {
        try ConnectionOptions.parsed(Array(try ConfigurationArguments.expand(["send"] + arguments).dropFirst()))
    }

    @Test func flagsWinOverTheFile() throws {
        let path = try file(
            #"""
            {"key": "/k/AuthKey_ABC123DEFG.p8", "team-id": "DEF123GHIJ", "topic": "com.example.file", "port": 2197,
             "timeout": 2.5, "resend-unknown": true, "connections": "2...8", "retry-status": 4.0}
            """#)
        let plain = try options(["--config", path])
        #expect(plain.key == "/k/AuthKey_ABC123DEFG.p8" && plain.teamID == "DEF123GHIJ" && plain.port == 2_197)
        #expect(plain.timeout.value == 2.5 && plain.resendUnknown && plain.connections.range == 2...8)
        #expect(plain.retryStatus == 4)
        for arguments in [["--port", "8443", "--config", path], ["--config=\(path)", "--port", "8443"]] {
            let own = try options(arguments)
            #expect(own.port == 8_443 && own.topic == "com.example.file")
        }
    }

    @Test func aCredentialAmongTheFlagsTakesThePlaceOfTheFiles() throws {
        let path = try file(#"{"p12": "/p", "password-file": "/w", "topic": "com.example.file"}"#)
        let token = try options(["--config", path, "--key", "/AuthKey_ABC123DEFG.p8", "--team-id", "DEF123GHIJ"])
        #expect(token.key != nil && token.p12 == nil && token.passwordFile == nil && token.topic == "com.example.file")
        let certificate = try options(["--config", path, "--certificate", "/c"])
        #expect(certificate.certificate == "/c" && certificate.p12 == nil && certificate.passwordFile == "/w")
    }

    @Test func whatBelongsToTheFilesCredentialDoesNotStayWithAnother() throws {
        let token = try file(
            #"{"key": "/k/AuthKey_ABC123DEFG.p8", "key-id": "ABC123DEFG", "team-id": "DEF123GHIJ"}"#)
        let otherKey = try options(["--config", token, "--key", "/n/AuthKey_HIJ456KLMN.p8"])
        #expect(otherKey.key == "/n/AuthKey_HIJ456KLMN.p8" && otherKey.keyID == nil && otherKey.teamID == "DEF123GHIJ")
        let named = try options(["--config", token, "--key=/n/key.p8", "--key-id", "HIJ456KLMN", "--team-id", "T"])
        #expect(named.key == "/n/key.p8" && named.keyID == "HIJ456KLMN" && named.teamID == "T")
        let certificate = try file(#"{"certificate": "/c", "private-key": "/c-key", "password-file": "/w"}"#)
        let both = try options(["--config", certificate, "--certificate", "/n"])
        #expect(both.certificate == "/n" && both.privateKey == nil && both.passwordFile == "/w")
        let pair = try options(["--config", certificate, "--certificate", "/n", "--private-key", "/n-key"])
        #expect(pair.certificate == "/n" && pair.privateKey == "/n-key")
    }

    @Test func aCompanionAloneAmongTheFlagsLeavesTheFilesCredential() throws {
        let token = try file(
            #"{"key": "/k/AuthKey_ABC123DEFG.p8", "key-id": "ABC123DEFG", "team-id": "DEF123GHIJ"}"#)
        let key = try options(["--config", token, "--key-id", "HIJ456KLMN"])
        #expect(key.key == "/k/AuthKey_ABC123DEFG.p8" && key.keyID == "HIJ456KLMN" && key.teamID == "DEF123GHIJ")
        let certificate = try file(#"{"certificate": "/c", "private-key": "/c-key"}"#)
        let pair = try options(["--config", certificate, "--private-key", "/n-key"])
        #expect(pair.certificate == "/c" && pair.privateKey == "/n-key")
    }

    @Test func aConfigurationMayStandBeforeTheCommand() throws {
        let path = try file(#"{"certificate": "/c", "topic": "com.example.file"}"#)
        for leading in [["--config", path], ["--config=\(path)"]] {
            let expanded = try ConfigurationArguments.expand(leading + ["send", "aabb"])
            #expect(expanded == ["send", "--certificate=/c", "--topic=com.example.file"] + leading + ["aabb"])
            let two = try ConfigurationArguments.expand(leading + ["channels", "list", "--json"])
            #expect(two.prefix(3) == ["channels", "list", "--certificate=/c"] && two.suffix(1) == ["--json"])
        }
        #expect(try ConfigurationArguments.expand(["--config", path]) == ["--config", path])
    }

    @Test func theVariableNamesTheFileOfCommandsWithoutTheFlag() throws {
        let path = try file(#"{"certificate": "/c", "topic": "com.example.file", "priority": 5}"#)
        let flagged = try file(#"{"certificate": "/flagged"}"#)
        let variable: (String) -> String? = { $0 == "PUSHCTL_CONFIG" ? path : nil }
        #expect(
            try ConfigurationArguments.expand(["send", "aabb"], variable) == [
                "send", "--certificate=/c", "--topic=com.example.file", "--config=\(path)", "aabb",
            ])
        #expect(
            try ConfigurationArguments.expand(["send", "--config", flagged], variable) == [
                "send", "--certificate=/flagged", "--config", flagged,
            ])
        for others in [["demo"], ["simulate", "--", "send"], ["channels"], ["channels", "--help"], ["help", "send"]] {
            #expect(try ConfigurationArguments.expand(others, variable) == others)
        }
        let missing: (String) -> String? = { $0 == "PUSHCTL_CONFIG" ? "/nowhere/push.json" : nil }
        #expect(throws: CommandError.self) { try ConfigurationArguments.expand(["send", "aabb"], missing) }
        #expect(try ConfigurationArguments.expand(["send", "--help"], missing) == ["send", "--help"])
        for queue in [["doctor", "--queue", "q.db"], ["doctor", "--queue=q.db"]] {
            #expect(try ConfigurationArguments.expand(queue, missing) == queue)
        }
        #expect(throws: CommandError.self) { try ConfigurationArguments.expand(["doctor"], missing) }
    }

    @Test(
        "parity: E18 – a proxy's password is refused on the command line, and taken from a file",
        arguments: [
            ["--proxy", "http://me:hunter2@p:1"], ["--proxy=socks5://me:hunter2@p"], ["--proxy", "me:hunter2@p:1"],
            ["--proxy", "http://me:hun/ter2@p:1"], ["--proxy", "ftp://:hunter2@p"],
            ["--proxy", "none", "--proxy", "http://me:hunter2@p:1"],
        ])
    func aProxysPasswordIsNoFlag(flags: [String]) throws {
        for command in [["send", "aabb"], ["bulk", "in.csv"], ["channels", "list"], ["doctor"]] {
            let error = #expect(throws: CommandError.self) { try ConfigurationArguments.expand(command + flags) }
            #expect(error?.status == .usage && error?.message.contains("HTTPS_PROXY") == true)
            #expect(error?.message.contains("ter2") == false)
        }
        for harmless in ["none", "http://p:1", "http://me@p:1", "http://me:@p:1", "socks5://[::1]:1080"] {
            let arguments = ["send", "aabb", "--proxy", harmless]
            #expect(try ConfigurationArguments.expand(arguments) == arguments)
        }
        let path = try file(#"{"certificate": "/c", "proxy": "http://me:hunter2@p:1"}"#)
        #expect(try options(["--config", path]).proxy == "http://me:hunter2@p:1")
    }

    @Test func aProfileIsFoundInTheUsersFolder() throws {
        for inner in [".config/pushctl", "xdg/pushctl"] {
            let inner = folder.appending(path: inner)
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
            let text = #"{"prod": {"certificate": "c.pem"}, "dev": {"certificate": "/d", "environment": "sandbox"}}"#
            try Data(text.utf8).write(to: inner.appending(path: "config.json"))
        }
        func expand(_ profile: String, _ variables: [String: String]) throws -> [String] {
            try ConfigurationArguments.expand(["send", "--profile", profile]) { variables[$0] }
        }
        let home = folder.path
        let flags = ["--profile", "prod"]
        #expect(
            try expand("prod", ["HOME": home]) == ["send", "--certificate=\(home)/.config/pushctl/c.pem"] + flags)
        for xdg in ["\(home)/xdg", "xdg"] {
            let place = xdg == "xdg" ? "\(home)/.config" : xdg
            #expect(
                try expand("prod", ["HOME": home, "XDG_CONFIG_HOME": xdg, "PUSHCTL_CONFIG": "/nowhere"])
                    == ["send", "--certificate=\(place)/pushctl/c.pem"] + flags)
        }
        #expect(try expand("dev", ["HOME": home]).contains("--environment=sandbox"))
        let unknown = #expect(throws: CommandError.self) { try expand("test", ["HOME": home]) }
        #expect(unknown?.status == .configuration && unknown?.message.contains("its profiles are dev, prod") == true)
        #expect(throws: CommandError.self) { try expand("prod", [:]) }
        let both = #expect(throws: CommandError.self) {
            try ConfigurationArguments.expand(["send", "--profile", "prod", "--config", "push.json"]) { _ in nil }
        }
        #expect(both?.status == .usage)
    }

    @Test func tokenTakesWhatItNeeds() throws {
        let path = try file(
            #"{"host": "h", "port": 1, "key": "/AuthKey_ABC123DEFG.p8", "team-id": "T", "topic": "t", "timeout": 1}"#)
        #expect(
            try ConfigurationArguments.expand(["token", "--config", path]) == [
                "token", "--key=/AuthKey_ABC123DEFG.p8", "--team-id=T", "--config", path,
            ])
    }

    @Test func channelsHaveAPortOfTheirOwn() throws {
        let path = try file(#"{"certificate": "/c", "port": 2197, "management-port": 2196}"#)
        let own = try ConfigurationArguments.expand(["channels", "list", "--config", path, "--port", "1"])
        #expect(!own.contains("--management-port=2196"))
        #expect(try options(["--config", path]).managementPort == 2_196)
    }

    @Test func withoutTheFlagNothingChanges() throws {
        let arguments = ["send", "aabb", "--body", "x", "--", "--config", "none"]
        #expect(try ConfigurationArguments.expand(arguments) == arguments)
        #expect(try ConfigurationArguments.expand(["--version"]) == ["--version"])
        #expect(try ConfigurationArguments.expand([]) == [])
    }

    @Test func aFileThatCannotBeUsedIsAConfigurationError() throws {
        let path = try file(#"{"portt": 1}"#)
        for file in [path, "/nowhere/push.json"] {
            let error = #expect(throws: CommandError.self) {
                _ = try ConfigurationArguments.expand(["send", "--config", file])
            }
            #expect(error?.status == .configuration && error?.message.contains(file) == true)
        }
    }
}
