import ArgumentParser
import Foundation
import PushTerminal
import Testing

@testable import pushctl

@Suite("pushctl profiles says what --profile can name") struct ProfilesTests {
    /// A home folder with a file of profiles.
    private func home(_ profiles: String?) throws -> (scratch: Scratch, path: String) {
        let scratch = try Scratch()
        let home = scratch.path
        try FileManager.default.createDirectory(atPath: home + "/.config/pushctl", withIntermediateDirectories: true)
        if let profiles {
            try Data(profiles.utf8).write(to: URL(fileURLWithPath: home + "/.config/pushctl/config.json"))
        }
        return (scratch, home)
    }

    private func list(_ home: String, config: String? = nil) throws -> ProfileList {
        try ProfileList { $0 == "HOME" ? home : $0 == "PUSHCTL_CONFIG" ? config : nil }
    }

    @Test func eachProfileHasALineWithWhatItSets() throws {
        let (scratch, path) = try home(
            """
            {"orders": {"key": "AuthKey_A.p8", "team-id": "T", "timeout": 2.5, "resend-unknown": true, "port": 443,
                        "queue": "redis://worker@host/1", "queue-password-file": "p"}, "empty": {}}
            """)
        let list = try list(path)
        #expect(list.note == nil && list.lines.allSatisfy { $0.problem == nil })
        #expect(
            list.lines.map(\.text) == [
                "empty: sets nothing",
                "orders: port 443, key AuthKey_A.p8, team-id T, timeout 2.5, resend-unknown true, "
                    + "queue redis://worker@host/1, queue-password-file p",
            ])
        let json = try #require(
            JSONSerialization.jsonObject(with: Data(list.lines[1].json)) as? [String: Any])
        #expect(json["profile"] as? String == "orders" && json["default"] as? Bool == false)
        #expect(json["file"] as? String == path + "/.config/pushctl/config.json" && json["problem"] is NSNull)
        let settings = try #require(json["settings"] as? [String: Any])
        #expect(settings["port"] as? Int == 443 && settings["resend-unknown"] as? Bool == true && settings.count == 7)
        _ = scratch
    }

    @Test func theFileOfTheVariableIsTheDefaultAndComesFirst() throws {
        let (scratch, path) = try home(#"{"orders": {"certificate": "c"}}"#)
        let config = path + "/push.json"
        try Data(#"{"topic": "a"}"#.utf8).write(to: URL(fileURLWithPath: config))
        let lines = try list(path, config: config).lines
        #expect(lines.map(\.text) == ["\(config), without --profile: topic a", "orders: certificate c"])
        #expect(String(decoding: lines[0].json, as: UTF8.self).hasPrefix(#"{"profile":null,"file":""#))
        #expect(String(decoding: lines[0].json, as: UTF8.self).contains(#""default":true"#))
        _ = scratch
    }

    @Test func noSecretIsShown() throws {
        let (scratch, path) = try home(
            """
            {"a": {"proxy": "http://me:hunter2@proxy:3128", "headers": {"x-token": "hunter2", "a": "b"}},
             "b": {"queue": "redis://me:hunter2@host"}, "c": {"proxy": "me:hunter2@@:"}, "d": {"proxy": "none"}}
            """)
        let lines = try list(path).lines
        let text = lines.map { $0.text + String(decoding: $0.json, as: UTF8.self) }.joined()
        #expect(!text.contains("hunter2"))
        #expect(lines[0].text.contains("proxy:3128") && lines[0].text.contains("headers a x-token"))
        #expect(lines[1].problem?.contains("b.queue has a password") == true)
        #expect(lines[3].text == "d: proxy none")
        _ = scratch
    }

    @Test func aProfileThatCannotBeUsedSaysWhyAndTheOthersAreListed() throws {
        let (scratch, path) = try home(#"{"broken": {"colour": "red"}, "list": [], "orders": {"topic": "a"}}"#)
        let lines = try list(path).lines
        #expect(lines[0].problem?.contains("broken.colour is not a known name") == true)
        #expect(lines[1].problem?.contains("list must be an object") == true)
        #expect(lines[2].text == "orders: topic a")
        _ = scratch
    }

    @Test func whatIsMissingIsNamed() throws {
        let none = try home(nil)
        let list = try list(none.path)
        #expect(
            list.lines.isEmpty
                && list.note?.contains("\(none.path)/.config/pushctl/config.json would have them") == true)
        let empty = try home("{}")
        #expect(try self.list(empty.path).note?.hasSuffix("has no profile") == true)
        let wrong = try home("[]")
        let error = #expect(throws: CommandError.self) { try self.list(wrong.path) }
        #expect(error?.status == .configuration)
        #expect(throws: CommandError.self) { try ProfileList { _ in nil } }
    }

    @Test func aShellCompletesProfilesAndTheValuesOfFlags() async throws {
        let (scratch, path) = try home(#"{"orders": {"colour": "red"}, "news": {}, "two\nlines": {}}"#)
        for command in [["send"], ["queue", "status"], ["worker"]] {
            let completion = ["---completion"] + command + ["--", "--profile", "1", "0", "--profile", ""]
            let end = try await Program(
                completion, variables: ["HOME=\(path)", "SAP_SHELL=bash", "SAP_SHELL_VERSION=5"]
            ).end()
            #expect(end.status == 0 && end.output == ["news", "orders"], "\(end)")
        }
        for shell in [CompletionShell.bash, .zsh, .fish] {
            let script = Pushctl.completionScript(for: shell)
            for word in ["time-sensitive", "update"] { #expect(script.contains(word), "\(shell): \(word)") }
        }
        _ = scratch
    }
}
