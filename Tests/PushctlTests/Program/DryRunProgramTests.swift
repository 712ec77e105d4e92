import Foundation
import Testing

extension ProgramTests {
    /// `--header` and `--dry-run`.
    @Suite(.timeLimit(.minutes(5))) struct DryRunProgramTests {
        @Test func aDryRunShowsTheRequestAndSendsNothing() async throws {
            let stage = try await Stage()
            let flags = ["send", "aabb", "--body", "Boarding", "--header", "apns-tomorrow:  1 ", "--dry-run"]
            // Nothing listens there: no network is used.
            let end = try await Stage.run(flags + stage.connection("--port", "1"))
            #expect(end.status == 0 && end.errors.isEmpty, "\(end.errors)")
            #expect(
                end.output == [
                    "endpoint  localhost:1", "path      /3/device/aabb", "bytes     37", "", ":method: POST",
                    ":scheme: https", ":authority: localhost:1", ":path: /3/device/aabb",
                    "apns-topic: com.example.app", "apns-push-type: alert", "apns-tomorrow: 1",
                    "apns-id: <made for each push>", "authorization: bearer <provider token>", "",
                    #"{"aps":{"alert":{"body":"Boarding"}}}"#,
                ])
        }

        @Test func asJSONItIsOneLine() async throws {
            let stage = try await Stage()
            let payload = try stage.file("lines.json", "{\n  \"aps\": {\"alert\": \"a\\nb\"}\r\n}\n")
            let end = try await Stage.run(
                ["send", "aabb", "--payload", payload, "--dry-run", "--json", "--header", "x-a: \"1\""]
                    + stage.connection)
            #expect(end.status == 0 && end.output.count == 1, "\(end.errors)")
            let line = try #require(end.output.first)
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(object["path"] as? String == "/3/device/aabb")
            #expect(object["bytes"] as? Int == (try Data(contentsOf: URL(fileURLWithPath: payload))).count)
            let headers = try #require(object["headers"] as? [[String: String]])
            #expect(headers.contains(["name": "x-a", "value": "\"1\""]))
            let shown = (object["payload"] as? [String: Any])?["aps"] as? [String: String]
            #expect(shown == ["alert": "a\nb"])
        }

        @Test func aDryRunChecksPushAndCredential() async throws {
            let stage = try await Stage()
            let large = ["send", "aabb", "--body", String(repeating: "a", count: 5_000), "--dry-run"]
            let refused = try await Stage.run(large + stage.connection)
            #expect(refused.status == 1 && refused.output.isEmpty)
            #expect(refused.errors.last?.contains("4096") == true)
            let noKey = try await Stage.run(
                ["send", "aabb", "--body", "b", "--dry-run", "--key-id", "ABCDE12345"]
                    + stage.connection("--key", stage.folder + "/none.p8"))
            #expect(noKey.status == 78 && noKey.errors.last?.contains("No such file") == true)
        }

        @Test func aBroadcastHasThemToo() async throws {
            let stage = try await Stage()
            let end = try await Stage.run(
                ["broadcast", "AAAA", "--event", "end", "--header", "x-a: 1", "--dry-run"] + stage.connection)
            #expect(end.status == 0, "\(end.errors)")
            #expect(end.output.contains("path      /4/broadcasts/apps/com.example.app"))
            #expect(end.output.contains("apns-channel-id: AAAA") && end.output.contains("x-a: 1"))
        }

        @Test(arguments: [
            ("no colon and a secret", "name: value"), ("apns-topic: secret", "set topic"), ("X-Upper: secret", "lower"),
            (":path: secret", "pseudo"), ("x-a: secret\u{1b}", "control"), ("connection: secret", "forbids"),
        ])
        func aFieldThatCannotBeSentIsAUsageError(field: String, words: String) async throws {
            let end = try await Stage.run(
                ["send", "aabb", "--body", "b", "--header", field, "--key", "k", "--key-id", "A", "--team-id", "T"])
            #expect(end.status == 64 && end.errors.count == 1)
            #expect(end.errors.first?.contains(words) == true && end.errors.first?.contains("secret") == false)
        }

        @Test func aFieldIsSent() async throws {
            let stage = try await Stage()
            let end = try await Stage.run(
                ["send", "aabb", "--body", "b", "--header", "x-a: 1", "--header", "x-b: 2"] + stage.connection)
            #expect(end.status == 0, "\(end.errors)")
        }
    }
}
