import Foundation
import Testing

extension ProgramTests {
    /// `pushctl bulk`, `queue put` and `worker` in a real terminal.
    @Suite(.timeLimit(.minutes(5))) struct TerminalProgramTests {
        /// Answers to `ff…` never come.
        private static let script = #"{"rules": [{"when": {"pushTo": "ff"}, "then": "hold"}]}"#

        /// A campaign that goes on for a while: this many records at a rate, and some that are never answered.
        private static func campaign(
            _ stage: Stage, records: Int = 20_000, unanswered: Int = 0, _ flags: [String] = []
        ) throws -> [String] {
            let held = (0..<unanswered).map { "ff0\($0)\n" }.joined()
            let input = try stage.file("input.csv", "token\n00aa\n" + held + Stage.tokens(0..<records, header: false))
            return [
                Program.binary, "bulk", input, "--payload", try stage.payload(), "--outcomes",
                stage.folder + "/outcomes.csv", "--overwrite",
            ] + flags + stage.connection
        }

        private static func areas(_ lines: [String]) -> Int {
            max(lines.count { $0.contains("Ctrl-C") }, lines.count { $0.contains(" delivered  ") })
        }

        @Test(arguments: [60, 80, 200]) func theStatusAreaFitsAndGivesWayToTheSummary(_ columns: Int) async throws {
            let stage = try await Stage()
            let terminal = try await Tmux(columns: columns, folder: stage.folder)
            try await terminal.type(Self.campaign(stage, ["--rate", "200"]))
            let lines = try await terminal.shows("an area") { lines in
                lines.contains { $0.contains("/s") && $0.contains("done") && $0.contains("ETA") }
                    && lines.contains { $0.hasPrefix("link up") } && lines.last == "Ctrl-C: stop reading and drain"
            }
            #expect(lines.contains { $0.contains(" delivered ") && $0.hasSuffix("0 failed  0 unknown") })
            #expect(Self.areas(lines) == 1)
            #expect(lines.count == 4 && lines.allSatisfy { $0.count < columns })
            try await terminal.press("C-c")
            let end = try await terminal.shows("the end") { $0.contains("[130]") }
            #expect(end.contains { $0.contains("stopped by SIGINT") } && end.contains { $0.hasPrefix("records ") })
            #expect(!end.contains { $0.contains("Ctrl-C:") || $0.contains(" done") })
        }

        @Test func aWorkerShowsATableOfItsQueues() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(300).status == 0)
            let terminal = try await Tmux(columns: 100, folder: stage.stage.folder)
            try await terminal.type([Program.binary, "worker"] + stage.queue + stage.stage.connection)
            let lines = try await terminal.shows("what was delivered") { lines in
                lines.contains { $0.hasPrefix("push   working        0  ") && $0.contains("  300  ") }
                    && lines.last == "Ctrl-C: take nothing more and drain"
            }
            #expect(lines.count { $0.hasPrefix("QUEUE") } == 1)
            try await terminal.press("C-c")
            let end = try await terminal.shows("the end") { $0.contains("[130]") }
            #expect(end.contains { $0.hasPrefix("tokens ") } && !end.contains { $0.hasPrefix("QUEUE") })
        }

        @Test func aStoppedWorkerLeavesTheTerminalAndComesBack() async throws {
            let stage = try await QueueStage()
            #expect(try await stage.put(3).status == 0)
            let terminal = try await Tmux(columns: 100, folder: stage.stage.folder)
            try await terminal.type([Program.binary, "worker"] + stage.queue + stage.stage.connection)
            try await terminal.shows("a table") { $0.contains { $0.hasPrefix("QUEUE") } }
            try await terminal.press("C-z")
            let stopped = try await terminal.shows("the shell") { $0.contains { $0.contains("Stopped") } }
            #expect(!stopped.contains { $0.hasPrefix("QUEUE") || $0.contains("Ctrl-C:") }, "\(stopped)")
            try await terminal.type("fg")
            let again = try await terminal.shows("the table again") { $0.contains { $0.hasPrefix("QUEUE") } }
            #expect(again.count { $0.hasPrefix("QUEUE") } == 1)
        }

        @Test(arguments: [60, 100]) func whatIsPutShowsAsACampaignDoes(_ columns: Int) async throws {
            let stage = try await QueueStage()
            let input = try stage.stage.file("input.csv", Stage.tokens(0..<300))
            let terminal = try await Tmux(columns: columns, folder: stage.stage.folder)
            let flags = ["--title", "Hi", "--wait", "--outcomes", stage.stage.folder + "/outcomes.csv"]
            try await terminal.type([Program.binary, "queue", "put", input] + flags + stage.queue)
            let lines = try await terminal.shows("an area") { lines in
                lines.last?.hasPrefix("Ctrl-C: wait no longer") == true
            }
            #expect(lines.contains { $0.contains("0 done") } && lines.contains { $0.contains("0 failed  0 unknown") })
            #expect(lines.contains { $0.contains("300 tokens put in 2 entries") }, "\(lines)")
            #expect(lines.suffix(4).allSatisfy { $0.count < columns })
            try await terminal.press("C-z")
            let stopped = try await terminal.shows("the shell") { $0.contains { $0.contains("Stopped") } }
            #expect(Self.areas(stopped) == 0)
            try await terminal.type("fg")
            try await terminal.shows("the area again") { Self.areas($0) == 1 }
            let worker = try stage.worker()
            let end = try await terminal.shows("the end") { $0.contains { $0.hasPrefix("delivered  300") } }
            #expect(end.contains { $0.hasPrefix("tokens     300 ") } && Self.areas(end) == 0)
            worker.signal(SIGTERM)
            _ = await worker.end()
        }

        @Test func ctrlCSaysWhatItWaitsForAndAnotherOneLeaves() async throws {
            let stage = try await Stage(script: Self.script)
            let terminal = try await Tmux(columns: 100, folder: stage.folder)
            // The pushes end with the second Ctrl-C alone.
            let patient = ["--timeout", "100", "--drain", "100"]
            try await terminal.type(Self.campaign(stage, unanswered: 3, ["--rate", "200"] + patient))
            try await terminal.shows("pushes in flight") { $0.contains { $0.contains("3 in flight") } }
            try await terminal.press("C-c")
            let words = "stopping: 3 pushes under way, up to "
            let lines = try await terminal.shows("what is waited for") { $0.contains { $0.contains(words) } }
            #expect(lines.contains { $0.hasSuffix("; once more Ctrl-C leaves without waiting") })
            #expect(Self.areas(lines) == 1)
            // The program goes by its own clock: one that comes too soon counts for nothing.
            try await terminal.shows("the second that has passed") { lines in
                lines.contains { line in
                    line.firstMatch(of: /up to (\d+)/).flatMap { Int($0.output.1) }.map { $0 <= 98 } == true
                }
            }
            try await terminal.press("C-c")
            let end = try await terminal.shows("the end") { $0.contains("[130]") }
            #expect(end.contains { $0.hasPrefix("unknown") && $0.hasSuffix("cancelled 3") })
            #expect(!end.contains { $0.contains("stopping:") })
        }

        @Test func anotherSizeLeavesOneWholeArea() async throws {
            let stage = try await Stage()
            let terminal = try await Tmux(columns: 120, folder: stage.folder)
            try await terminal.type(Self.campaign(stage, ["--rate", "100"]), atBottom: true)
            try await terminal.shows("an area") { Self.areas($0) == 1 && $0.contains { $0.contains("ETA") } }
            for (columns, rows) in [(60, 24), (200, 24), (80, 5), (61, 3), (100, 30)] {
                try await terminal.resize(columns: columns, rows: rows)
                try await terminal.shows("one area of \(columns) columns and \(rows) rows") { lines in
                    Self.areas(lines) == 1 && lines.count { $0.contains(" done") } == 1
                        && lines.allSatisfy { $0.count < columns } && lines.count < rows + 1
                        && (rows < 5 || lines.last?.hasPrefix("Ctrl-C") == true)
                }
            }
        }

        @Test func anOutageIsShownWithItsNextAttempt() async throws {
            let stage = try await Stage()
            let terminal = try await Tmux(columns: 100, folder: stage.folder)
            try await terminal.type(Self.campaign(stage, ["--rate", "100", "--max-outage", "3000"]))
            try await terminal.shows("a link") { $0.contains { $0.hasPrefix("link up") } }
            stage.simulator.signal(SIGKILL)
            let lines = try await terminal.shows("the outage") { lines in
                lines.contains { line in
                    line.hasPrefix("no link for ") && line.contains("gives up in 4")
                        && line.contains("; next attempt in ")
                } && lines.contains { $0.hasPrefix("pushctl: no link to localhost:") }
            }
            // What happened stands above.
            let line = try #require(lines.firstIndex { $0.hasPrefix("pushctl: no link to localhost:") })
            #expect(lines.firstIndex { $0.contains(" done") } ?? 0 > line)
            #expect(Self.areas(lines) == 1 && !lines.contains { $0.contains("ETA") })
        }

        @Test func aStoppedRunLeavesTheTerminalAndComesBack() async throws {
            let stage = try await Stage()
            let terminal = try await Tmux(columns: 80, folder: stage.folder)
            try await terminal.type(Self.campaign(stage, ["--rate", "100"]))
            try await terminal.shows("an area") { Self.areas($0) == 1 && $0.contains { $0.contains("ETA") } }
            try await terminal.press("C-z")
            let stopped = try await terminal.shows("the shell") { $0.contains { $0.contains("Stopped") } }
            #expect(Self.areas(stopped) == 0)
            try await terminal.type("fg")
            let again = try await terminal.shows("the area again") { Self.areas($0) == 1 }
            #expect(again.count { $0.contains(" done") } == 1)
        }

        @Test func rowsOnTheSameTerminalStandAlone() async throws {
            let stage = try await Stage()
            let input = try stage.file("input.csv", Stage.tokens(0..<5))
            let terminal = try await Tmux(columns: 200, folder: stage.folder)
            try await terminal.type(
                [Program.binary, "bulk", input, "--payload", try stage.payload(), "--rate", "5"] + stage.connection)
            let end = try await terminal.shows("the end") { $0.contains("[0]") }
            #expect(end.count { $0.hasSuffix(",1,answered") } == 5 && Self.areas(end) == 0)
        }

        @Test func sentencesAreWrappedUnderThemselves() async throws {
            let stage = try await Stage(
                script: #"{"rules": [{"when": "push", "then": {"refuse": "BadDeviceToken"}}]}"#)
            let terminal = try await Tmux(columns: 60, folder: stage.folder)
            try await terminal.type([Program.binary, "send", "aabb", "--body", "x"] + stage.connection)
            let end = try await terminal.shows("the end") { $0.contains("[1]") }
            let advice = try #require(end.firstIndex { $0.hasPrefix("advice    ") })
            #expect(end[advice + 1].hasPrefix("          ") && end.allSatisfy { $0.count <= 60 })
        }
    }
}
