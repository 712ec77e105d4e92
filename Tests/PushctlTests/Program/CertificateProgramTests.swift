import Foundation
import Testing

extension ProgramTests {
    /// Certificates and passwords, as files and in the environment.
    @Suite(.timeLimit(.minutes(5))) struct CertificateProgramTests {
        private static let secret = "Sesam-öffne"

        /// A stage and, in its folder, what the `openssl` command makes of its provider certificate.
        private final class CertificateStage: Sendable {
            let stage: Stage
            /// The flags that lead to the simulator, without a credential and without a topic.
            let endpoint: [String]
            var folder: String { stage.folder }

            init() async throws {
                stage = try await Stage()
                endpoint = Array(stage.connection.prefix(6))
            }

            func make(_ name: String, _ command: String) throws -> String {
                let path = folder + "/" + name
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
                process.currentDirectoryURL = URL(fileURLWithPath: folder + "/credentials")
                var words = command.split(separator: " ").map(String.init)
                words.insert(contentsOf: ["-out", path], at: 1)
                process.arguments = words + ["-passout", "pass:\(CertificateProgramTests.secret)"]
                process.standardError = FileHandle.nullDevice
                try process.run()
                process.waitUntilExit()
                try #require(process.terminationStatus == 0, "\(words)")
                return path
            }

            func p12(_ options: String = "") throws -> String {
                try make("provider.p12", "pkcs12 -export -in provider.pem -inkey provider-key.pem \(options)")
            }

            func passwordFile(_ text: String) throws -> String {
                let path = try stage.file("password", text)
                chmod(path, 0o600)
                return path
            }

            func send(_ flags: [String], _ settings: [String] = []) async throws -> Program.End {
                try await Stage.run(["send", "aabb", "--body", "Boarding"] + endpoint + flags, settings)
            }
        }

        @Test("parity: R3, E6 – a PKCS#12 file with its password from a file, the topic from the certificate")
        func sendTakesAPKCS12File() async throws {
            let stage = try await CertificateStage()
            let password = try stage.passwordFile(Self.secret + "\r\nmore\n")
            for options in ["", "-legacy"] {
                let end = try await stage.send(["--p12", stage.p12(options), "--password-file", password])
                #expect(end.status == 0, "\(options): \(end.errors)")
                #expect(end.errors.isEmpty)
            }
        }

        @Test("parity: E6 – an encrypted key with its password from a file or from the environment")
        func sendTakesAnEncryptedKey() async throws {
            let stage = try await CertificateStage()
            let key = try stage.make("key.pem", "pkcs8 -topk8 -in provider-key.pem")
            let flags = ["--certificate", stage.folder + "/credentials/provider.pem", "--private-key", key]
            let file = try stage.passwordFile(Self.secret)
            #expect(try await stage.send(flags + ["--password-file", file]).status == 0)
            #expect(try await stage.send(flags, ["PUSHCTL_PASSWORD=\(Self.secret)"]).status == 0)
            // The flag wins.
            let both = try await stage.send(flags + ["--password-file", file], ["PUSHCTL_PASSWORD=wrong"])
            #expect(both.status == 0, "\(both.errors)")
            let none = try await stage.send(flags)
            #expect(none.status == 78 && none.errors.last?.contains("encrypted") == true)
        }

        @Test func certificatesThatCannotBeUsedAreSaidOnOneLine() async throws {
            let stage = try await CertificateStage()
            let p12 = try stage.p12()
            let old = try stage.make(
                "old.p12", "pkcs12 -export -in provider.pem -inkey provider-key.pem -legacy")
            let good = "PUSHCTL_PASSWORD=\(Self.secret)"
            let provider = stage.folder + "/credentials/provider.pem"
            let cases: [([String], [String], String)] = [
                (["--p12", p12], [], "Give its password"),
                (["--p12", p12], ["PUSHCTL_PASSWORD=hunter2"], "this password"),
                (["--p12", stage.folder + "/none.p12"], [good], "No such file"),
                (["--p12", provider], [good], "not PKCS#12"),
                (["--p12", p12, "--password-file", stage.folder + "/none"], [good], "No such file"),
                (["--p12", p12, "--password-file", stage.folder], [good], "directory"),
                (["--p12", p12, "--password-file", try stage.passwordFile("hunter2\n")], [good], "this password"),
                (["--p12", old], [good, "OPENSSL_MODULES=/nowhere"], "openssl-provider-legacy"),
                (["--certificate", p12], [good], "--p12"), (["--certificate", provider], [good], "no private key"),
                (
                    ["--certificate", provider, "--private-key", stage.folder + "/credentials/server-key.pem"], [good],
                    "does not belong"
                ),
            ]
            for (flags, settings, words) in cases {
                let end = try await stage.send(flags, settings)
                #expect(end.status == 78, "\(flags): \(end.status)")
                #expect(end.output.isEmpty && end.errors.last?.contains(words) == true, "\(flags): \(end.errors)")
                #expect(end.errors.allSatisfy { $0.hasPrefix("pushctl: ") })
                #expect(end.errors.allSatisfy { !$0.contains("hunter2") && !$0.contains(Self.secret) })
            }
            let long = try stage.passwordFile(String(repeating: "x", count: 5_000))
            let end = try await stage.send(["--p12", p12, "--password-file", long])
            #expect(end.status == 78 && end.errors.last?.contains("4096 bytes") == true)
        }

        @Test("parity: E25 – a configuration file names certificate, password, host and port")
        func sendTakesAConfigurationFile() async throws {
            let stage = try await CertificateStage()
            _ = try stage.p12()
            _ = try stage.passwordFile(Self.secret)
            var members = ["\"p12\": \"provider.p12\"", "\"password-file\": \"password\""]
            for index in stride(from: 0, to: stage.endpoint.count, by: 2) {
                let name = stage.endpoint[index].dropFirst(2)
                let value = stage.endpoint[index + 1]
                members.append(name == "port" ? "\"port\": \(value)" : "\"\(name)\": \"\(value)\"")
            }
            let config = try stage.stage.file("push.json", "{\(members.joined(separator: ", "))}")
            let end = try await Stage.run(["send", "aabb", "--body", "Boarding", "--config", config])
            #expect(end.status == 0 && end.errors.isEmpty, "\(end.errors)")
            let wrong = try stage.stage.file("wrong.json", "{\"p12\": 1}")
            let refused = try await Stage.run(["send", "aabb", "--body", "Boarding", "--config", wrong])
            #expect(refused.status == 78 && refused.errors.last?.contains("wrong.json") == true, "\(refused.errors)")
        }

        @Test func aPasswordFileThatOthersMayReadIsWarnedOf() async throws {
            let stage = try await CertificateStage()
            let password = try stage.passwordFile(Self.secret)
            chmod(password, 0o644)
            let end = try await stage.send(["--p12", stage.p12(), "--password-file", password])
            #expect(end.status == 0)
            #expect(end.errors.count == 1 && end.errors.first?.contains("chmod o=") == true, "\(end.errors)")
        }

        @Test func aPasswordFileThatItsGroupMayReadIsNotWarnedOf() async throws {
            let stage = try await CertificateStage()
            let password = try stage.passwordFile(Self.secret)
            chmod(password, 0o640)
            let end = try await stage.send(["--p12", stage.p12(), "--password-file", password])
            #expect(end.status == 0 && end.errors.isEmpty, "\(end.errors)")
        }
    }
}
