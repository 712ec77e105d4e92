import Foundation
import Testing

extension ProgramTests {
    /// `pushctl top` in a terminal.
    @Suite("parity: F19 – pushctl top in a terminal", .timeLimit(.minutes(5)))
    struct TopTerminalTests {
        private func start(_ stage: Stage, _ variables: [String] = []) async throws -> (bulk: Program, tmux: Tmux) {
            let socket = stage.folder + "/bulk.sock"
            let flags = ["--payload", try stage.payload(), "--status-socket", socket] + stage.connection
            let bulk = try Program(["bulk", "-"] + flags, feedsInput: true)
            try bulk.feed(Stage.tokens(0..<20))
            #expect(await bulk.lines(21))
            let tmux = try await Tmux(
                columns: 100, rows: 30, folder: stage.folder, variables: ["LANG=C.UTF-8"] + variables)
            // The pid in a file, for signals.
            let script = "echo $$ >\(stage.folder)/pid\nexec \(Program.binary) top \(socket)\n"
            try Data(script.utf8).write(to: URL(fileURLWithPath: stage.folder + "/top.sh"))
            try await tmux.type("clear; sh \(stage.folder)/top.sh; echo left with $?; stty -a; exec cat")
            try await tmux.shows("top") { $0.contains { $0.contains("bulk  up") } }
            return (bulk, tmux)
        }

        /// The terminal is as it was before.
        private func isLeft(_ tmux: Tmux, with status: Int) async throws {
            let lines = try await tmux.shows("the end") { lines in
                lines.contains { $0.contains(" echo ") || $0.contains("-echo ") }
            }
            let screen = lines.joined(separator: "\n")
            #expect(screen.contains("left with \(status)") && !screen.contains("PHASE"))
            #expect(!screen.contains("-icanon") && !screen.contains("-echo "))
        }

        @Test func aCutLinkIsSeenAndQLeaves() async throws {
            let stage = try await Stage()
            let (bulk, tmux) = try await start(stage)
            try await tmux.shows("what was pushed") { $0.contains { $0.contains("20 pushes") } }
            #expect(try await tmux.colours().contains("\u{1B}[32mup"))
            stage.simulator.signal(SIGKILL)
            try await tmux.shows("the cut") { lines in
                ["bulk  down", "Attempt ", "20 accepted"].allSatisfy { word in lines.contains { $0.contains(word) } }
            }
            try await tmux.press("q")
            try await isLeft(tmux, with: 0)
            _ = await bulk.end(insisting: SIGTERM)
        }

        @Test func aSignalLeavesTheTerminalAsItWas() async throws {
            let stage = try await Stage()
            let (bulk, tmux) = try await start(stage, ["NO_COLOR=1"])
            let colours = try await tmux.colours()
            #expect(!colours.contains("\u{1B}[32m"))
            let pid = try String(contentsOfFile: stage.folder + "/pid", encoding: .utf8)
            kill(try #require(pid_t(pid.trimmingCharacters(in: .whitespacesAndNewlines))), SIGTERM)
            try await isLeft(tmux, with: 143)
            _ = await bulk.end(insisting: SIGTERM)
        }

        @Test func whenTheProgramEndsItSaysSo() async throws {
            let stage = try await Stage()
            let (bulk, tmux) = try await start(stage)
            _ = await bulk.end(insisting: SIGTERM)
            let screen = try await tmux.shows("the end") { $0.contains { $0.contains("left with 0") } }.joined()
            #expect(screen.contains("pushctl: pushctl ") && screen.contains(" has ended"))
        }
    }
}
