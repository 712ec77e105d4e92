import Foundation
import PushSQLite
import TestSupport
import Testing

extension ProgramTests {
    /// `pushctl bulk --journal`, stopped in every way, and resumed.
    @Suite(.timeLimit(.minutes(5))) struct JournalProgramTests {
        /// A campaign whose runs may have different servers.
        private struct Campaign {
            let stage: Stage
            let input: String
            let payload: String
            var outcomes: String { stage.folder + "/outcomes.csv" }
            var journal: String { stage.folder + "/journal" }

            /// - Parameter tokens: CSV.
            init(_ tokens: String, script: String? = nil) async throws {
                stage = try await Stage(script: script)
                input = try stage.file("input.csv", tokens)
                payload = try stage.payload()
            }

            func arguments(_ flags: [String] = [], to other: Stage? = nil) -> [String] {
                ["bulk", input, "--payload", payload, "--outcomes", outcomes, "--journal", journal] + flags
                    + (other ?? stage).connection
            }

            func run(_ flags: [String] = [], to other: Stage? = nil) async throws -> Program.End {
                try await Stage.run(arguments(flags, to: other))
            }

            /// The rows, without the header.
            func rows() -> [[String]] {
                let text = (try? String(contentsOfFile: outcomes, encoding: .utf8)) ?? ""
                return text.split(separator: "\n").dropFirst().map {
                    $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                }
            }

            /// How many pushes have no outcome yet, as the journal knows.
            var open: Int64 {
                (try? Database(journal, .readOnly).integer("SELECT count(*) FROM open")) ?? 0
            }

            /// Waits for this many rows.
            func rows(_ count: Int) async {
                await until { rows().count >= count }
            }

            /// Whether each line from 2 has one row.
            func hasOneRow(forEachOf records: Int) -> Bool {
                rows().compactMap { $0.first.flatMap { Int($0) } }.sorted() == Array(2..<(records + 2))
            }
        }

        /// Pushes to tokens that begin with d0 get no answer.
        private static let holding = #"{"rules": [{"when": {"pushTo": "d0"}, "then": "hold"}]}"#
        private static let tokens =
            Stage.tokens(0..<20) + (0..<3000).map { String(format: "d0%062x\n", $0) }.joined()

        /// A campaign that was killed with 20 rows and a window of pushes without an answer.
        private func killed() async throws -> Campaign {
            let campaign = try await Campaign(Self.tokens, script: Self.holding)
            let program = try Program(campaign.arguments())
            await campaign.rows(20)
            // More pushes are open than have rows, so some are in flight.
            await until { campaign.open >= 150 }
            program.signal(SIGKILL)
            #expect(await program.end().status == -SIGKILL)
            return campaign
        }

        @Test func afterAKillWhatWasUnderWayIsUnknownAndTheRestIsPushed() async throws {
            let campaign = try await killed()
            let end = try await campaign.run(to: try await Stage())
            #expect(end.status == 2 && end.errors.contains { $0.contains("the outcomes of 20 records") })
            #expect(campaign.hasOneRow(forEachOf: 3020))
            let unknown = campaign.rows().filter { $0[2] == "unknown" }
            #expect((1...1256).contains(unknown.count))
            #expect(unknown.allSatisfy { $0[4] == "interrupted" && $0[7] == "1" && $0[8] == "unknown" && $0[5] != "" })
            #expect(campaign.rows().filter { $0[2] == "delivered" }.count == 3020 - unknown.count)
            // They are the first ones behind those that have been answered.
            let lines = unknown.compactMap { (row: [String]) -> Int? in Int(row[0]) }
            #expect(lines.sorted() == Array(22..<(22 + unknown.count)))
        }

        @Test func withResendUnknownTheyGoAgainWithTheirIDs() async throws {
            let campaign = try await killed()
            let open = try Database(campaign.journal, .readOnly).prepare("SELECT line, apns_id FROM open")
            var ids: [String: String] = [:]
            while try open.step() { ids[open.text(0) ?? ""] = open.text(1) }
            // A row is written before the journal knows of it: these are not open any more.
            for row in campaign.rows() { ids[row[0]] = nil }
            #expect(try await campaign.run(["--resend-unknown"], to: try await Stage()).status == 0)
            #expect(campaign.hasOneRow(forEachOf: 3020))
            let again = campaign.rows().filter { $0[7] == "2" }
            #expect(again.count == ids.count && !ids.isEmpty && again.allSatisfy { ids[$0[0]] == $0[5] })
        }

        @Test(arguments: ["22,d0", "22,d0,delivered,200,,00000000-0000-4000-8000-000000000000,,1,answered\n", "\0\0\n"])
        func whatIsNoRowOfTheRunIsCut(_ tail: String) async throws {
            let campaign = try await killed()
            let file = try #require(FileHandle(forWritingAtPath: campaign.outcomes))
            try file.seekToEnd()
            try file.write(contentsOf: Data(tail.utf8))
            try file.close()
            #expect(try await campaign.run(to: try await Stage()).status == 2)
            #expect(campaign.hasOneRow(forEachOf: 3020))
            #expect(campaign.rows().filter { $0[0] == "22" }.map { $0[4] } == ["interrupted"])
        }

        @Test func aSecondKillTakesNoMoreThanTheFirst() async throws {
            let campaign = try await killed()
            let before = campaign.rows().count
            let program = try Program(campaign.arguments())
            await campaign.rows(before + 100)
            program.signal(SIGKILL)
            _ = await program.end()
            #expect(try await campaign.run(to: try await Stage()).status == 2)
            #expect(campaign.hasOneRow(forEachOf: 3020))
            #expect(campaign.rows().filter { $0[2] == "unknown" }.count <= 2 * 1256)
        }

        @Test(arguments: [[], ["--fsync"]])
        func aRunThatEndsInOrderLeavesNothingOpen(_ flags: [String]) async throws {
            let campaign = try await Campaign(Stage.tokens(0..<400))
            // It would take more than a minute: the signal comes before its end.
            let program = try Program(campaign.arguments(flags + ["--rate", "5"]))
            await campaign.rows(20)
            program.signal(SIGTERM)
            #expect(await program.end().status == 143)
            let status = try await Stage.run(["journal", "status", campaign.journal, "--json"])
            #expect(status.output.first?.contains(#""open":0,"left":null"#) == true)
            let end = try await campaign.run(flags)
            #expect(end.status == 0 && end.output.first?.contains("by earlier runs") == true)
            #expect(campaign.hasOneRow(forEachOf: 400) && campaign.rows().allSatisfy { $0[2] == "delivered" })
        }

        @Test func aCompleteJournalPushesNothing() async throws {
            let campaign = try await Campaign(Stage.tokens(0..<50) + "zz\n")
            #expect(try await campaign.run().status == 1)
            let rows = campaign.rows()
            campaign.stage.simulator.signal(SIGKILL)
            let end = try await campaign.run(["--json"])
            #expect(end.status == 1)
            #expect(end.output.first?.hasPrefix(#"{"records":51,"delivered":50,"rejected":0,"failed":1,"#) == true)
            #expect(campaign.rows() == rows)
        }

        @Test func whatTheJournalKnowsIsPrinted() async throws {
            let campaign = try await Campaign(Stage.tokens(0..<50) + "zz\n")
            #expect(try await campaign.run().status == 1)
            let status = try await Stage.run(["journal", "status", campaign.journal])
            #expect(status.status == 0 && status.output.first?.hasPrefix("input      \(campaign.input), ") == true)
            #expect(status.output.contains("delivered  50") && status.output.contains("failed     1"))
            #expect(status.output.suffix(2) == ["open       0", "left       0"])
            let rows = try await Stage.run(["journal", "outcomes", campaign.journal])
            #expect(rows.status == 0 && rows.rows == campaign.rows())
            #expect(try await Stage.run(["journal", "status", campaign.payload]).status == 64)
            #expect(try await Stage.run(["journal", "status", campaign.stage.folder + "/none"]).status == 66)
        }

        /// As `head` does, once it has its lines.
        @Test func aReaderThatHasReadEnoughOfTheRowsIsNoError() async throws {
            let campaign = try await Campaign(Stage.tokens(0..<5))
            #expect(try await campaign.run().status == 0)
            let gone = campaign.stage.folder + "/gone"
            let list = "\(Program.binary) journal outcomes \(campaign.journal)"
            // The reader has gone before the program begins.
            let script = """
                mkfifo \(gone)
                { read _ <\(gone); \(list); echo ended $? >&2; } | { exec <&-; echo >\(gone); }
                """
            let end = try await Program(["-c", script], running: "/bin/sh").end()
            #expect(end.errors == ["ended 0"])
        }

        @Test func aJournalOfSomethingElseIsRefused() async throws {
            let campaign = try await Campaign(Stage.tokens(0..<5))
            #expect(try await campaign.run().status == 0)
            let rows = campaign.rows()
            let other = try campaign.stage.file("other.csv", Stage.tokens(5..<10))
            var arguments = campaign.arguments()
            arguments[1] = other
            let input = try await Stage.run(arguments)
            #expect(input.status == 64 && input.errors.last?.contains("belongs to another input") == true)
            arguments = campaign.arguments()
            arguments[5] = campaign.stage.folder + "/others.csv"
            let outcomes = try await Stage.run(arguments)
            #expect(outcomes.status == 64 && outcomes.errors.last?.contains("belongs to the outcomes") == true)
            arguments = campaign.arguments()
            arguments[7] = campaign.payload
            #expect(try await Stage.run(arguments).status == 64)
            arguments[7] = campaign.stage.folder + "/new"
            let existing = try await Stage.run(arguments)
            #expect(existing.status == 64 && existing.errors.last?.contains("exists") == true)
            #expect(campaign.rows() == rows)
        }

        @Test func outcomesThatAreNotAsTheyWereLeftAreRefused() async throws {
            let campaign = try await Campaign(Stage.tokens(0..<5))
            #expect(try await campaign.run().status == 0)
            let text = try String(contentsOfFile: campaign.outcomes, encoding: .utf8)
            for damaged in [String(text.dropLast(3)), String(text.dropFirst(3)), ""] {
                _ = try campaign.stage.file("outcomes.csv", damaged)
                #expect(try await campaign.run().status == 66)
                #expect(try String(contentsOfFile: campaign.outcomes, encoding: .utf8) == damaged)
            }
            try FileManager.default.removeItem(atPath: campaign.outcomes)
            let gone = try await campaign.run()
            #expect(gone.status == 66 && gone.errors.last?.contains("is gone") == true)
        }

        @Test func twoRunsDoNotShareAJournal() async throws {
            let campaign = try await Campaign(Self.tokens, script: Self.holding)
            let program = try Program(campaign.arguments())
            await campaign.rows(20)
            let second = try await campaign.run()
            #expect(second.status == 64 && second.errors.last?.contains("another run is using") == true)
            // The journal knows of a row once that is in the file.
            try await until {
                let status = try await Stage.run(["journal", "status", campaign.journal, "--json"])
                return status.output.first?.contains(#""in_use":true,"delivered":20"#) == true
            }
            program.signal(SIGKILL)
            _ = await program.end()
        }

        @Test func whenTheJournalIsLostTheRunEndsInOrderAndItsRowsCount() async throws {
            let campaign = try await Campaign(Stage.tokens(0..<2000))
            // It would take more than a minute.
            let program = try Program(campaign.arguments(["--rate", "20"]))
            await campaign.rows(20)
            // From now on the journal can't be written, as on a full disk.
            try Database(campaign.journal, .readWrite).execute("ALTER TABLE batches RENAME TO lost")
            let end = await program.end()
            #expect(end.status == 2 && end.errors.contains { $0.contains("the journal can't be written any more") })
            #expect(campaign.rows().allSatisfy { $0[2] == "delivered" })
            try Database(campaign.journal, .readWrite).execute("ALTER TABLE lost RENAME TO batches")
            #expect(try await campaign.run().status == 0)
            #expect(campaign.hasOneRow(forEachOf: 2000) && campaign.rows().allSatisfy { $0[2] == "delivered" })
        }

        @Test func anInputThatCannotBeReadAgainHasNoJournal() async throws {
            let campaign = try await Campaign(Stage.tokens(0..<5))
            var arguments = campaign.arguments()
            arguments[1] = "/dev/null"
            let end = try await Stage.run(arguments)
            #expect(end.status == 64 && end.errors.last?.contains("not a regular file") == true)
            #expect(!FileManager.default.fileExists(atPath: campaign.journal))
        }

        // MARK: Without a journal

        @Test func recordsBeforeALineAreSkipped() async throws {
            let stage = try await Stage()
            let input = try stage.file("input.csv", Stage.tokens(0..<10))
            let end = try await Stage.run(
                ["bulk", input, "--payload", try stage.payload(), "--from-line", "9"] + stage.connection)
            #expect(end.status == 0 && end.rows.map { $0[0] } == ["9", "10", "11"])
        }

        @Test func recordsThatAreDoneAreSkipped() async throws {
            let stage = try await Stage()
            let input = try stage.file("input.csv", Stage.tokens(0..<6))
            let header = "line,token,outcome,status,reason,apns_id,timestamp,attempts,certainty\n"
            let first = try stage.file(
                "first.csv",
                header + "2,a,delivered,200,,,,1,answered\n3,a,failed,,not_connected,,,0,not_sent\n"
                    + "4,a,unknown,,timed_out,,,1,unknown\n5,a,rejec")
            let second = try stage.file("second.csv", header + "6,a,rejected,410,Unregistered,,1,1,answered\n")
            let command = ["bulk", input, "--payload", try stage.payload()] + stage.connection
            let end = try await Stage.run(command + ["--skip-done", first, "--skip-done", second])
            #expect(end.status == 0 && Set(end.rows.map { $0[0] }) == ["3", "5", "7"])
            #expect(try await Stage.run(command + ["--skip-done", input]).status == 66)
            let same = ["--skip-done", first, "--outcomes", first, "--append"]
            #expect(try await Stage.run(command + same).status == 64)
        }
    }
}
