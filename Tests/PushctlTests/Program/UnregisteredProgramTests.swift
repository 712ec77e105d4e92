import Foundation
import TestSupport
import Testing

extension ProgramTests {
    /// `pushctl bulk --unregistered`: the tokens to delete.
    @Suite(.timeLimit(.minutes(5))) struct UnregisteredProgramTests {
        /// Tokens that begin with dd are gone; those that begin with ff get no answer.
        private static let script =
            #"{"rules": [{"when": {"pushTo": "dd"}, "then": {"refuse": "Unregistered"}}, {"when": {"pushTo": "ff"}, "then": "hold"}]}"#

        private func lines(_ path: String) -> [String] {
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            return text.split(separator: "\n").map(String.init)
        }

        /// What the outcomes file says of tokens that are gone.
        private func gone(_ outcomes: String) -> [String] {
            lines(outcomes).compactMap { (line: String) -> String? in
                let row = line.split(separator: ",", omittingEmptySubsequences: false)
                return row[3] == "410" ? "\(row[1]),\(row[6])" : nil
            }
        }

        @Test func eachTokenThatIsGoneHasARow() async throws {
            let stage = try await Stage(script: Self.script)
            let list = stage.folder + "/gone.csv"
            let input = try stage.file("in.csv", "token\naa01\ndd01\nx\naa02\ndeadbeef\n")
            let flags = ["bulk", input, "--payload", try stage.payload(), "--unregistered", list] + stage.connection
            let end = try await Stage.run(flags)
            #expect(end.status == 1)
            let rows = end.rows.filter { $0[3] == "410" }.map { "\($0[1]),\($0[6])" }
            #expect(lines(list) == ["token,timestamp"] + rows && rows.count == 2)
            let since = rows.first { $0.hasPrefix("deadbeef,") }.flatMap { Int64($0.dropFirst(9)) }
            #expect(since ?? 0 > 1_500_000_000)
            let mode = try FileManager.default.attributesOfItem(atPath: list)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let again = try await Stage.run(flags)
            #expect(again.status == 64 && again.errors.last?.contains("--unregistered: \(list) exists") == true)
            #expect(try await Stage.run(flags + ["--append"]).status == 1)
            #expect(lines(list).count == 5 && lines(list).count { $0 == "token,timestamp" } == 1)
        }

        @Test func noOtherFileIsTakenForIt() async throws {
            let stage = try await Stage()
            let input = try stage.file("in.csv", "token\naa01\n")
            let outcomes = stage.folder + "/outcomes.csv"
            let common = ["bulk", input, "--payload", try stage.payload(), "--outcomes", outcomes] + stage.connection
            for (flags, words) in [
                (
                    ["--unregistered", stage.folder + "/./outcomes.csv"],
                    "--outcomes and --unregistered can't be one file"
                ),
                (["--unregistered", input, "--overwrite"], "--unregistered names the input itself"),
                (["--unregistered", stage.key, "--overwrite"], "--unregistered names the file of --key"),
                (["--unregistered", "-"], "--unregistered needs the name of a file"),
            ] {
                let end = try await Stage.run(common + flags)
                #expect(end.status == 64 && end.errors.first?.contains(words) == true, "\(end.errors)")
            }
            #expect(!FileManager.default.fileExists(atPath: outcomes))
        }

        /// A campaign that was killed after a few rows.
        private func killed(_ stage: Stage, _ flags: [String]) async throws -> [String] {
            let tokens = "token\n" + (0..<20).map { "dd\(10 + $0)\n" }.joined() + "ff01\n"
            let arguments =
                ["bulk", try stage.file("in.csv", tokens), "--payload", try stage.payload()]
                + ["--outcomes", stage.folder + "/outcomes.csv", "--journal", stage.folder + "/journal"]
            let program = try Program(arguments + flags + stage.connection)
            await until { lines(stage.folder + "/outcomes.csv").count >= 21 }
            program.signal(SIGKILL)
            _ = await program.end()
            return arguments
        }

        /// Ends the campaign against a server that answers.
        private func resume(_ arguments: [String], _ list: String) async throws -> Program.End {
            let other = try await Stage(
                script: #"{"rules": [{"when": {"pushTo": "dd"}, "then": {"refuse": "Unregistered"}}]}"#)
            return try await Stage.run(
                arguments + ["--unregistered", list, "--resend-unknown"] + other.connection)
        }

        @Test(arguments: ["as it was", "torn", "cut", "missing", "beyond"])
        func afterAKillItHasOneRowForEachTokenThatIsGone(_ state: String) async throws {
            let stage = try await Stage(script: Self.script)
            let list = stage.folder + "/gone.csv"
            let arguments = try await killed(stage, ["--unregistered", list])
            switch state {
            case "torn":
                let rows = gone(stage.folder + "/outcomes.csv").prefix(7).joined(separator: "\n")
                try Data("token,timestamp\n\(rows)".utf8.dropLast(3)).write(to: URL(fileURLWithPath: list))
            case "cut": try Data("token,ti".utf8).write(to: URL(fileURLWithPath: list))
            case "missing": try FileManager.default.removeItem(atPath: list)
            case "beyond":
                let rows = gone(stage.folder + "/outcomes.csv").joined(separator: "\n")
                try Data("token,timestamp\n\(rows)\nddff,1700000000\n".utf8).write(to: URL(fileURLWithPath: list))
            default: break
            }
            let end = try await resume(arguments, list)
            #expect(end.status == 1, "\(end.errors)")
            let expected = gone(stage.folder + "/outcomes.csv")
            #expect(lines(list) == ["token,timestamp"] + expected && expected.count == 20)
        }

        @Test func theListOfAnotherCampaignIsRefused() async throws {
            let stage = try await Stage(script: Self.script)
            let other = try stage.file("other.csv", "token,timestamp\nddff,1700000000\n")
            let arguments = try await killed(stage, ["--unregistered", stage.folder + "/gone.csv"])
            let end = try await resume(arguments, other)
            #expect(end.status == 66, "\(end.errors)")
            #expect(end.errors.last?.contains("is not the list of this journal's outcomes") == true)
            #expect(lines(other) == ["token,timestamp", "ddff,1700000000"])
        }

        @Test(arguments: ["notes\n", "token,timestamp\nddff,1700000000\n"])
        func noListIsEmptiedForOutcomesWithoutARow(_ text: String) async throws {
            let stage = try await Stage()
            let list = stage.folder + "/gone.csv"
            let arguments =
                ["bulk", try stage.file("in.csv", "token\naa01\n"), "--payload", try stage.payload()]
                + ["--outcomes", stage.folder + "/outcomes.csv", "--journal", stage.folder + "/journal"]
                + stage.connection
            #expect(try await Stage.run(arguments).status == 0)
            try Data(text.utf8).write(to: URL(fileURLWithPath: list))
            let end = try await Stage.run(arguments + ["--unregistered", list])
            #expect(end.status == 66, "\(end.errors)")
            #expect(end.errors.last?.contains("is not the list of this journal's outcomes") == true)
            #expect(try String(contentsOfFile: list, encoding: .utf8) == text)
        }

        @Test func aNewJournalBeginsANewList() async throws {
            let stage = try await Stage()
            let list = try stage.file("gone.csv", "token,timestamp\nddff,1700000000\n")
            let end = try await Stage.run(
                ["bulk", try stage.file("in.csv", "token\naa\n"), "--payload", try stage.payload()]
                    + ["--outcomes", stage.folder + "/outcomes.csv", "--journal", stage.folder + "/journal"]
                    + ["--unregistered", list] + stage.connection)
            #expect(end.status == 64 && end.errors.last?.contains("exists, and the journal is new") == true)
        }
    }
}
