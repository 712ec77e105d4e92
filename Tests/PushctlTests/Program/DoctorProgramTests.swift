import Foundation
import Testing

extension ProgramTests {
    /// `pushctl doctor` against servers that misbehave: each is to be blamed on the layer it breaks.
    @Suite(.timeLimit(.minutes(5))) struct DoctorProgramTests {
        private struct Line: Decodable {
            let layer: String
            let verdict: String
            let milliseconds: Double?
            let detail: String
            let advice: String?
            let firstFailure: String?
            let exitStatus: Int32?
        }

        private struct Finding {
            let status: Int32
            let lines: [Line]
            let end: Program.End
            var failure: String? { lines.last?.firstFailure }
            /// Detail and advice of the layer that fails, in one.
            var words: String {
                lines.filter { $0.verdict == "fail" }.map { "\($0.detail) \($0.advice ?? "")" }.joined(separator: " ")
            }
        }

        private static let layers = [
            "resolve", "connect", "proxy", "tls", "alpn", "settings", "clock", "credential", "topic", "push",
        ]

        private func examine(_ flags: [String], _ settings: [String] = []) async throws -> Finding {
            let end = try await Stage.run(["doctor", "--json"] + flags, settings)
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let lines = try end.output.map { try decoder.decode(Line.self, from: Data($0.utf8)) }
            #expect(lines.map(\.layer) == Self.layers + ["overall"], "\(end)")
            #expect(lines.last?.exitStatus == end.status)
            return Finding(status: end.status, lines: lines, end: end)
        }

        private func certificate(_ stage: Stage, topic: String = "com.example.app") -> [String] {
            Array(stage.connection.prefix(6)) + [
                "--certificate", stage.folder + "/credentials/provider.pem",
                "--private-key", stage.folder + "/credentials/provider-key.pem", "--topic", topic,
            ]
        }

        private func tls(_ fault: String) -> String {
            #"{"rules": [{"when": "connecting", "then": {"tls": "\#(fault)"}}]}"#
        }

        @Test func whereAllIsWellEveryLayerSaysSo() async throws {
            let stage = try await Stage()
            for flags in [stage.connection, certificate(stage)] {
                let finding = try await examine(flags)
                #expect(finding.status == 0 && finding.failure == nil, "\(finding.end)")
                let skipped = finding.lines.filter { $0.verdict == "skipped" }.map(\.layer)
                // The machine may say that its clock is right.
                #expect(skipped.filter { $0 != "clock" } == ["proxy"])
                #expect(finding.end.errors.isEmpty)
                #expect(finding.lines[1].detail.contains("IPv4 127.0.0.1 connected"))
                #expect(finding.lines[3].detail.contains("certificate /CN=localhost, issued by /CN="))
                #expect(finding.lines[9].detail.contains("BadDeviceToken"))
                #expect(finding.lines.dropLast().allSatisfy { ($0.milliseconds ?? 0) >= 0 })
            }
        }

        @Test func aPersonReadsALineALayerAndASummary() async throws {
            let stage = try await Stage()
            let end = try await Stage.run(["doctor"] + stage.connection)
            #expect(end.status == 0)
            #expect(end.output.first?.contains("nothing is delivered") == true)
            #expect(end.output.dropFirst().prefix(10).map { $0.prefix { $0 != " " } } == Self.layers.map { $0[...] })
            #expect(end.output.last == "All is well: link, credential and topic are accepted.")
        }

        @Test func withoutACredentialTheNetworkIsTested() async throws {
            let stage = try await Stage()
            let finding = try await examine(Array(stage.connection.prefix(6)))
            #expect(finding.status == 0 && finding.failure == nil, "\(finding.end)")
            #expect(finding.lines[5].verdict == "ok" && finding.lines[7].detail == "none was given")
            #expect(finding.lines.last?.detail.contains("Without a credential") == true)
            let down = try await examine(["--host", Stage.nowhere])
            #expect(down.status == 69 && down.failure == "resolve")
            // Half of one is a mistake.
            let half = try await Stage.run(["doctor", "--team-id", "ABCDE12345"])
            #expect(half.status == 64 && half.errors.first?.contains("No credential") == true)
        }

        @Test func everyLayerIsSaidOnceItIsDecided() async throws {
            let stage = try await Stage()
            let silent = try SilentListener()
            let flags = stage.connection("--port", "\(silent.port)") + ["--connect-timeout", "100"]
            let program = try Program(["doctor"] + flags)
            // The first to try the address, the second for TLS, which is never answered.
            await silent.connections(2)
            #expect(await program.line(with: "connect    ok") != nil)
            program.signal(SIGINT)
            let end = await program.end()
            #expect(end.status == 130 && end.output.contains { $0.hasPrefix("tls        skipped") })
        }

        @Test func whatFailsIsSaidOnceAndWhatFollowsIsOneLine() async throws {
            let stage = try await Stage()
            let end = try await Stage.run(
                ["doctor", "--host", Stage.nowhere] + Array(stage.connection("--key", "/nowhere/k.p8").dropFirst(2))
                    + ["--key-id", "ABCDE12345"])
            #expect(end.status == 78)
            #expect(end.output.count { $0.contains("\(Stage.nowhere) has no address") } == 1)
            #expect(end.output.contains("not tested: connect, proxy, tls, alpn, settings, clock, topic, push"))
            #expect(end.output.contains { $0.hasPrefix("Apart from that, credential fails.") })
        }

        @Test func aProxyForThisMachineIsPassedByAndSaidToBe() async throws {
            let stage = try await Stage()
            let finding = try await examine(stage.connection + ["--proxy", "http://localhost:1"])
            #expect(finding.status == 0 && finding.lines[2].detail.contains("because localhost is this machine"))
        }

        @Test func aPortWithoutAListenerIsConnects() async throws {
            let stage = try await Stage()
            let finding = try await examine(stage.connection("--port", "1"))
            #expect(finding.status == 69 && finding.failure == "connect")
            #expect(finding.words.contains("IPv4 127.0.0.1 refused"))
        }

        @Test func aHostWithoutAnAddressIsResolves() async throws {
            let stage = try await Stage()
            let finding = try await examine(stage.connection("--host", Stage.nowhere))
            #expect(finding.status == 69 && finding.failure == "resolve")
            #expect(finding.words.contains("\(Stage.nowhere) has no address"))
        }

        @Test func anAuthorityThatIsNotTrustedIsTLSsAndNamed() async throws {
            let stage = try await Stage()
            let other = try await Stage()
            let finding = try await examine(
                stage.connection("--trust-roots", other.folder + "/credentials/ca.pem"))
            #expect(finding.status == 69 && finding.failure == "tls")
            #expect(finding.words.contains("issuer /CN=Throw-away push authority"))
        }

        @Test(arguments: [
            ("wrongHost", "tls", "leads to another server"),
            ("expiredCertificate", "tls", "This machine's clock says "), ("untrustedAuthority", "tls", "issuer"),
            ("noALPN", "alpn", "HTTP/1.1"),
        ])
        func aServerWhoseTLSIsWrongIsSaidToBe(_ fault: String, _ layer: String, _ words: String) async throws {
            let stage = try await Stage(script: tls(fault))
            let finding = try await examine(stage.connection)
            #expect(finding.status == 69 && finding.failure == layer)
            #expect(finding.words.contains(words), "\(finding.words)")
        }

        @Test func aServerThatSpeaksNoTLSIsTLSs() async throws {
            let script = #"{"rules": [{"when": "connecting", "then": "plainText"}]}"#
            let stage = try await Stage(script: script)
            let finding = try await examine(stage.connection)
            #expect(finding.status == 69 && finding.failure == "tls")
        }

        @Test func aServerThatSaysNothingIsNotWaitedForLongerThanAllowed() async throws {
            let script = #"{"rules": [{"when": "connecting", "then": "deafen"}]}"#
            let stage = try await Stage(script: script)
            let finding = try await examine(stage.connection + ["--connect-timeout", "5"])
            #expect(finding.status == 69 && finding.failure == "tls")
            #expect(finding.words.contains("in time"))
        }

        @Test func aServerThatSpeaksNoHTTP2AfterTLSIsSettings() async throws {
            let script = #"{"rules": [{"when": "connected", "then": "deafen"}]}"#
            let stage = try await Stage(script: script)
            let finding = try await examine(stage.connection + ["--connect-timeout", "5"])
            #expect(finding.status == 69 && finding.failure == "settings", "\(finding.end)")
            #expect(finding.lines[3...4].allSatisfy { $0.verdict == "ok" })
        }

        @Test func aLinkThatBreaksUnderThePushIsThePushsWithTheCause() async throws {
            let script = #"{"rules": [{"when": "connected", "then": {"brokenFrame": "settingsOfFiveBytes"}}]}"#
            let stage = try await Stage(script: script)
            let finding = try await examine(stage.connection + ["--timeout", "5"])
            #expect([1, 2].contains(finding.status) && finding.failure == "push", "\(finding.end)")
            #expect(finding.words.contains("link was lost"))
        }

        @Test func aServerThatSpeaksHTTP1AfterAllIsSaidTo() async throws {
            let script = #"{"rules": [{"when": "connected", "then": {"brokenFrame": "http1Text"}}]}"#
            let stage = try await Stage(script: script)
            let finding = try await examine(stage.connection + ["--timeout", "5"])
            #expect(finding.words.contains("agreed on HTTP/2 and speaks HTTP/1"), "\(finding.words)")
        }

        @Test func anotherTeamsKeyIsTheCredentials() async throws {
            let stage = try await Stage()
            let finding = try await examine(stage.connection("--team-id", "AAAAAAAAAA"))
            #expect(finding.status == 77 && finding.failure == "credential")
            #expect(finding.words.contains("InvalidProviderToken"))
        }

        @Test func aCertificateThatTheServerRefusesIsTheCredentials() async throws {
            let stage = try await Stage(script: tls("refusedClientCertificate"))
            let finding = try await examine(certificate(stage))
            #expect(finding.status == 77 && finding.failure == "credential", "\(finding.end)")
            #expect(finding.end.errors.isEmpty)
            // The server itself is fine: that was seen without showing it the certificate.
            #expect(finding.lines[3].verdict == "ok" && finding.lines[4].verdict == "ok")
        }

        @Test func filesThatCannotBeUsedAreTheCredentialsAndAllBeforeIsLookedAt() async throws {
            let stage = try await Stage()
            let text = try stage.file("text.p8", "hello")
            for key in [stage.folder + "/none.p8", text] {
                let finding = try await examine(stage.connection("--key", key) + ["--key-id", "ABCDE12345"])
                #expect(finding.status == 78 && finding.failure == "credential")
                #expect(finding.lines[0...4].filter { $0.verdict == "ok" }.count == 4)
                #expect(finding.lines[5].verdict == "skipped")
            }
            let password = ["--password-file", stage.folder + "/none"]
            let finding = try await examine(certificate(stage) + password)
            #expect(finding.status == 78 && finding.failure == "credential")
        }

        @Test func trustRootsThatCannotBeReadAreTLSs() async throws {
            let stage = try await Stage()
            let finding = try await examine(stage.connection("--trust-roots", stage.folder + "/none.pem"))
            #expect(finding.status == 78 && finding.failure == "tls")
        }

        @Test func aTopicThatTheCertificateDoesNotCoverIsTheTopics() async throws {
            let stage = try await Stage()
            let finding = try await examine(certificate(stage, topic: "com.example.other"))
            #expect(finding.status == 1 && finding.failure == "topic", "\(finding.end)")
            #expect(finding.words.contains("--topic"))
            let bad = try await examine(stage.connection("--topic", "no/topic!"))
            #expect(bad.status == 1 && bad.failure == "topic" && bad.words.contains("400 BadTopic"), "\(bad.end)")
        }

        @Test func aProxyThatRefusesIsTheProxysAndItsPasswordIsNotShown() async throws {
            // It answers CONNECT with 400.
            let script = #"{"rules": [{"when": "connecting", "then": "plainText"}]}"#
            let stage = try await Stage(script: script)
            let port = try #require(stage.connection.dropFirst(3).first)
            let flags = stage.connection("--host", Stage.nowhere)
            let finding = try await examine(flags, ["HTTPS_PROXY=http://me:hunter2@127.0.0.1:\(port)"])
            #expect(finding.status == 69 && finding.failure == "proxy", "\(finding.end)")
            #expect(finding.lines[1].verdict == "ok")
            #expect(finding.lines[1].detail.contains("the proxy http://…@127.0.0.1"))
            let nobody = try await examine(flags, ["HTTPS_PROXY=http://me:hunter2@127.0.0.1:1"])
            #expect(nobody.status == 69 && nobody.failure == "connect")
            for end in [finding.end, nobody.end] {
                #expect(!(end.output + end.errors).contains { $0.contains("hunter2") })
            }
        }

        @Test func aPushThatIsNeverAnsweredIsUnknown() async throws {
            let stage = try await Stage(script: #"{"rules": [{"when": {"push": 1}, "then": "mute"}]}"#)
            let finding = try await examine(stage.connection + ["--timeout", "5"])
            #expect(finding.status == 2 && finding.failure == "push", "\(finding.end)")
        }

        @Test(arguments: [(SIGINT, 130, "SIGINT"), (SIGTERM, 143, "SIGTERM")])
        func aSignalEndsTheWalkWithWhatIsKnown(_ signal: Int32, _ status: Int32, _ name: String) async throws {
            let stage = try await Stage()
            let silent = try SilentListener()
            let flags = stage.connection("--port", "\(silent.port)") + ["--connect-timeout", "100"]
            let program = try Program(["doctor", "--json"] + flags)
            // The first to try the address, the second for TLS.
            await silent.connections(2)
            program.signal(signal)
            let end = await program.end()
            #expect(end.status == status && end.output.count == 11, "\(end)")
            #expect(end.output[1].contains(#""verdict":"ok""#))
            #expect(end.output[3].contains(#""detail":"stopped by \#(name)""#))
        }

        @Test func flagsThatMakeNoSenseAreAUsageError() async throws {
            let stage = try await Stage()
            let end = try await Stage.run(["doctor"] + stage.connection.dropLast(2))
            #expect(end.status == 64 && end.output.isEmpty && end.errors.count == 1)
            let help = try await Stage.run(["doctor", "--help"])
            #expect(help.status == 0 && help.output.joined(separator: " ").contains("nothing is delivered"))
        }
    }
}
