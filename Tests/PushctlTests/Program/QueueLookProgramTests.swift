import Foundation
import PushQueue
import SupervisedPush
import TestSupport
import Testing

extension ProgramTests {
    /// `queue outcomes` with its filters and its position file, `queue find` and `queue report`.
    @Suite(.timeLimit(.minutes(5))) struct QueueLookProgramTests {
        /// A queue with 40 outcomes of the campaign spring, and two without a campaign, one of which is a rejection.
        private static func pushed() async throws -> QueueStage {
            let stage = try await QueueStage()
            #expect(try await stage.put(40, ["--campaign", "spring"]).status == 0)
            let more = try stage.stage.file("more.csv", "token\ndeadbeef\n\(String(repeating: "ab", count: 32))\n")
            #expect(try await Stage.run(["queue", "put", more, "--title", "Hello"] + stage.queue).status == 0)
            let worker = try stage.worker()
            try await stage.outcomes(42)
            worker.signal(SIGTERM)
            _ = await worker.end()
            return stage
        }

        private static func rows(_ stage: QueueStage, _ flags: [String]) async throws -> [QueueOutcome] {
            let list = try await Stage.run(["queue", "outcomes", "--json"] + stage.queue + flags)
            #expect(list.status == 0, "\(list.errors)")
            return try list.output.map { try JSONDecoder().decode(QueueOutcome.self, from: Data($0.utf8)) }
        }

        @Test func flagsChooseOutcomesAndMarkNoneAsRead() async throws {
            let stage = try await Self.pushed()
            let spring = try await Self.rows(stage, ["--campaign", "spring"])
            #expect(spring.count == 40 && spring.allSatisfy { $0.campaign?.description == "spring" })
            let now = Date()
            #expect(spring.allSatisfy { abs(($0.endedAt ?? .distantPast).timeIntervalSince(now)) < 600 })
            let token = try #require(spring.last).token.hex
            #expect(try await Self.rows(stage, ["--token", token.uppercased()]).map(\.token.hex) == [token])
            let rejected = try await Self.rows(stage, ["--reason", "Unregistered, failed"])
            #expect(rejected.map(\.outcome.reason) == ["Unregistered"] && rejected.first?.campaign == nil)
            #expect(try await Self.rows(stage, ["--reason", "rejected", "--campaign", "spring"]).isEmpty)
            #expect(try await Self.rows(stage, ["--since", "1h"]).count == 42)
            #expect(try await Self.rows(stage, ["--since", "2100-01-01T00:00:00Z"]).isEmpty)
            let trim = try await Stage.run(["queue", "trim", "--before", "0s"] + stage.queue)
            #expect(trim.output == ["removed 0"])
        }

        @Test func anOutcomeThatIsPrintedHasThePositionBehindIt() async throws {
            let stage = try await Self.pushed()
            let all = try await Stage.run(["queue", "outcomes", "--json"] + stage.queue).output
            struct Row: Decodable { let position: String }
            let tenth = try JSONDecoder().decode(Row.self, from: Data(all[9].utf8)).position
            let rest = try await Stage.run(["queue", "outcomes", "--json", "--after", tenth] + stage.queue).output
            #expect(rest == Array(all.dropFirst(10)))
        }

        @Test func aReaderGoesOnBehindThePositionInItsFile() async throws {
            let stage = try await Self.pushed()
            let file = stage.stage.folder + "/position"
            let read = ["queue", "outcomes", "--position-file", file] + stage.queue
            let header =
                "id,index,token,outcome,status,reason,apns_id,timestamp,attempts,certainty,invalidated_at,ended_at,campaign"
            let first = try await Stage.run(read).output
            #expect(first.count == 43 && first.first == header && first[1].hasSuffix(",spring"))
            #expect(try await Stage.run(read).output.count <= 1)
            #expect(try await stage.put(3).status == 0)
            let worker = try stage.worker()
            try await stage.outcomes(45)
            worker.signal(SIGTERM)
            _ = await worker.end()
            #expect(try await Stage.run(read).output.count == 4)
            try Data("{}\n".utf8).write(to: URL(fileURLWithPath: file))
            #expect(try await Stage.run(read).status == 64)
            try Data("no line".utf8).write(to: URL(fileURLWithPath: file))
            let other = try await Stage.run(read)
            #expect(other.status == 78 && other.errors.contains { $0.contains("has no position") })
            #expect(try await Stage.run(read + ["--after", "end"]).status == 64)
        }

        @Test func aPositionIsThatOfOneListOfOneQueue() async throws {
            let stage = try await Self.pushed()
            let file = stage.stage.folder + "/position"
            let flags = ["--position-file", file] + stage.queue
            #expect(try await Stage.run(["queue", "outcomes"] + flags).status == 0)
            #expect(try await stage.put(1, ["--name", "news"]).status == 0)
            for command in [["queue", "feedback"], ["queue", "outcomes", "--name", "news"]] {
                let other = try await Stage.run(command + flags)
                #expect(other.status == 78 && other.output.isEmpty)
                #expect(other.errors.first?.contains("has a position in the outcomes of push in /") == true)
            }
            // The same file under another path.
            let folder = try #require(stage.path.lastIndex(of: "/"))
            let path = stage.path[..<folder] + "/." + stage.path[folder...]
            let same = try await Stage.run(["queue", "outcomes", "--position-file", file, "--queue", String(path)])
            #expect(same.status == 0)
            // A file of an earlier version.
            let line = try #require(String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").first)
            try Data("\(line)\n".utf8).write(to: URL(fileURLWithPath: file))
            #expect(try await Stage.run(["queue", "outcomes"] + flags).status == 0)
        }

        @Test func aPositionThatCannotBeStoredIsRefusedBeforeTheFirstRow() async throws {
            let stage = try await Self.pushed()
            for file in [stage.stage.folder + "/none/position", stage.stage.folder] {
                let end = try await Stage.run(["queue", "outcomes", "--position-file", file] + stage.queue)
                #expect(end.status == 78 && end.output.isEmpty)
                #expect(end.errors.first?.contains("cannot write \(file)") == true, "\(end.errors)")
            }
        }

        @Test func aTokenIsFoundWhereItWaitsAndHowItEnded() async throws {
            let stage = try await Self.pushed()
            let token = try #require(QueueStage.tokens(1).first)
            let ended = try await Stage.run(["queue", "find", token] + stage.queue)
            #expect(ended.status == 0 && ended.output.count == 1)
            #expect(ended.output.first?.contains("Z delivered, entry ") == true, "\(ended.output)")
            #expect(ended.output.first?.contains(", index 0, campaign spring, apns-id ") == true, "\(ended.output)")
            #expect(try await stage.put(1, ["--not-before", "1h"]).status == 0)
            let both = try await Stage.run(["queue", "find", token.uppercased(), "--json"] + stage.queue)
            #expect(both.output.count == 2 && both.output.first?.hasPrefix(#"{"place":"scheduled","until":"2"#) == true)
            let none = try await Stage.run(["queue", "find", String(repeating: "cd", count: 32)] + stage.queue)
            #expect(none.status == 1 && none.output.isEmpty)
            let wrong = try await Stage.run(["queue", "find", "xyz"] + stage.queue)
            #expect(wrong.status == 64 && !wrong.errors.joined().contains("xyz"))
        }

        @Test func aReportAddsUpToTheTokensOfItsCampaign() async throws {
            let stage = try await Self.pushed()
            let report = try await Stage.run(["queue", "report", "--campaign", "spring"] + stage.queue)
            #expect(report.status == 0 && report.output.first == "Campaign spring: done")
            #expect(report.output.contains { $0.hasPrefix("tokens ") && $0.hasSuffix(" 40") })
            #expect(report.output.contains { $0.hasPrefix("delivered ") && $0.hasSuffix(" 40  100.0 %") })
            let json = try await Stage.run(["queue", "report", "--campaign", "spring", "--json"] + stage.queue)
            #expect(json.output == (try await Stage.run(["queue", "campaigns", "--json"] + stage.queue)).output)
            let unknown = try await Stage.run(["queue", "report", "--campaign", "winter"] + stage.queue)
            #expect(unknown.status == 78 && unknown.errors.contains { $0.contains("no campaign winter") })
        }
    }
}
