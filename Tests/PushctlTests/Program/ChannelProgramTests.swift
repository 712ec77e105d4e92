import Foundation
import Testing

extension ProgramTests {
    /// Channels and broadcasts, as processes.
    @Suite("parity: F11 – pushctl channels and broadcast", .timeLimit(.minutes(5))) struct ChannelProgramTests {
        private func management(_ stage: Stage) -> [String] { stage.connection("--port", "\(stage.managementPort)") }

        private func object(_ line: String?) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: Data((line ?? "").utf8)) as? [String: Any])
        }

        @Test func aChannelLivesFromCreateToDelete() async throws {
            let stage = try await Stage()
            let flags = management(stage)
            let created = try await Stage.run(["channels", "create", "--storage", "latest"] + flags)
            #expect(created.status == 0 && created.output.count == 1, "\(created.errors)")
            let id = try #require(created.output.first)
            let second = try object(try await Stage.run(["channels", "create", "--json"] + flags).output.first)
            #expect(second["storage"] as? String == "none")
            let other = try #require(second["channel"] as? String)
            #expect(try await Stage.run(["channels", "list"] + flags).output == [id, other])
            let listed = try await Stage.run(["channels", "list", "--json"] + flags)
            #expect(try listed.output.map { try object($0)["channel"] as? String } == [id, other])
            let read = try await Stage.run(["channels", "read", id] + flags)
            #expect(read.output == ["channel   \(id)", "storage   latest", "push-type liveactivity"])
            let facts = try object(try await Stage.run(["channels", "read", id, "--json"] + flags).output.first)
            #expect(facts["storage"] as? String == "latest" && facts["push_type"] as? String == "liveactivity")

            let payload = try stage.file("update.json", #"{"aps":{"timestamp":1,"event":"update","content-state":{}}}"#)
            let sent = try await Stage.run(
                ["broadcast", id, "--payload", payload, "--expiration", "4000000000"] + stage.connection)
            #expect(sent.status == 0 && sent.output.prefix(2) == ["outcome   delivered", "status    200"])
            #expect(sent.output.contains { $0.hasPrefix("apns-request-id ") })
            let answer = try await Stage.run(["broadcast", other, "--payload", payload, "--json"] + stage.connection)
            let outcome = try object(answer.output.first)
            #expect(outcome["channel"] as? String == other && outcome["outcome"] as? String == "delivered")
            #expect(outcome["token"] == nil && outcome["apns_request_id"] is String)

            let long = ["broadcast", id, "--event", "end", "--body", String(repeating: "a", count: 6_000)]
            let cut = try await Stage.run(long + ["--fit", "truncate-body"] + stage.connection)
            #expect(cut.status == 0 && cut.output.first == "outcome   delivered", "\(cut.output)")
            #expect(try await Stage.run(long + stage.connection).output.contains("reason    payload_too_large"))

            let deleted = try await Stage.run(["channels", "delete", id] + flags)
            #expect(deleted.status == 0 && deleted.output == ["deleted   \(id)"])
            let gone = try await Stage.run(["broadcast", id, "--payload", payload] + stage.connection)
            #expect(gone.status == 1 && gone.output.contains("reason    ChannelNotRegistered"))
            #expect(gone.output.contains { $0.hasPrefix("advice    ") && $0.contains("Remove the channel") })
        }

        @Test func refusalsAndUsageErrorsHaveTheirExitCodes() async throws {
            let stage = try await Stage()
            let flags = management(stage)
            let never = try await Stage.run(["channels", "read", "AAAA"] + flags)
            // Standard output is for a channel's id.
            #expect(never.status == 1 && never.output.isEmpty)
            #expect(never.errors.contains("reason    BadChannelId"), "\(never.errors)")
            let delete = try await Stage.run(["channels", "delete", "AAAA", "--json"] + flags)
            let refusal = try object(delete.output.first)
            #expect(delete.status == 1 && refusal["outcome"] as? String == "rejected")
            #expect(refusal["status"] as? Int == 404 && refusal["reason"] as? String == "BadPath")
            let bad = try await Stage.run(["channels", "read", "no-channel"] + flags)
            #expect(bad.status == 64 && bad.errors.last?.contains("base64") == true && bad.output.isEmpty)
            #expect(try await Stage.run(["channels", "remove"] + flags).status == 64)
            let missing = try await Stage.run(["broadcast", "AAAA", "--payload", "/nowhere.json"] + stage.connection)
            #expect(missing.status == 66)
            let start = try stage.file("start.json", #"{"aps":{"timestamp":1,"event":"start","content-state":{}}}"#)
            let started = try await Stage.run(["broadcast", "AAAA", "--payload", start] + stage.connection)
            #expect(started.status == 1 && started.output.contains("reason    invalid_input"))
            let waived = try await Stage.run(
                ["broadcast", "AAAA", "--payload", start, "--waive", "content"] + stage.connection)
            #expect(waived.status == 1 && waived.output.contains("reason    BadChannelId"))
            let large = try stage.file("large.json", #"{"a":"\#(String(repeating: "x", count: 5_120))"}"#)
            let over = try await Stage.run(["broadcast", "AAAA", "--payload", large] + stage.connection)
            #expect(over.status == 1 && over.output.contains("reason    payload_too_large"))
            let key = try await Stage.run(
                ["channels", "list", "--key-id", "ABCDE12345"] + Array(stage.connection("--key", "/nowhere.p8")))
            #expect(key.status == 78)
            let down = try await Stage.run(["channels", "list", "--timeout", "10"] + stage.connection("--port", "1"))
            #expect(down.status == 69 && down.errors.last?.contains("Connection refused") == true, "\(down.errors)")
            #expect(down.output.isEmpty && down.errors.contains { $0.contains("No link came up") })
            #expect(!down.errors.contains { $0.contains("The push") })
        }

        @Test func aConfigurationFileServesTheCommandsOfTwoWords() async throws {
            let stage = try await Stage()
            var values: [String: Any] = [:]
            let flags = management(stage)
            for index in stride(from: 0, to: flags.count, by: 2) {
                let name = String(flags[index].dropFirst(2))
                values[name] = name == "port" ? stage.managementPort : flags[index + 1]
            }
            let file = try stage.file("push.json", try JSONSerialization.data(withJSONObject: values))
            let end = try await Stage.run(["channels", "create", "--config", file])
            #expect(end.status == 0 && end.output.count == 1, "\(end.errors)")
        }

        @Test func aCredentialThatIsRefusedIs77AndAnUnknownCreation2() async throws {
            let stage = try await Stage(
                script: #"{"rules": [{"when": {"push": 2}, "then": {"cut": "rst"}}]}"#)
            let flags = management(stage)
            // The first request of the connection is the list.
            let unknown = try await Stage.run(["channels", "create", "--json"] + flags)
            let facts = try object(unknown.output.first)
            #expect(unknown.status == 2 && facts["certainty"] as? String == "unknown", "\(unknown.output)")
            #expect((facts["sentence"] as? String)?.contains("may have been created") == true)
            let team = try await Stage.run(
                ["channels", "list"] + management(stage).map { $0 == teamID(stage) ? "ZZZZZ12345" : $0 })
            #expect(team.status == 77, "\(team.output) \(team.errors)")
        }

        @Test func aListThatFailsBeforeACreationIsNoCreation() async throws {
            let stage = try await Stage(
                script: #"{"rules": [{"when": {"push": 1}, "then": {"refuse": "InternalServerError"}}]}"#)
            let end = try await Stage.run(["channels", "create", "--json"] + management(stage))
            let facts = try object(end.output.first)
            #expect(end.status == 1 && facts["outcome"] as? String == "failed", "\(end.output)")
            #expect(facts["certainty"] as? String == "not_sent")
            #expect((facts["sentence"] as? String)?.contains("could not be counted") == true)
        }

        private func teamID(_ stage: Stage) -> String {
            stage.connection.firstIndex(of: "--team-id").map { stage.connection[$0 + 1] } ?? ""
        }

        @Test func helpNamesEveryCommand() async throws {
            let help = try await Stage.run(["channels", "--help"])
            for word in ["create", "read", "delete", "list", "2196"] {
                #expect(help.output.contains { $0.contains(word) }, "\(word)")
            }
            #expect(try await Stage.run(["--help"]).output.contains { $0.contains("broadcast") })
        }
    }
}
