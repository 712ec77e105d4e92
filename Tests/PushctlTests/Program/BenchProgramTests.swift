import Foundation
import Testing

extension ProgramTests {
    @Suite(.timeLimit(.minutes(5))) struct BenchProgramTests {
        private func object(_ end: Program.End) throws -> [String: Any] {
            let line = try #require(end.output.first, "\(end.errors)")
            return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }

        @Test(arguments: [["--in-flight", "20"], ["--rate", "200"]])
        func aLoadEndsWithItsTimeAndItsFigures(_ load: [String]) async throws {
            let stage = try await Stage()
            let end = try await Stage.run(["bench", "--duration", "0.5", "--json"] + load + stage.connection)
            #expect(end.status == 0, "\(end.errors)")
            let figures = try object(end)
            let pushes = try #require(figures["pushes"] as? Int)
            #expect(pushes > 0 && figures["delivered"] as? Int == pushes)
            #expect((figures["rate"] as? Int == 200) == (load[0] == "--rate"))
            let latencies = try #require(figures["latency_us"] as? [String: Int])
            #expect(Set(latencies.keys) == ["p50", "p90", "p99", "p99.9", "max"])
            #expect((latencies["p50"] ?? .max) <= (latencies["max"] ?? 0))
            let histogram = try #require(figures["histogram_us"] as? [String: Int])
            #expect(histogram.values.reduce(0, +) == pushes)
        }

        @Test func aConfigurationNamesTheServer() async throws {
            let stage = try await Stage()
            var members: [String: Any] = [:]
            for index in stride(from: 0, to: stage.connection.count, by: 2) {
                let value = stage.connection[index + 1]
                members[String(stage.connection[index].dropFirst(2))] = Int(value) ?? value
            }
            let config = try stage.file("push.json", try JSONSerialization.data(withJSONObject: members))
            let end = try await Stage.run(["bench", "--duration", "0.1", "--in-flight", "1", "--config", config])
            #expect(end.status == 0, "\(end.errors)")
        }

        @Test func forAPersonItDraws() async throws {
            let stage = try await Stage()
            let end = try await Stage.run(
                ["bench", "--duration", "0.2", "--in-flight", "5"] + stage.connection, ["LC_ALL=C"])
            #expect(end.status == 0, "\(end.errors)")
            #expect(end.output.first?.contains("5 in flight, 1 connection") == true)
            #expect(end.output.contains { $0.hasPrefix("latency") } && end.output.contains { $0.contains("#") })
            #expect(end.output.allSatisfy { $0.utf8.count <= 60 }, "\(end.output)")
        }

        @Test func rejectionsAreCountedWithTheirReason() async throws {
            let stage = try await Stage()
            let tokens = try stage.file("tokens", "deadbeef\n")
            let end = try await Stage.run(
                ["bench", "--duration", "0.2", "--in-flight", "2", "--tokens", tokens, "--json"] + stage.connection)
            #expect(end.status == 1)
            let figures = try object(end)
            #expect(figures["rejected"] as? Int == figures["pushes"] as? Int)
            #expect((figures["rejected_reasons"] as? [String: Int])?.keys.first == "Unregistered")
        }

        @Test func aSignalEndsItWithTheFiguresSoFar() async throws {
            let stage = try await Stage(
                script: #"{"rules": [{"when": {"push": 1}, "on": {"connection": 1}, "then": {"cut": "rst"}}]}"#)
            let program = try Program(["bench", "--duration", "600", "--in-flight", "1", "--json"] + stage.connection)
            // Now it is up, for the second time.
            #expect(await program.line(with: "pushctl: connected to") != nil)
            program.signal(SIGINT)
            let end = await program.end()
            #expect(end.status == 130)
            #expect(try object(end)["pushes"] != nil)
        }

        @Test func aServerThatIsDownIsNotWaitedForLongerThanAllowed() async throws {
            let stage = try await Stage()
            let end = try await Stage.run(
                ["bench", "--duration", "1", "--max-outage", "0.5"] + stage.connection("--port", "1"))
            #expect(end.status == 69 && end.output.isEmpty)
            #expect(end.errors.last?.contains("localhost:1 could not be reached") == true)
        }
    }
}
