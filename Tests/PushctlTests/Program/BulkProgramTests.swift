import Foundation
import ProcessRuntime
import PushTerminal
import Testing

@testable import pushctl

extension ProgramTests {
    /// `pushctl bulk` as a script meets it: a process, files, pipes, signals.
    @Suite(.timeLimit(.minutes(5))) struct BulkProgramTests {
        @Test func everyRecordGetsOneRow() async throws {
            let stage = try await Stage()
            let outcomes = stage.folder + "/outcomes.csv"
            let input = try stage.file("input.csv", Stage.tokens(0..<3000))
            let end = try await Stage.run(
                ["bulk", input, "--payload", try stage.payload(), "--outcomes", outcomes, "--json"] + stage.connection)
            #expect(end.status == 0)
            #expect(end.output.first?.hasPrefix(#"{"records":3000,"delivered":3000,"#) == true)
            let rows = try String(contentsOfFile: outcomes, encoding: .utf8).split(separator: "\n").dropFirst()
            let lines = Set(rows.map { (row: Substring) -> Substring in row.prefix { $0 != "," } })
            #expect(lines.count == 3000)
            #expect(rows.count == 3000 && rows.allSatisfy { $0.hasSuffix(",1,answered") })
        }

        @Test func flagsSayWhatRecordsDoNot() async throws {
            let stage = try await Stage()
            let log = stage.folder + "/log.json"
            let input = try stage.file(
                "input.csv", "token,collapse_id,priority\naa01,,\naa02,own,10\naa03,,\naa04,,\n")
            let end = try await Stage.run(
                ["simulate", "--log", log, "--", Program.binary, "bulk", input, "--title", "Gate", "--body", "B12"]
                    + ["--priority", "5", "--collapse-id", "all", "--ttl", "1h", "--limit", "3"]
                    + ["--header", "x-campaign: winter"])
            #expect(end.status == 0 && Set(end.rows.map(\.[1])) == ["aa01", "aa02", "aa03"])
            #expect(end.errors.contains("pushctl: --limit is reached. Reading stopped before line 5 of \(input)"))
            let seen = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map { line in
                let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                let headers = try #require(record?["headers"] as? [String: String])
                #expect(headers["x-campaign"] == "winter")
                let expiration = Double(headers["apns-expiration"] ?? "") ?? 0
                #expect(abs(expiration - Date().timeIntervalSince1970 - 3_600) < 300)
                let payload = record?["payload"] as? NSDictionary
                #expect(payload == ["aps": ["alert": ["title": "Gate", "body": "B12"]]])
                return "\(headers["apns-collapse-id"] ?? "") \(headers["apns-priority"] ?? "")"
            }
            #expect(seen == ["all 5", "own 10", "all 5"])
        }

        @Test func theRateIsKept() async throws {
            let stage = try await Stage()
            let input = try stage.file("input.csv", Stage.tokens(0..<60))
            let start = ContinuousClock.now
            let end = try await Stage.run(
                ["bulk", input, "--payload", try stage.payload(), "--rate", "50"] + stage.connection)
            #expect(end.status == 0 && end.rows.count == 60)
            // One goes at once, the others follow at 20 ms each; nothing makes them faster.
            #expect(start.duration(to: .now) >= .milliseconds(59 * 20))
        }

        @Test func aRunThatWaitsForItsTurnEndsWithTheSignal() async throws {
            let stage = try await Stage()
            let program = try Program(
                ["bulk", try stage.file("input.csv", Stage.tokens(0..<60)), "--payload", try stage.payload()]
                    + ["--rate", "1"] + stage.connection)
            #expect(await program.lines(2))
            program.signal(SIGTERM)
            let end = await program.end()
            #expect(end.status == 143 && !end.rows.isEmpty && end.rows.count < 60)
        }

        @Test(arguments: ["3", "2...4"])
        func severalConnectionsShareTheWork(_ connections: String) async throws {
            let stage = try await Stage()
            let input = try stage.file("input.csv", Stage.tokens(0..<5000))
            let end = try await Stage.run(
                ["bulk", input, "--payload", try stage.payload(), "--connections", connections] + stage.connection)
            #expect(end.status == 0)
            #expect(Set(end.rows.map(\.[0])).count == 5000 && end.rows.allSatisfy { $0[2] == "delivered" })
        }

        @Test(arguments: [["--connections", "2"], ["--connections", "1...3"]])
        func aPoolWithoutAServerIsNotWaitedForLongerThanAllowed(_ connections: [String]) async throws {
            let stage = try await Stage()
            stage.simulator.signal(SIGKILL)
            let input = try stage.file("input.csv", Stage.tokens(0..<20))
            let end = try await Stage.run(
                ["bulk", input, "--payload", try stage.payload(), "--max-outage", "5"] + connections + stage.connection)
            #expect(end.status == 69)
            #expect(end.rows.count == 20 && end.rows.allSatisfy { $0[2] == "failed" && $0[4] == "not_connected" })
        }

        @Test func aPoolThatIsStillSmallIsNotHandedMoreThanItHasRoomFor() async throws {
            let stage = try await Stage()
            let input = try stage.file("input.csv", Stage.tokens(0..<20_000))
            let end = try await Stage.run(
                ["bulk", input, "--payload", try stage.payload(), "--connections", "1...8"] + stage.connection)
            #expect(end.status == 0)
            #expect(end.rows.count == 20_000 && end.rows.allSatisfy { $0[2] == "delivered" })
        }

        @Test func whereARateIsToBeKeptNothingIsReadWithoutALink() async throws {
            let stage = try await Stage()
            stage.simulator.signal(SIGKILL)
            let input = try stage.file("input.csv", Stage.tokens(0..<20))
            let end = try await Stage.run(
                ["bulk", input, "--payload", try stage.payload(), "--max-outage", "1", "--rate", "1000"]
                    + stage.connection)
            // All that had gathered would go out at once.
            #expect(end.status == 69 && end.rows.isEmpty)
        }

        @Test func recordsThatAreNotValidAreOutcomesToo() async throws {
            let stage = try await Stage()
            var bytes = Data(#"token,payload,topic"#.utf8 + [0x0A])
            bytes += Data("aabb,\"{\"\"aps\"\":{\"\"alert\"\":\"\"Hi\"\"}}\",\n".utf8)
            bytes += [0xFF, 0xFE] + Data(",{},\n".utf8)
            bytes += Data("\nxyz,{},\naabb,,\naabb,{},\ndeadbeef,{},\naabb,[1],\n".utf8)
            let end = try await Stage.run(["bulk", try stage.file("mixed.csv", bytes)] + stage.connection)
            #expect(end.status == 1)
            let byLine = Dictionary(uniqueKeysWithValues: end.rows.map { ($0[0], $0) })
            #expect(byLine.keys.sorted() == ["2", "3", "5", "6", "7", "8", "9"])
            #expect(byLine["2"]?[2...3] == ["delivered", "200"])
            #expect(byLine["7"]?[2] == "delivered")
            #expect(byLine["8"]?[2...4] == ["rejected", "410", "Unregistered"])
            let since = try #require(byLine["8"].flatMap { Double($0[6]) })
            #expect(abs(since - Date().timeIntervalSince1970) < 600)
            for line in ["3", "5", "6", "9"] {
                #expect(byLine[line]?[2...4] == ["failed", "", "invalid_input"] && byLine[line]?[8] == "not_sent")
            }
        }

        @Test(arguments: [(SIGINT, 130, "SIGINT"), (SIGTERM, 143, "SIGTERM"), (SIGHUP, 129, "SIGHUP")])
        func aSignalEndsTheReadingAndNamesTheLine(_ signal: Int32, _ status: Int32, _ name: String) async throws {
            let stage = try await Stage()
            let program = try Program(
                ["bulk", "-", "--payload", try stage.payload()] + stage.connection, feedsInput: true)
            try program.feed(Stage.tokens(0..<50))
            // The rows come although the input is open: nobody waits for a full buffer.
            #expect(await program.lines(51))
            program.signal(signal)
            let end = await program.end()
            #expect(end.status == status)
            #expect(end.rows.count == 50 && end.rows.allSatisfy { $0[2] == "delivered" })
            let words = "stopped by \(name). Reading stopped before line 52 of standard input; 50 records"
            #expect(end.errors.contains { $0.contains(words) })
        }

        @Test func aServerThatDiesIsNotWaitedForLongerThanAllowed() async throws {
            let stage = try await Stage()
            let program = try Program(
                ["bulk", "-", "--payload", try stage.payload(), "--max-outage", "10"] + stage.connection,
                feedsInput: true)
            try program.feed(Stage.tokens(0..<50))
            #expect(await program.lines(51))
            stage.simulator.signal(SIGKILL)
            #expect(await program.line(with: "no link to localhost") != nil)
            try program.feed(Stage.tokens(50..<60, header: false))
            let end = await program.end()
            #expect(end.status == 69)
            #expect(end.rows.count == 60)
            #expect(end.rows.filter { $0[2] == "delivered" }.count == 50)
            #expect(
                end.rows.filter { $0[2] == "failed" && $0[4] == "not_connected" && $0[8] == "not_sent" }.count == 10)
            #expect(end.errors.contains { $0.contains("no link for 10 s") && $0.contains("60 records") })
        }

        @Test(arguments: ["auto", "none"]) func aSnapshotIsPrintedWheneverItIsAskedFor(_ progress: String) async throws
        {
            let stage = try await Stage(script: #"{"rules": [{"when": {"pushTo": "ff"}, "then": "hold"}]}"#)
            let program = try Program(
                ["bulk", "-", "--payload", try stage.payload(), "--progress", progress, "--timeout", "100"]
                    + stage.connection, feedsInput: true)
            try program.feed(Stage.tokens(0..<3) + "ff01\nx\n")
            #expect(await program.lines(5))
            program.signal(SIGUSR1)
            #expect(await program.line(with: "in flight  1") != nil)
            #expect(await program.line(with: "links      link up") != nil)
            program.signal(SIGTERM)
            let end = await program.end(insisting: SIGTERM)
            #expect(end.status == 143)
            for line in ["records    4", "delivered  3", "failed     1  invalid_input 1"] {
                #expect(end.errors.contains { $0.hasPrefix(line) }, "\(end.errors)")
            }
        }

        @Test func linesAboutLinksHaveTheirTimeInALog() async throws {
            let stage = try await Stage()
            let program = try Program(
                ["bulk", "-", "--payload", try stage.payload()] + stage.connection, feedsInput: true)
            try program.feed(Stage.tokens(0..<1))
            #expect(await program.lines(2))
            stage.simulator.signal(SIGKILL)
            let line = try #require(await program.line(with: "no link to localhost"))
            #expect(line.hasPrefix("20") && line.contains("Z pushctl: no link to "))
            #expect(line.contains("; next attempt in "))
            program.signal(SIGTERM)
            #expect(await program.end().status == 143)
        }

        @Test func aRefusedCredentialIsSaidOnce() async throws {
            let script = #"{"rules": [{"when": "push", "then": {"refuse": "InvalidProviderToken"}}]}"#
            let stage = try await Stage(script: script)
            let input = try stage.file("input.csv", Stage.tokens(0..<1_000))
            let bulk = ["bulk", input, "--payload", try stage.payload()] + stage.connection
            let end = try await Stage.run(bulk)
            #expect(end.status == 77)
            let text = end.errors.joined(separator: "\n")
            #expect(end.errors.count { $0.contains("APNs refuses the credential") } == 1, "\(text)")
            #expect(text.contains("pushctl doctor tells which layer fails."))
            #expect(!text.contains("pid") && !text.contains("flight record"))
            let verbose = try await Stage.run(bulk + ["--verbose"])
            #expect(verbose.errors.contains { $0.hasPrefix("pushctl: flight record: ") })
        }

        @Test func rowsThatCannotBeWrittenAreSaid() async throws {
            let stage = try await Stage()
            let input = try stage.file("input.csv", Stage.tokens(0..<10))
            let end = try await Stage.run(
                ["bulk", input, "--payload", try stage.payload(), "--outcomes", "/dev/full"] + stage.connection)
            #expect(end.status == 2)
            #expect(end.errors.contains { $0.contains("cannot write /dev/full: no space left on device") })
        }

        @Test func theInputIsNeverOverwritten() async throws {
            let stage = try await Stage()
            let input = try stage.file("input.csv", Stage.tokens(0..<10))
            let end = try await Stage.run(
                ["bulk", input, "--payload", try stage.payload(), "--outcomes", input] + stage.connection)
            #expect(end.status == 64)
            #expect(try String(contentsOfFile: input, encoding: .utf8) == Stage.tokens(0..<10))
        }

        @Test func aSecondSignalLeavesARowForEachPushInFlight() async throws {
            let stage = try await Stage(script: #"{"rules": [{"when": {"pushTo": "ff"}, "then": "hold"}]}"#)
            // The pushes end with the second signal alone.
            let patient = ["--timeout", "100", "--drain", "100"] + stage.connection
            let program = try Program(["bulk", "-", "--payload", try stage.payload()] + patient, feedsInput: true)
            try program.feed(Stage.tokens(0..<1))
            #expect(await program.lines(2))
            try program.feed("ff01\nff02\n")
            // Both are read: the third row is that of a record that can't be pushed.
            try program.feed("x\n")
            #expect(await program.lines(3))
            program.signal(SIGTERM)
            let words = "another signal after a second leaves them as unknown"
            #expect(await program.line(with: "stopping: 2 pushes under way, up to 100 s; " + words) != nil)
            // One that comes too soon asks for nothing. The program goes by its own clock, so the signal is repeated.
            program.signal(SIGTERM)
            let end = await program.end(insisting: SIGINT)
            #expect(end.status == 143)
            #expect(end.rows.map { $0[0] }.sorted() == ["2", "3", "4", "5"])
            #expect(
                end.rows.filter { ["3", "4"].contains($0[0]) }.allSatisfy {
                    $0[2...4] == ["unknown", "", "cancelled"] && $0[8] == "unknown"
                })
        }

        @Test func aPushThatTimedOutIsWhatItsLateAnswerSays() async throws {
            let script =
                #"{"rules": [{"when": {"pushTo": "ee"}, "then": {"delay": "2s"}}, {"when": {"pushTo": "ff"}, "then": "hold"}]}"#
            let stage = try await Stage(script: script)
            let program = try Program(
                ["bulk", "-", "--payload", try stage.payload(), "--timeout", "1"] + stage.connection, feedsInput: true)
            try program.feed("token\nee01\nff02\n")
            // The one row comes although the input is open, the other once nothing can answer it any more.
            #expect(await program.lines(2))
            program.signal(SIGTERM)
            let end = await program.end()
            #expect(end.status == 143 && end.rows.count == 2)
            #expect(end.rows.first.map { Array($0[..<5]) } == ["2", "ee01", "delivered", "200", ""])
            #expect(end.rows.last.map { Array($0[..<5]) } == ["3", "ff02", "unknown", "", "timed_out"])
            #expect(end.rows.map { $0[7...8] } == [["1", "answered"], ["1", "unknown"]])
        }

        @Test func afterAnUnknownAttemptARowSaysHowThatEnded() async throws {
            let stage = try await Stage(script: #"{"rules": [{"when": {"pushTo": "ff"}, "then": "hold"}]}"#)
            let program = try Program(
                ["bulk", "-", "--payload", try stage.payload(), "--max-outage", "10", "--resend-unknown"]
                    + ["--timeout", "100"] + stage.connection, feedsInput: true)
            try program.feed("token\nff01\n")
            // That the second row is there says that the first push was written.
            try program.feed("aa\n")
            #expect(await program.lines(2))
            stage.simulator.signal(SIGKILL)
            let end = await program.end()
            #expect(end.status == 69 && end.rows.count == 2)
            #expect(end.rows.last.map { Array($0[..<5]) } == ["2", "ff01", "unknown", "", "connection_lost"])
        }

        @Test func recordsThatHaveExpiredAreNotPushed() async throws {
            let stage = try await Stage()
            let input = try stage.file("input.csv", "token,expiration\naa,1\nbb,0\ncc,1700000000\n")
            let end = try await Stage.run(["bulk", input, "--payload", try stage.payload()] + stage.connection)
            let byLine = Dictionary(uniqueKeysWithValues: end.rows.map { ($0[0], $0) })
            #expect(end.status == 1 && byLine["3"]?[2] == "delivered")
            for line in ["2", "4"] {
                #expect(byLine[line]?[2...4] == ["failed", "", "expired"] && byLine[line]?[8] == "not_sent")
            }
            #expect(end.errors.contains { $0.hasSuffix("line 2: expired 1970-01-01 00:00:01 UTC, before it was sent") })
            // Not a link is missed where nothing was to be sent.
            let past = try stage.file("past.csv", "token,expiration\naa,1\n")
            let alone = try await Stage.run(["bulk", past, "--payload", try stage.payload()] + stage.connection)
            #expect(alone.status == 1 && alone.rows.count == 1)
        }

        @Test func outcomesAreMadeOnceThereIsSomethingToPush() async throws {
            let stage = try await Stage()
            let outcomes = stage.folder + "/outcomes.csv"
            let flags = ["--payload", try stage.payload(), "--outcomes", outcomes]
            let header = try stage.file("header.csv", "token\n\n")
            #expect(try await Stage.run(["bulk", header] + flags + stage.connection).status == 66)
            let input = try stage.file("input.csv", Stage.tokens(0..<3))
            let noKey = stage.connection("--key", stage.folder + "/AuthKey_ABCDE12345.p8")
            #expect(try await Stage.run(["bulk", input] + flags + noKey).status == 78)
            #expect(!FileManager.default.fileExists(atPath: outcomes))
            #expect(try await Stage.run(["bulk", input] + flags + stage.connection).status == 0)
            let again = try await Stage.run(["bulk", input] + flags + stage.connection)
            #expect(again.status == 64 && again.errors.last?.contains("add --append or --overwrite") == true)
            #expect(try await Stage.run(["bulk", input, "--append"] + flags + stage.connection).status == 0)
            let rows = try String(contentsOfFile: outcomes, encoding: .utf8).split(separator: "\n")
            #expect(rows.count == 7 && rows.count { $0.hasPrefix("line,") } == 1)
        }

        @Test(arguments: ["InvalidProviderToken", "ExpiredProviderToken"])
        func aRefusedTokenMakesTheClockACause(_ reason: String) async throws {
            let stage = try await Stage(script: #"{"rules": [{"when": "push", "then": {"refuse": "\#(reason)"}}]}"#)
            let input = try stage.file("input.csv", Stage.tokens(0..<3))
            let end = try await Stage.run(
                ["bulk", input, "--payload", try stage.payload(), "--max-outage", "10"] + stage.connection)
            #expect(end.status == 77)
            #expect(end.errors.contains { $0.hasPrefix("pushctl: This machine's clock says 20") })
            let send = try await Stage.run(["send", "aabb", "--body", "x"] + stage.connection)
            #expect(send.status == 77, "\(send)")
            let advice = send.output.first { $0.hasPrefix("advice") }
            #expect(advice?.contains("This machine's clock says 20") == true && advice?.contains(" UTC") == true)
        }

        @Test func badInputEndsWithItsCode() async throws {
            let stage = try await Stage()
            let payload = ["--payload", try stage.payload()]
            for (name, text, words) in [
                ("empty.csv", "", "is empty"), ("header.csv", "token\n", "holds no records"),
                ("columns.csv", "device,payload\naabb,{}\n", "no column is named token"),
                ("empty.ndjson", "\n\n", "holds no records"),
            ] {
                let end = try await Stage.run(["bulk", try stage.file(name, text)] + payload + stage.connection)
                #expect(end.status == 66, "\(name)")
                #expect(end.errors.count == 1 && end.errors.first?.contains(words) == true, "\(name): \(end.errors)")
            }
            let tokens = try stage.file("tokens.csv", Stage.tokens(0..<1))
            #expect(try await Stage.run(["bulk", tokens] + stage.connection).status == 64)
            #expect(
                try await Stage.run(["bulk", stage.folder + "/none.csv"] + payload + stage.connection).status == 66)
            let nowhere = payload + ["--outcomes", stage.folder + "/none/outcomes.csv"]
            #expect(try await Stage.run(["bulk", tokens] + nowhere + stage.connection).status == 78)
        }
    }
}
