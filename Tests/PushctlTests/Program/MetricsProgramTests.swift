import Foundation
import Testing

extension ProgramTests {
    /// `pushctl metrics` against `pushctl simulate --metrics-port`, as processes.
    @Suite("parity: F27 – pushctl metrics against the simulator", .timeLimit(.minutes(5))) struct MetricsProgramTests {
        private static let token = "simulated-management-token"

        private func metrics(_ stage: Stage, _ words: [String], token: String = Self.token) async throws -> Program.End
        {
            try await Stage.run(["metrics"] + words + stage.metrics, ["PUSHCTL_MANAGEMENT_TOKEN=\(token)"])
        }

        @Test func whatWasPushedIsInTheReport() async throws {
            let stage = try await Stage(
                script: #"{"metrics": {"polls": 0}, "rules": []}"#, flags: ["--metrics-port", "0"])
            let file = try stage.file(
                "tokens.csv", Stage.tokens(0..<3) + String(repeating: "deadbeef", count: 8) + "\n")
            let rows = stage.folder + "/rows.csv"
            let bulk = try await Stage.run(
                [
                    "bulk", file, "--payload", try stage.payload(), "--outcomes", rows, "--journal",
                    stage.folder + "/journal",
                ]
                    + stage.connection)
            #expect(bulk.status == 1)
            let end = try await metrics(stage, ["delivery", "--outcomes", rows])
            #expect(end.status == 0 && end.output.count == 4, "\(end.errors)")
            #expect(end.output[0].hasPrefix("Push Type") && end.output[1].hasPrefix("alert       delivered"))
            #expect(end.output[2] == "sums   3 delivered")
            #expect(end.output[3].hasPrefix("ours   3 accepted, 1 rejected (Unregistered 1), all of "))

            let json = try await metrics(stage, ["delivery", "--json", "--journal", stage.folder + "/journal"])
            #expect(json.output.first?.contains(#""push_type":"alert","status":"delivered""#) == true, "\(json.errors)")
            #expect(json.output.last?.contains(#""accepted":3,"rejected":1,"failed":0,"unknown":0"#) == true)
            let csv = try await metrics(stage, ["delivery", "--csv", "--outcomes", rows])
            #expect(csv.output.first == "Push Type,Status,Date (UTC),Count" && csv.output.count == 2)
            #expect(csv.errors.last?.hasPrefix("ours   3 accepted") == true)
        }

        @Test func broadcastsAreCountedForTheAppAndForAChannel() async throws {
            let stage = try await Stage(
                script: #"{"metrics": {"polls": 0}, "rules": []}"#, flags: ["--metrics-port", "0"])
            let management = stage.connection("--port", "\(stage.managementPort)")
            let channel = try #require(try await Stage.run(["channels", "create"] + management).output.first)
            let sent = try await Stage.run(
                ["broadcast", channel, "--event", "update", "--content-state", "{}"] + stage.connection)
            #expect(sent.status == 0)
            let app = try await metrics(stage, ["broadcast", "--csv"])
            #expect(app.output.count == 8 && app.output.last?.hasSuffix(",1,1000,1000,1000") == true, "\(app.errors)")
            let one = try await metrics(stage, ["channel", channel, "--csv"])
            #expect(one.output.count == 8 && one.output.last?.hasSuffix(",1,1000,1000") == true, "\(one.errors)")
        }

        @Test func theTokenComesFromAFileAndIsInNoOutput() async throws {
            let stage = try await Stage(
                script: #"{"metrics": {"polls": 0}, "rules": []}"#, flags: ["--metrics-port", "0"])
            let file = try stage.file("token.txt", "\u{FEFF}\(Self.token)\r\nmore\n")
            chmod(file, 0o644)
            let end = try await metrics(stage, ["delivery", "--management-token-file", file], token: "a-wrong-token")
            #expect(end.status == 0, "\(end.errors)")
            #expect(end.errors.contains { $0.contains("chmod o=") })
            let wrong = try await metrics(stage, ["delivery"], token: "a-wrong-token")
            #expect(wrong.status == 77 && wrong.output.isEmpty)
            #expect(
                !(end.errors + end.output + wrong.errors).contains {
                    $0.contains("management-token") || $0.contains("a-wrong")
                })
            let none = try await Stage.run(["metrics", "delivery"] + stage.metrics)
            #expect(none.status == 64 && none.errors.last?.contains("PUSHCTL_MANAGEMENT_TOKEN") == true)
        }

        @Test func aReportThatIsNeverReadyAndAServerThatIsDownEndWith69() async throws {
            let stage = try await Stage(
                script: #"{"metrics": {"failure": "neverFinished"}, "rules": []}"#, flags: ["--metrics-port", "0"])
            let never = try await metrics(stage, ["delivery", "--max-wait", "5"])
            #expect(never.status == 69 && never.errors.last?.contains("was not ready") == true, "\(never.errors)")
            let endless = try Program(
                ["metrics", "delivery"] + stage.metrics, variables: ["PUSHCTL_MANAGEMENT_TOKEN=\(Self.token)"])
            #expect(await endless.line(with: "is being made") != nil)
            endless.signal(SIGTERM)
            #expect(await endless.end().status == 143)
            stage.simulator.signal(SIGTERM)
            _ = await stage.simulator.end()
            #expect(try await metrics(stage, ["delivery"]).status == 69)
        }

        @Test func aProgramOfTheSimulatorFindsItsExportAndItsToken() async throws {
            let command = "exec \"$0\" metrics delivery --csv --metrics-host \"$PUSHCTL_SIMULATOR_METRICS_HOST\""
            let end = try await Stage.run(
                ["simulate", "--metrics-port", "0", "--", "/bin/sh", "-c", command, Program.binary],
                ["PUSHCTL_MANAGEMENT_TOKEN=of-an-account"])
            #expect(end.status == 0 && end.output == ["Push Type,Status,Date (UTC),Count"], "\(end.errors)")
        }

        @Test func aScriptForAnExportNeedsItsPort() async throws {
            let folder = NSTemporaryDirectory() + "/metrics-\(UUID().uuidString).json"
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try Data(#"{"metrics": {"polls": 2}, "rules": []}"#.utf8).write(to: URL(fileURLWithPath: folder))
            let end = try await Stage.run(["simulate", "--script", folder, "--", "true"])
            #expect(end.status == 64 && end.errors.last?.contains("--metrics-port") == true, "\(end.errors)")
        }
    }
}
