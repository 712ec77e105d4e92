import Foundation
import PushTerminal
import QueueTestSupport
import Testing

extension ProgramTests {
    /// The other commands as processes.
    @Suite(.timeLimit(.minutes(5))) struct OneShotProgramTests {
        @Test func sendPrintsTheAnswerAndTheAdvice() async throws {
            let stage = try await Stage()
            let accepted = try await Stage.run(["send", "aabb", "--body", "Boarding"] + stage.connection)
            #expect(accepted.status == 0)
            #expect(accepted.output.prefix(2) == ["outcome   delivered", "status    200"])
            let rejected = try await Stage.run(["send", "deadbeef", "--body", "Boarding"] + stage.connection)
            #expect(rejected.status == 1)
            #expect(rejected.output.contains("reason    Unregistered"))
            // The simulator's 410 says when it was answered; the test may run at midnight.
            let today = Date().ISO8601Format().prefix(8)
            #expect(rejected.output.contains { $0.hasPrefix("since     \(today)") && $0.hasSuffix(" UTC") })
            #expect(rejected.output.contains { $0.hasPrefix("advice    ") && $0.contains("Remove the device token") })
        }

        @Test func sendTakesACertificateToo() async throws {
            let stage = try await Stage()
            let flags =
                Array(stage.connection.prefix(6)) + [
                    "--certificate", stage.folder + "/credentials/provider.pem",
                    "--private-key", stage.folder + "/credentials/provider-key.pem", "--topic", "com.example.app",
                ]
            let end = try await Stage.run(["send", "aabb", "--body", "Boarding"] + flags)
            #expect(end.status == 0, "\(end.errors)")
        }

        @Test func aPayloadOverTheLimitFailsBeforeItIsSent() async throws {
            let stage = try await Stage()
            let end = try await Stage.run(
                ["send", "aabb", "--body", String(repeating: "a", count: 5000)] + stage.connection)
            #expect(end.status == 1)
            #expect(end.output.contains("reason    payload_too_large"))
            #expect(end.output.contains { $0.contains("4096") })
        }

        @Test func aBodyOverTheLimitIsCutWhereThatIsAskedFor() async throws {
            let stage = try await Stage()
            let body = ["send", "aabb", "--body", String(repeating: "a", count: 5000)]
            #expect(try await Stage.run(body + ["--fit", "truncate-body"] + stage.connection).status == 0)
            // Without our check APNs makes its own.
            let waived = try await Stage.run(body + ["--waive", "payload-size"] + stage.connection)
            #expect(waived.status == 1)
            #expect(waived.output.contains("reason    PayloadTooLarge"))
        }

        @Test(
            "parity: P12 – every push type is delivered",
            arguments: [
                ["--title", "t"], ["--push-type", "background"], ["--push-type", "voip", "--content", "{}"],
                ["--push-type", "complication", "--content", "{}"], ["--push-type", "fileprovider"],
                ["--push-type", "location"], ["--event", "end"],
                ["--push-type", "pushtotalk", "--content", "{}"], ["--push-type", "widgets"],
                ["--push-type", "controls"],
                ["--push-type", "accessory", "--content", Stage.answer],
            ])
        func everyPushType(flags: [String]) async throws {
            let stage = try await Stage()
            let end = try await Stage.run(["send", "aabb"] + flags + stage.connection)
            #expect(end.status == 0, "\(end.output) \(end.errors)")
            #expect(end.output.prefix(2) == ["outcome   delivered", "status    200"])
        }

        @Test func verboseItSaysWhenEachStepWasDoneAndTheFieldsOfTheAnswer() async throws {
            let stage = try await Stage()
            let end = try await Stage.run(["send", "aabb", "--body", "x", "-v"] + stage.connection)
            #expect(end.status == 0, "\(end.output) \(end.errors)")
            let steps = end.errors.filter { $0.hasPrefix("pushctl: after ") }
                .compactMap { $0.components(separatedBy: " ms: ").last }
            #expect(steps.contains("TLS is up") && steps.contains("the answer is 200"), "\(end.errors)")
            #expect(steps.contains { $0.hasPrefix("link 1 to ") && $0.hasSuffix(" is dialed") }, "\(end.errors)")
            #expect(end.errors.contains { $0.hasPrefix("pushctl: apns-id: ") }, "\(end.errors)")
            let quiet = try await Stage.run(["send", "aabb", "--body", "x"] + stage.connection)
            #expect(quiet.errors.isEmpty, "\(quiet.errors)")
        }

        @Test("parity: P12 – an MDM push goes with a certificate, and not with a signing key")
        func anMDMPushNeedsACertificate() async throws {
            let stage = try await Stage()
            let withKey = try await Stage.run(["send", "aabb", "--push-magic", "m"] + stage.connection)
            #expect(withKey.status == 1 && withKey.output.contains("reason    TopicDisallowed"), "\(withKey.output)")
            let certificate =
                stage.connection.prefix(6) + [
                    "--certificate", stage.folder + "/credentials/provider.pem", "--private-key",
                    stage.folder + "/credentials/provider-key.pem",
                ]
            let end = try await Stage.run(["send", "aabb", "--push-magic", "m"] + certificate)
            #expect(end.status == 0, "\(end.output) \(end.errors)")
        }

        @Test func whatNoDeviceShowsIsSaidAndWithStrictNotSent() async throws {
            let stage = try await Stage()
            let push = ["send", "aabb", "--payload", try stage.file("empty.json", #"{"aps":{"alert":""}}"#)]
            let warned = try await Stage.run(push + stage.connection)
            #expect(warned.status == 0)
            #expect(warned.errors.contains { $0.contains("the payload: alert is empty") }, "\(warned.errors)")
            let refused = try await Stage.run(push + ["--strict"] + stage.connection)
            #expect(refused.status == 64 && refused.output.isEmpty)
            #expect(refused.errors.contains { $0.contains("--strict sends nothing then") }, "\(refused.errors)")
        }

        @Test func aRuleOfThePushTypeThatIsBrokenIsNamed() async throws {
            let stage = try await Stage()
            let end = try await Stage.run(
                ["send", "aabb", "--push-type", "background", "--body", "b"] + stage.connection)
            #expect(end.status == 1)
            #expect(end.output.contains { $0.hasPrefix("advice") && $0.contains("waive the rule content") })
            let nevertheless = ["--priority", "10", "--waive", "priority"]
            let waived = try await Stage.run(
                ["send", "aabb", "--push-type", "background"] + nevertheless + stage.connection)
            #expect(waived.status == 0)
        }

        @Test("--waive collapse-id leaves the length of a collapse id to APNs")
        func aLongCollapseIDIsAPNsToRefuse() async throws {
            let stage = try await Stage()
            let push = ["send", "aabb", "--body", "b", "--collapse-id", String(repeating: "c", count: 65)]
            #expect(try await Stage.run(push + stage.connection).status == 64)
            let waived = try await Stage.run(push + ["--waive", "collapse-id"] + stage.connection)
            #expect(waived.status == 1 && waived.output.contains("reason    BadCollapseId"), "\(waived.output)")
        }

        @Test func helpSaysWhichPushTypesNeedNoPayload() async throws {
            let help = try await Stage.run(["send", "--help"]).output.joined(separator: " ")
            let words = help.split(separator: " ").joined(separator: " ")
            for sentence in [
                "background, widgets, controls, location and fileprovider need no flag for their payload",
                "voip, complication and pushtotalk need --content, and accessory,",
                "in place of the other payload flags",
            ] { #expect(words.contains(sentence), "\(sentence)") }
            let broadcast = try await Stage.run(["broadcast", "--help"]).output.joined(separator: " ")
            #expect(broadcast.contains("--fit") && !(help + broadcast).contains("flags below"))
        }

        @Test func keysThatCannotBeUsedAreSaidOnOneLine() async throws {
            let stage = try await Stage()
            let encrypted = try stage.file("encrypted.p8", Fixtures.encryptedKey)
            let otherCurve = try stage.file("curve.p8", Fixtures.otherCurveKey)
            for file in [encrypted, otherCurve] { chmod(file, 0o600) }
            let certificate = stage.folder + "/credentials/server-key.pem"
            for (key, words) in [
                (stage.folder + "/none.p8", "No such file"), (stage.folder, "directory"), (encrypted, "encrypted"),
                (otherCurve, "P-256"), (try stage.file("text.p8", "hello"), "text.p8 can't be used"),
            ] {
                let end = try await Stage.run(
                    ["send", "aabb", "--body", "x", "--key-id", "ABCDE12345"] + stage.connection("--key", key))
                #expect(end.status == 78, "\(key)")
                #expect(end.errors.last?.contains(words) == true && end.output.isEmpty, "\(key): \(end.errors)")
                #expect(end.errors.allSatisfy { $0.hasPrefix("pushctl: ") })
            }
            let own = try await Stage.run(
                [
                    "token", "--key", stage.folder + "/credentials/ca.pem", "--key-id", "ABCDE12345", "--team-id",
                    "ABCDE12345",
                ])
            #expect(own.status == 78 && own.errors.last?.contains("certificate") == true)
            #expect(FileManager.default.fileExists(atPath: certificate))
        }

        @Test func aServerThatIsNotThereOrNotTrustedIsNamedWithTheCause() async throws {
            let stage = try await Stage()
            let down = try await Stage.run(
                ["send", "aabb", "--body", "x", "--timeout", "10"] + stage.connection("--port", "1"))
            #expect(down.status == 69 && down.errors.last?.contains("Connection refused") == true, "\(down.errors)")
            let other = try await Stage()
            let roots = other.folder + "/credentials/ca.pem"
            let untrusted = try await Stage.run(
                ["send", "aabb", "--body", "x", "--timeout", "10"] + stage.connection("--trust-roots", roots))
            #expect(untrusted.status == 69 && untrusted.errors.last?.contains("certificate") == true)
        }

        @Test func aTokenAsACommandOfCurlIsOneCommandThatShowsIt() async throws {
            let stage = try await Stage()
            let token = ["token", "--key", stage.key, "--team-id", "ABCDE12345", "--curl"]
            let end = try await Stage.run(token)
            #expect(end.status == 0 && end.output.first == "curl --http2 \\", "\(end.output) \(end.errors)")
            #expect(end.output.dropLast().allSatisfy { $0.hasSuffix(" \\") })
            #expect(end.output.contains { $0.hasPrefix("  -H 'authorization: bearer ey") })
            #expect(end.output.last?.hasSuffix("/3/device/DEVICE_TOKEN") == true)
            #expect(try await Stage.run(token + ["--json"]).status == 64)
        }

        @Test func tokenPrintsATokenAndItsLimits() async throws {
            let stage = try await Stage()
            let end = try await Stage.run(["token", "--key", stage.key, "--team-id", "ABCDE12345"])
            #expect(end.status == 0)
            #expect(end.output.count == 1 && end.output.first?.split(separator: ".").count == 3)
            #expect(end.errors.map { $0.prefix(8) } == ["issued  ", "renew   ", "expires "])
        }

        @Test("the demo shows everything and adds up, at every size", arguments: [50, 200, 600])
        func theDemoAddsUp(pushes: Int) async throws {
            let end = try await Stage.run(["demo", "--pushes", "\(pushes)", "--json"])
            #expect(end.status == 0, "\(end.errors)")
            #expect(end.output.count == 1 && end.output.first?.contains(#""adds_up":true"#) == true)
            for word in ["connectionUp", "answered after all: 200", "CUT", "reconnecting", "feedback: device"] {
                #expect(end.errors.contains { $0.contains(word) }, "\(word)")
            }
            let line = try #require(end.output.first)
            let facts = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            func count(_ name: String) throws -> Int { try #require(facts[name] as? Int) }
            #expect(try count("pushed") == pushes && count("failed") == 0)
            // Most are accepted, and the cut costs some.
            #expect(try count("delivered") > pushes / 2)
            #expect(try (2...pushes / 4).contains(count("unknown")))
            #expect(try count("feedback") == count("rejected") && count("feedback") > 0)
        }

        @Test func aPushThatHasExpiredIsAUsageError() async throws {
            let stage = try await Stage()
            for command in [["send", "aabb", "--body", "x"], ["broadcast", "dHN0LXNyY2gtY2hubA==", "--event", "end"]] {
                let end = try await Stage.run(command + ["--expiration", "1"] + stage.connection)
                #expect(end.status == 64 && end.output.isEmpty)
                #expect(end.errors.last?.contains("expired 1970-01-01 00:00:01 UTC, before it was sent") == true)
            }
        }

        @Test func theSimulatorFollowsAScriptAndSaysWhatFired() async throws {
            let stage = try await Stage()
            let script = try stage.file(
                "script.json",
                #"""
                {"rules": [{"name": "hiccup", "when": {"overallPush": 1}, "then": {"refuse": "ServiceUnavailable"}},
                           {"when": {"pushTo": "ff"}, "then": "hold"}]}
                """#)
            let scripted = try Program(
                ["simulate", "--credentials", stage.folder + "/credentials", "--script", script])
            let line = try #require(await scripted.line(with: "port"))
            let facts = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let flags = stage.connection("--port", "\(try #require(facts["port"] as? Int))")
            let refused = try await Stage.run(["send", "aabb", "--body", "x"] + flags)
            #expect(refused.output.contains("reason    ServiceUnavailable"), "\(refused)")
            #expect(try await Stage.run(["send", "aabb", "--body", "x"] + flags).status == 0)
            scripted.signal(SIGTERM)
            let end = await scripted.end()
            #expect(end.status == 143)
            #expect(end.errors.suffix(2) == ["pushctl: rule hiccup fired once", "pushctl: rule 2 fired 0 times"])
        }

        @Test func scriptsThatCannotBeUsedAreSaidOnOneLine() async throws {
            let stage = try await Stage()
            let wrong = try stage.file("wrong.json", #"{"rules": [{"when": "push", "then": "explode"}]}"#)
            let end = try await Stage.run(["simulate", "--script", wrong])
            #expect(end.status == 78 && end.output.isEmpty)
            #expect(end.errors.count == 1 && end.errors.first?.hasPrefix("pushctl: \(wrong): rule 1: then ") == true)
            let broken = try stage.file("broken.json", "{")
            #expect(try await Stage.run(["simulate", "--script", broken]).status == 78)
            #expect(try await Stage.run(["simulate", "--script", stage.folder + "/none.json"]).status == 66)
            #expect(try await Stage.run(["simulate", "--script", stage.folder]).status == 66)
        }

        @Test("parity: F11 – the simulator alone says where channels are managed")
        func theSimulatorSaysWhereChannelsAreManaged() async throws {
            let stage = try await Stage()
            let simulator = try Program(["simulate", "--credentials", stage.folder + "/credentials"])
            let line = try #require(await simulator.line(with: "management-port"))
            let facts = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let (port, management) = (
                try #require(facts["port"] as? Int), try #require(facts["management-port"] as? Int)
            )
            #expect(port != management && (1...65535).contains(management))
            simulator.signal(SIGTERM)
            #expect(await simulator.end().status == 143)
            // Not one of those that the system gives to other programs meanwhile.
            let free = try RedisServer.freePort()
            let given = try Program(
                ["simulate", "--credentials", stage.folder + "/credentials", "--management-port", "\(free)"])
            #expect(try #require(await given.line(with: "port")).contains(#""management-port":\#(free)"#))
            let taken = try await Stage.run(["simulate", "--management-port", "\(free)"])
            #expect(taken.status == 69 && taken.output.isEmpty)
            given.signal(SIGTERM)
            _ = await given.end()
            #expect(try await Stage.run(["simulate", "--management-port", "65536"]).status == 64)
            #expect(try await Stage.run(["simulate", "--port", "4711", "--management-port", "4711"]).status == 64)
        }

        @Test func theSimulatorLogsWhatItProcessedAndKeepsItsCredentials() async throws {
            let stage = try await Stage()
            let log = stage.folder + "/log.ndjson"
            let folder = stage.folder + "/credentials"
            let again = try Program(["simulate", "--credentials", folder, "--log", log])
            let line = try #require(await again.line(with: "port"))
            #expect(line.contains(stage.key))
            let facts = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let port = "\(try #require(facts["port"] as? Int))"
            #expect(
                try await Stage.run(["send", "deadbeef", "--body", "x"] + stage.connection("--port", port)).status == 1)
            again.signal(SIGTERM)
            let end = await again.end()
            #expect(end.status == 143)
            #expect(end.errors.last?.contains("1 push processed, 0 accepted, 1 refused") == true)
            let logged = try String(contentsOfFile: log, encoding: .utf8)
            let refused = try await Stage.run(["simulate", "--credentials", folder, "--log", log])
            #expect(refused.status == 64 && refused.errors.last?.contains("--append") == true && refused.output.isEmpty)
            let key = try await Stage.run(["simulate", "--credentials", folder, "--log", stage.key, "--overwrite"])
            #expect(
                key.status == 64
                    && key.errors.last == "pushctl: --log names a file of its credentials; give another file.")
            #expect(try String(contentsOfFile: log, encoding: .utf8) == logged)
            #expect(
                logged.contains(#""token":"deadbeef""#) && logged.contains(#""status":410,"reason":"Unregistered""#))
        }
    }
}

enum Fixtures {
    /// Made for these tests, encrypted with a password nobody needs.
    static let encryptedKey = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjBi3kJFXizBAICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEIlMv+Ww7na18bCDvUd3isEEgZC2
        Nw7HHP97SsYDrk4GfKHINiGIDgoZzmkL9FxO6vGsB2Jj+vL+exJmi4uddKdQY4V5
        GRtP1lUzILdw0g2fLxUYjrXcgfLYmA9BTs4QgsSfxzWr1GK9aVIWkKyU5Tp/c52I
        a+hc5Xig0RUM/LTXKylOOFbnn8gkI9vUBg5lqc1mHkZc79446xvLWyRpsxjzAWs=
        -----END ENCRYPTED PRIVATE KEY-----

        """

    /// Made for these tests, on P-384.
    static let otherCurveKey = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDDoRhXdOIpzUN4LqlDz
        qF9x6wzbHecTHqamOvxTaFpYyw2Ry5gtHme9f/OqFBM4fBKhZANiAARJGoJ+ARnr
        YZeTtcHyBz8kzSW50VjT8pKuxuwymGH4bQzhW/65TAMBCFHe+KX0j7HNIS8CcU/V
        02cwE2dahUnOsjGH8xhSkYl1KkRLCqI0pAVFZBnUx/RE2F7SydnJJTs=
        -----END PRIVATE KEY-----

        """
}
