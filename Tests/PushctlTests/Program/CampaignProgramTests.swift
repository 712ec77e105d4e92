import Foundation
import Testing

extension ProgramTests {
    /// Placeholders, `--strict` and `--dry-run` of `pushctl bulk`.
    @Suite(.timeLimit(.minutes(5))) struct CampaignProgramTests {
        /// What a simulated APNs was sent: collapse id and payload, by token.
        private func seen(_ log: String) throws -> [String: (collapseID: String?, payload: NSDictionary?)] {
            var seen: [String: (String?, NSDictionary?)] = [:]
            for line in try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n") {
                let record = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                let headers = try #require(record?["headers"] as? [String: String])
                let token = try #require(record?["token"] as? String)
                seen[token] =
                    (headers["apns-collapse-id"], record?["payload"] as? NSDictionary)
            }
            return seen
        }

        private let template =
            #"{"aps":{"alert":{"title":"{{name}}","body":"\\{{x}}"},"badge":{{unread}}},"order":"{{order}}"}"#

        @Test func placeholdersTakeTheValuesOfEachRecord() async throws {
            let stage = try await Stage()
            let log = stage.folder + "/log.json"
            let input = try stage.file(
                "in.csv",
                "token,name,unread,order,payload\naa01,\"Ann \"\"A\"\"\",3,o1,\naa02,Bo,x,o2,\naa03,Cy,0,\(String(repeating: "o", count: 70)),\naa04,,1,o4,\"{\"\"aps\"\":{\"\"alert\"\":\"\"own\"\"}}\"\n"
            )
            let end = try await Stage.run(
                ["simulate", "--log", log, "--", Program.binary, "bulk", input, "--payload"]
                    + [try stage.file("p.json", template), "--collapse-id", "order-{{order}}"])
            #expect(end.status == 1, "\(end.errors)")
            let seen = try seen(log)
            #expect(seen.keys.sorted() == ["aa01", "aa04"])
            #expect(seen["aa01"]?.collapseID == "order-o1" && seen["aa04"]?.collapseID == "order-o4")
            let expected: NSDictionary = [
                "aps": ["alert": ["title": "Ann \"A\"", "body": "{{x}}"], "badge": 3], "order": "o1",
            ]
            #expect(seen["aa01"]?.payload == expected)
            #expect(seen["aa04"]?.payload == ["aps": ["alert": "own"]])
            #expect(end.errors.contains { $0.contains("line 3: unread is not a number, true, false or null") })
            #expect(end.errors.contains { $0.contains("line 4: the collapse id has 76 bytes") })
            #expect(!end.errors.contains { $0.contains("ignored") })
        }

        @Test func theAlertFlagsHaveThemToo() async throws {
            let stage = try await Stage()
            let log = stage.folder + "/log.json"
            let input = try stage.file(
                "in.ndjson",
                "{\"token\":\"aa01\",\"name\":\"Ann\",\"gate\":12}\n{\"token\":\"aa02\",\"name\":\"Bo\",\"colour\":1}\n"
            )
            let end = try await Stage.run(
                ["simulate", "--log", log, "--", Program.binary, "bulk", input, "--title", "Hi {{name}}"]
                    + ["--loc-key", "GATE", "--loc-arg", "{{gate}}"])
            #expect(end.status == 1, "\(end.errors)")
            #expect(
                try seen(log)["aa01"]?.payload
                    == ["aps": ["alert": ["title": "Hi Ann", "loc-key": "GATE", "loc-args": ["12"]]]])
            #expect(end.errors.contains { $0.hasSuffix("line 2: there is no text or number for {{gate}}") })
            #expect(end.errors.contains { $0.hasSuffix("in.ndjson: the member colour is ignored") })
        }

        @Test func theLimitHoldsForWhatARecordMakesOfThem() async throws {
            let stage = try await Stage()
            let long = String(repeating: "x", count: 5_000)
            let input = try stage.file("in.csv", "token,name\naa01,short\naa02,\(long)\n")
            let end = try await Stage.run(["bulk", input, "--body", "{{name}}"] + stage.connection)
            #expect(end.status == 1)
            let ends = Set(end.rows.map { (row: [String]) -> [String] in [row[0], row[2], row[4]] })
            #expect(end.rows.count == 2 && ends == [["2", "delivered", ""], ["3", "failed", "payload_too_large"]])
        }

        @Test(
            arguments: [
                (["--body", "{{nmae}}"], "{{nmae}}: IN has no column nmae; did you mean name?"),
                (["--body", "{{name"], "the alert: the payload has no name and }} after {{"),
                (["--body", "x", "--collapse-id", "{{"], "--collapse-id has no name and }} after {{"),
                (["--push-type", "background", "--body", "x"], "no record can be pushed: a background push must"),
                (["--body", "x", "--priority", "7"], "--priority 7 is unknown"),
                (
                    ["--body", "x", "--expiration", "1900000000000"],
                    "is in milliseconds; give UNIX seconds: 1900000000"
                ),
                (["--body", String(repeating: "x", count: 5_000)], "no record can be pushed: the payload has 50"),
            ])
        func whatNoRecordCanUseIsAUsageError(_ flags: [String], _ words: String) async throws {
            let stage = try await Stage()
            let input = try stage.file("in.csv", "token,name\naa01,x\n")
            let end = try await Stage.run(["bulk", input] + flags + stage.connection)
            let expected = words.replacingOccurrences(of: "IN", with: input)
            #expect(end.status == 64 && end.output.isEmpty, "\(end.errors)")
            #expect(end.errors.contains { $0.contains(expected) }, "\(end.errors)")
        }

        @Test func whatMeansNothingIsSaidOnce() async throws {
            let stage = try await Stage()
            let input = try stage.file("in.csv", "token,colapse_id,payload\naa01,x,\naa02,y,\"{\"\"alert\"\":1}\"\n")
            let payload = try stage.file("p.json", #"{"aps":{"allert":"x"}}"#)
            let end = try await Stage.run(["bulk", input, "--payload", payload] + stage.connection)
            #expect(end.status == 0)
            #expect(
                end.errors.prefix(3) == [
                    "pushctl: the payload: allert in aps means nothing to a device; did you mean alert?",
                    "pushctl: \(input): the column colapse_id is ignored; did you mean collapse_id?",
                    "pushctl: \(input), line 3: payload: alert is not inside aps, where devices look for it",
                ])
            let send = try await Stage.run(["send", "aabb", "--payload", payload] + stage.connection)
            #expect(send.status == 0 && send.errors.first?.contains("did you mean alert?") == true)
        }

        // MARK: --strict

        @Test func strictPushesNothingIfOneRecordIsNotValid() async throws {
            let stage = try await Stage()
            let outcomes = stage.folder + "/outcomes.csv"
            let text = "token\n" + (0..<1_000).map { $0 % 50 == 7 ? "x\n" : "aa\n" }.joined()
            let input = try stage.file("in.csv", text)
            let flags = ["--payload", try stage.payload(), "--strict", "--outcomes", outcomes]
            let end = try await Stage.run(["bulk", input] + flags + stage.connection)
            #expect(end.status == 66 && end.output.isEmpty, "\(end.errors)")
            #expect(end.errors.count { $0.contains(", line ") } == 10 && end.errors.count == 12)
            #expect(end.errors[10].contains("10 more records were not pushed: 10 invalid_input ("))
            #expect(end.errors[11].contains("20 of 1,000 records of \(input) are not valid; --strict pushes nothing"))
            #expect(!FileManager.default.fileExists(atPath: outcomes))
            let valid = try stage.file("valid.csv", Stage.tokens(0..<20))
            let good = try await Stage.run(["bulk", valid] + flags + stage.connection)
            #expect(good.status == 0)
        }

        @Test(
            arguments: [
                ("token\naa\n", #"{"alert":"x"}"#, 64, "the payload: alert is not inside aps"),
                ("token,colour\naa,\n", #"{"aps":{"alert":"x"}}"#, 66, "the column colour is ignored"),
                ("token,payload\naa,{\"order\":1}\n", #"{"aps":{"alert":"x"}}"#, 66, "payload: there is no aps"),
                ("token,expiration\naa,1\n", #"{"aps":{"alert":"x"}}"#, 66, "expired 1970"),
                ("token,n\naa,true\n", #"{"aps":{"alert":"x","badge":{{n}}}}"#, 66, "payload: badge is a Boolean"),
            ])
        func strictTakesAWarningForAnError(
            _ records: String, _ payload: String, _ status: Int32, _ words: String
        ) async throws {
            let stage = try await Stage()
            let input = try stage.file("in.csv", records)
            let file = try stage.file("p.json", payload)
            let end = try await Stage.run(["bulk", input, "--payload", file, "--strict"] + stage.connection)
            #expect(end.status == status && end.output.isEmpty, "\(end.errors)")
            #expect(end.errors.contains { $0.contains(words) }, "\(end.errors)")
        }

        @Test func aJournalThatHasBegunIsNotCheckedAgain() async throws {
            let stage = try await Stage()
            let soon = Int(Date().timeIntervalSince1970) + 3_600
            let input = try stage.file("in.csv", "token,expiration\naa01,\(soon)\naa02,\(soon)\n")
            let files = ["--outcomes", stage.folder + "/o.csv", "--journal", stage.folder + "/j"]
            let arguments = ["bulk", input, "--body", "x", "--strict", "--limit", "1"] + files + stage.connection
            #expect(try await Stage.run(arguments).status == 0)
            #expect(try await Stage.run(arguments).status == 0)
            #expect(try String(contentsOfFile: stage.folder + "/o.csv", encoding: .utf8).contains("3,aa02,delivered"))
        }

        @Test func aTopicTakesNoPlaceholder() async throws {
            let stage = try await Stage()
            let input = try stage.file("in.csv", "token,app\naa,com.example\n")
            let end = try await Stage.run(["bulk", input, "--body", "x"] + stage.connection + ["--topic", "{{app}}"])
            #expect(end.status == 64 && end.errors.first?.contains("use a column topic") == true, "\(end.errors)")
        }

        @Test func strictNeedsAFile() async throws {
            let stage = try await Stage()
            let end = try await Stage.run(["bulk", "-", "--body", "x", "--strict"] + stage.connection)
            #expect(end.status == 64 && end.errors.first?.contains("reads INPUT twice") == true)
        }

        // MARK: --dry-run

        @Test func aDryRunCountsAndSendsNothing() async throws {
            let stage = try await Stage()
            let input = try stage.file("in.csv", "token,name\nx,\naa01,Ann\naa02,Barbara\n")
            let outcomes = stage.folder + "/outcomes.csv"
            // Nothing listens there: no network is used.
            let flags =
                ["bulk", input, "--body", "Hi {{name}}", "--dry-run", "--outcomes", outcomes]
                + stage.connection("--port", "1")
            let end = try await Stage.run(flags)
            #expect(end.status == 1, "\(end.errors)")
            #expect(end.output.first == "endpoint  localhost:1")
            #expect(end.output.contains(":path: /3/device/aa01"))
            #expect(
                end.output.suffix(5) == [
                    #"{"aps":{"alert":{"body":"Hi Ann"}}}"#, "", "records   3", "valid     2  35 to 39 bytes",
                    "invalid   1  invalid_input 1",
                ])
            #expect(end.errors.count == 1 && end.errors.first?.contains("line 2: ") == true)
            #expect(!FileManager.default.fileExists(atPath: outcomes))
            let json = try await Stage.run(flags + ["--json"])
            #expect(json.output.count == 2)
            #expect(
                json.output.last
                    == #"{"records":3,"valid":2,"invalid":1,"invalid_reasons":{"invalid_input":1},"duplicates":0,"#
                    + #""left_out":0,"bytes_min":35,"bytes_max":39}"#)
        }

        @Test func aDryRunReadsAPipe() async throws {
            let end = try await Stage.run([
                "simulate", "--", "sh", "-c",
                "printf 'token\\naa\\nbb\\n' | \(Program.binary) bulk - --body x --dry-run",
            ])
            #expect(end.status == 0, "\(end.errors)")
            #expect(end.output.suffix(2) == ["valid     2  30 bytes each", "invalid   0"])
        }
    }
}
