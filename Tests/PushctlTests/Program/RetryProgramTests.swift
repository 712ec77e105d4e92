import Foundation
import Testing

extension ProgramTests {
    /// `--resend-unknown` and `--retry-status` as a script meets them.
    @Suite(.timeLimit(.minutes(5))) struct RetryProgramTests {
        /// A hundred pushes, of which the link takes some into the grave: the 50th breaks it.
        private static let cut =
            #"{"rules": [{"when": {"push": 50}, "on": {"connection": 1}, "then": {"cut": "rst"}, "times": 1}]}"#

        private func bulk(_ stage: Stage, _ flags: [String]) async throws -> Program.End {
            let input = try stage.file("input.csv", Stage.tokens(0..<100))
            return try await Stage.run(
                ["bulk", input, "--payload", try stage.payload()] + flags + stage.connection)
        }

        @Test func unknownRowsAreWhatALostLinkLeavesBehind() async throws {
            let end = try await bulk(try await Stage(script: Self.cut), [])
            #expect(end.rows.count == 100 && end.status == 2)
            let unknown = end.rows.filter { $0[2] == "unknown" }
            #expect(!unknown.isEmpty)
            #expect(unknown.allSatisfy { $0[4] == "connection_lost" && $0[7] == "1" && $0[8] == "unknown" })
            #expect(end.rows.filter { $0[2] == "delivered" }.count == 100 - unknown.count)
        }

        @Test func withResendUnknownTheyGoAgainAndTheRowCountsTheAttempts() async throws {
            let end = try await bulk(try await Stage(script: Self.cut), ["--resend-unknown"])
            #expect(end.status == 0)
            #expect(end.rows.count == 100 && end.rows.allSatisfy { $0[2] == "delivered" })
            #expect(end.rows.contains { $0[7] == "2" })
        }

        @Test func anUnknownAttemptThatIsNeverAnsweredIsTheRow() async throws {
            // The link breaks, and no other is let in: the push waits for one until the outage has lasted too long.
            let script =
                #"{"rules": [{"when": {"push": 1}, "then": {"cut": "rst"}}, "#
                + #"{"when": "connecting", "on": {"after": 1}, "then": {"cut": "rst"}}]}"#
            let stage = try await Stage(script: script)
            let input = try stage.file("input.csv", Stage.tokens(0..<1))
            let end = try await Stage.run(
                ["bulk", input, "--payload", try stage.payload(), "--resend-unknown", "--max-outage", "10"]
                    + ["--timeout", "100"] + stage.connection)
            #expect(end.rows.count == 1)
            #expect(end.rows.first?[2] == "unknown" && end.rows.first?[4] == "connection_lost")
            #expect(end.rows.first?[8] == "unknown")
        }

        @Test func withRetryStatusAHiccupIsNoRejection() async throws {
            let script = #"{"rules": [{"when": "push", "times": 1, "then": {"refuse": "ServiceUnavailable"}}]}"#
            let send = ["send", "aabb", "--body", "Boarding", "--json"]
            let without = try await Stage(script: script)
            let rejected = try await Stage.run(send + without.connection)
            #expect(rejected.status == 1 && rejected.output.first?.contains(#""status":503"#) == true)
            let with = try await Stage(script: script)
            let accepted = try await Stage.run(send + ["--retry-status", "2"] + with.connection)
            #expect(accepted.status == 0)
            #expect(accepted.output.first?.contains(#""outcome":"delivered""#) == true)
            #expect(accepted.output.first?.contains(#""attempts":2"#) == true)
        }

        @Test func aFewFailuresInABurstAreAllRetried() async throws {
            // The rejections of a burst arrive behind all acceptances, in a row.
            let script = #"{"rules": [{"when": {"everyPush": 20}, "then": {"refuse": "ServiceUnavailable"}}]}"#
            let stage = try await Stage(script: script)
            let input = try stage.file("input.csv", Stage.tokens(0..<1_000))
            let end = try await Stage.run(
                ["bulk", input, "--payload", try stage.payload(), "--retry-status", "5"] + stage.connection)
            #expect(end.status == 0 && end.rows.count == 1_000, "\(end.errors)")
            #expect(end.rows.allSatisfy { $0[2] == "delivered" } && end.rows.count { $0[7] == "2" } >= 40)
            #expect(!end.errors.contains { $0.contains("not retried") })
        }

        @Test func whatTheBreakerHoldsBackStandsInTheSummary() async throws {
            let script = #"{"rules": [{"when": "push", "then": {"refuse": "ServiceUnavailable"}}]}"#
            let end = try await bulk(try await Stage(script: script), ["--retry-status", "5", "--no-resend-refused"])
            #expect(end.status == 1 && end.rows.count == 100)
            func count(_ cause: String) -> Int {
                let line = end.errors.first { $0.hasSuffix(" not retried: \(cause)") }
                return line.flatMap { Int($0.prefix { $0 != " " }) } ?? 0
            }
            let stopped = count("APNs failed too often, so retries stopped for 30 s.")
            let over = count("the retry budget, a tenth of the pushes, was used up.")
            // Ten, a tenth of the hundred, and one a second are granted. When those go out again, half a second later, APNs has failed too
            // often. Answers that come after that count as stopped, too.
            #expect(stopped >= 20 && over > 0 && stopped + over == 100, "\(end.errors)")
        }

        @Test func anImpossibleNumberOfRetriesIsAUsageError() async throws {
            let stage = try await Stage()
            let end = try await Stage.run(
                ["send", "aabb", "--body", "Boarding", "--retry-status", "20"] + stage.connection)
            #expect(end.status == 64)
        }
    }
}
