import Foundation
import SupervisedPush
import TestSupport
import Testing

extension ProgramTests {
    #if Server
        /// `pushctl simulate --inbox` and `pushctl inbox`.
        @Suite("pushctl inbox", .timeLimit(.minutes(5))) final class InboxProgramTests {
            private let folder: String

            init() throws {
                folder =
                    URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath().path
                    + "/inbox-\(UUID().uuidString)"
                try FileManager.default.createDirectory(atPath: folder + "/tmp", withIntermediateDirectories: true)
            }

            deinit { try? FileManager.default.removeItem(atPath: folder) }

            private func start(_ arguments: [String]) throws -> Program {
                try Program(arguments, variables: ["TMPDIR=\(folder)/tmp"])
            }

            private func end(_ program: Program) async -> Program.End {
                program.signal(SIGTERM)
                return await program.end()
            }

            private var isTidy: Bool {
                get throws { try FileManager.default.contentsOfDirectory(atPath: folder + "/tmp").isEmpty }
            }

            /// What curl gets; empty if it can't.
            private func get(_ url: String, _ flags: [String] = []) async throws -> String {
                let arguments = ["--silent", "--max-time", "60"] + flags + [url]
                return try await Program(arguments, running: "/usr/bin/curl").end().output.joined(separator: "\n")
            }

            @Test func theLineSaysWhereTheInboxIs() async throws {
                let config = folder + "/push.json"
                let program = try start(["simulate", "--inbox", "127.0.0.1:0", "--write-config", config])
                let line = try #require(await program.line(with: "management-port"))
                let settings = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                let url = try #require(settings["inbox"] as? String)
                #expect(url.hasPrefix("http://127.0.0.1:"))
                // It is a configuration all the same.
                #expect(try await Stage.run(["send", "aabb", "--body", "Boarding", "--config", config]).status == 0)
                #expect(try PushConnection.Configuration(contentsOf: config).host == "localhost")
                let list = try await get(url + "/v1/pushes?token=aabb")
                #expect(list.contains("\"Boarding\""), "\(list)")
                let end = await end(program)
                #expect(end.status == 143 && end.errors.contains { $0.contains("1 push processed, 1 accepted") })
                #expect(try isTidy)
            }

            @Test func aProgramFindsTheInboxInAVariable() async throws {
                let script = #"curl --silent "$PUSHCTL_SIMULATOR_INBOX/livez""#
                let end = try await start(["simulate", "--inbox", "127.0.0.1:0", "--", "bash", "-c", script]).end()
                #expect(end.status == 0 && end.output == ["ok"], "\(end.errors)")
                let own = try await start(["inbox", "--", "bash", "-c", script]).end()
                #expect(
                    own.status == 0 && own.output == ["ok"]
                        && own.errors.contains { $0.contains("the inbox is at http://127.0.0.1:") })
            }

            @Test func whatItPrintsIsEnoughForAPush() async throws {
                let program = try start(["inbox", "--inbox", "127.0.0.1:0"])
                _ = try #require(await program.line(with: "/3/device/aabb"))
                let inbox = try #require(await program.line(with: "Inbox  "))
                let config = try #require(await program.line(with: "PUSHCTL_CONFIG"))
                let path = try #require(config.split(separator: "'").last.map(String.init))
                // Every topic is accepted.
                let sent = try await Stage.run([
                    "send", "aabb", "--body", "x", "--topic", "com.example.mine", "--config", path,
                ])
                #expect(sent.status == 0, "\(sent.errors)")
                let url = try #require(inbox.split(separator: " ").last.map(String.init))
                #expect(try await get(url + "/v1/pushes").contains("com.example.mine"))
                #expect(await end(program).status == 143)
                #expect(try isTidy)
            }

            @Test func aPortThatIsTakenIsAnErrorIfItWasGiven() async throws {
                let first = try start(["inbox"])
                let inbox = try #require(await first.line(with: "Inbox  "))
                let address = try #require(inbox.split(separator: "/").last.map(String.init))
                // Without flags the second one takes other ports.
                let second = try start(["inbox"])
                let other = try #require(await second.line(with: "Inbox  "))
                #expect(other != inbox)
                let refused = try await start(["inbox", "--inbox", address]).end()
                #expect(refused.status == 69)
                let sentence =
                    "The inbox cannot listen on \(address): Address already in use. Choose another address or port."
                #expect(refused.errors.last?.hasSuffix(sentence) == true, "\(refused.errors)")
                #expect(await end(first).status == 143)
                #expect(await end(second).status == 143)
                #expect(try isTidy)
            }

            @Test func aTokenIsAskedForAndNeverShown() async throws {
                let token = folder + "/token"
                try Data("open-sesame\n".utf8).write(to: URL(fileURLWithPath: token))
                let flags = ["--inbox", "127.0.0.1:0", "--inbox-token-file", token, "--inbox-host", "inbox.test"]
                let program = try start(["simulate", "-v"] + flags)
                let line = try #require(await program.line(with: "management-port"))
                let settings = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                let url = try #require(settings?["inbox"] as? String)
                #expect(try await get(url + "/v1/pushes").contains("A token is needed"))
                let shown = ["--header", "Authorization: Bearer open-sesame", "--header", "Host: inbox.test"]
                #expect(try await get(url + "/v1/pushes", shown).contains(#""pushes":[]"#))
                let end = await end(program)
                #expect(!(end.output + end.errors).contains { $0.contains("sesame") })
                let missing = try await start(["inbox", "--inbox-token-file", folder + "/none"]).end()
                #expect(missing.status == 66)
                #expect(try isTidy)
            }

            @Test func aProgramOfAnotherLanguageUsesTheWholeAPI() async throws {
                let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                    .deletingLastPathComponent().deletingLastPathComponent()
                let script = root.appendingPathComponent("scripts/inbox-api.py").path
                let end = try await start(["simulate", "--inbox", "127.0.0.1:0", "--", "python3", script]).end()
                #expect(end.status == 0 && end.errors.contains("OK"), "\(end.errors.joined(separator: "\n"))")
            }
        }
    #else
        /// Without the trait the flags say how to get what they mean.
        @Suite("pushctl without an inbox", .timeLimit(.minutes(5))) struct NoInboxProgramTests {
            @Test(arguments: [["inbox"], ["simulate", "--inbox", "127.0.0.1:0"]])
            func saysHowToGetOne(_ arguments: [String]) async throws {
                let end = try await Stage.run(arguments)
                #expect(end.status == 69 && end.output.isEmpty)
                #expect(end.errors.last?.contains("swift build --traits Server") == true)
            }
        }
    #endif
}
