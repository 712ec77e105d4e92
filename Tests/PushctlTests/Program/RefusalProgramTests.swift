import Foundation
import PushTerminal
import Testing

@testable import PushCampaign
@testable import pushctl

extension ProgramTests {
    /// Answers that say nothing about the device: a campaign pauses, and no later run takes them for its last word.
    @Suite(.timeLimit(.minutes(5))) struct RefusalProgramTests {
        private func always(_ reason: String, _ more: String = "") -> String {
            #"{"rules": [{"when": "push", \#(more)"then": {"refuse": "\#(reason)"}}]}"#
        }

        private func rows(_ path: String) throws -> [[String]] {
            try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst()
                .map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        }

        @Test(arguments: ["InternalServerError", "TooManyProviderTokenUpdates"])
        func whatIsRefusedForAWhileIsDeliveredAfterAll(_ reason: String) async throws {
            let stage = try await Stage(script: always(reason, #""times": 100, "#))
            let input = try stage.file("input.csv", Stage.tokens(0..<500))
            let end = try await Stage.run(
                ["bulk", input, "--payload", try stage.payload(), "--connections", "2"] + stage.connection)
            #expect(end.status == 0 && end.rows.count == 500, "\(end.errors)")
            #expect(Set(end.rows.map(\.[0])).count == 500 && end.rows.allSatisfy { $0[2] == "delivered" })
            #expect(end.errors.contains { $0.contains(reason) && $0.contains("next probe in 1 s") }, "\(end.errors)")
            #expect(end.errors.contains { $0.hasSuffix("pushctl: APNs accepts pushes again") })
        }

        @Test(arguments: [("BadTopic", Int32(77), "refused the sender"), ("ServiceUnavailable", 69, "did not serve")])
        func whatLastsTooLongEndsWithItsCauseAndTheNextRunPushesIt(
            _ reason: String, _ status: Int32, _ words: String
        ) async throws {
            let stage = try await Stage(script: always(reason))
            let input = try stage.file("input.csv", Stage.tokens(0..<50))
            let (outcomes, journal) = (stage.folder + "/one.csv", stage.folder + "/one.journal")
            let bulk = ["bulk", input, "--payload", try stage.payload(), "--outcomes", outcomes, "--journal", journal]
            let end = try await Stage.run(bulk + ["--max-outage", "10"] + stage.connection)
            #expect(end.status == status, "\(end.errors)")
            #expect(end.errors.contains { $0.contains(words) && $0.contains("for 10 s") }, "\(end.errors)")
            #expect(try rows(outcomes).count == 50)
            #expect(try rows(outcomes).allSatisfy { $0[2] == "rejected" && $0[4] == reason })

            let repaired = try await Stage()
            let skipping = try await Stage.run(
                ["bulk", input, "--payload", try stage.payload(), "--skip-done", outcomes] + repaired.connection)
            #expect(skipping.status == 0 && skipping.rows.count == 50)
            let line = "pushctl: \(outcomes): skipping 0; pushing 50 again: 50 rejected (\(reason) 50)"
            #expect(skipping.errors.contains(line), "\(skipping.errors)")

            let resumed = try await Stage.run(bulk + repaired.connection)
            #expect(resumed.status == 0, "\(resumed.errors)")
            #expect(resumed.errors.contains { $0.contains("Pushing 50 again: 50 rejected (\(reason) 50)") })
            #expect(try rows(outcomes).count == 100 && rows(outcomes).suffix(50).allSatisfy { $0[2] == "delivered" })
            let over = try await Stage.run(bulk + repaired.connection)
            #expect(over.status == 0 && over.output.contains { $0.contains("50") }, "\(over.output)")
            #expect(try rows(outcomes).count == 100)
        }

        @Test func whatIsNamedIsPushedAgainAndNothingElse() async throws {
            let stage = try await Stage()
            let input = try stage.file("input.csv", "token\naa01\naa02\naa03\naa04\naa05\n")
            let csv = try stage.file(
                "one.csv",
                OutcomeRow.columns + "\n2,aa01,delivered,200,,,,1,answered\n"
                    + "3,aa02,rejected,503,ServiceUnavailable,,,1,answered\n"
                    + "4,aa03,rejected,410,Unregistered,,1,1,answered\n5,,unknown,,no_outcome,,,0,unknown\n"
                    + "6,aa05,failed,,not_connected,,,0,not_sent\n")
            let json = try stage.file(
                "one.ndjson",
                #"{"line":5,"token":"","outcome":"unknown","status":null,"reason":"no_outcome"}"# + "\n"
                    + #"{"line":2,"token":"aa01","outcome":"delivered","status":200,"reason":null}"# + "\n"
                    + #"{"records":2,"delivered":1}"# + "\n")
            let bulk = ["bulk", input, "--payload", try stage.payload()] + stage.connection
            for (flags, tokens) in [
                ([csv], ["aa02", "aa05"]), ([csv, "--only", "no_outcome, ServiceUnavailable"], ["aa02", "aa04"]),
                ([csv, "--only", "rejected"], ["aa02", "aa03"]), ([json, "--only", "unknown"], ["aa04"]),
            ] {
                let end = try await Stage.run(bulk + ["--redo"] + flags)
                #expect(end.status == 0 && end.rows.map(\.[1]).sorted() == tokens, "\(flags): \(end.errors)")
            }
            #expect(try await Stage.run(bulk + ["--only", "rejected"]).status == 64)
            #expect(try await Stage.run(bulk + ["--redo", input]).status == 66)
            let put = try await Stage.run(
                ["queue", "put", input, "--body", "x", "--queue", stage.folder + "/pushes.db", "--redo", csv])
            #expect(put.status == 0, "\(put.errors)")
            #expect(put.errors.contains { $0.contains("putting 2 again: 1 rejected (ServiceUnavailable 1), 1 failed") })
            #expect(put.output.contains { $0.contains("tokens") && $0.contains("2") }, "\(put.output)")
        }
    }
}
