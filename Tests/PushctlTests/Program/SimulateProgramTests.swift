import Foundation
import SupervisedPush
import TestSupport
import Testing

extension ProgramTests {
    /// `pushctl simulate` as the server of other programs.
    @Suite("parity: F11 – pushctl simulate for other programs", .timeLimit(.minutes(5)))
    final class SimulateProgramTests {
        private let folder: String

        init() throws {
            // The program prints paths without links and double slashes.
            let temporary = URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath().path
            folder = temporary + "/pushctl-simulate-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder + "/tmp", withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        private func start(_ flags: [String], feedsInput: Bool = false) throws -> Program {
            try Program(
                ["simulate"] + flags, feedsInput: feedsInput,
                variables: ["TMPDIR=\(folder)/tmp", "HOME=\(folder)", "FOLDER=\(folder)"])
        }

        private func end(_ simulator: Program) async -> Program.End {
            simulator.signal(SIGTERM)
            return await simulator.end()
        }

        private func settings(_ simulator: Program) async throws -> (line: String, object: [String: Any]) {
            let line = try #require(await simulator.line(with: "\"management-port\""))
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return (line, try #require(object))
        }

        private func file(_ name: String, _ text: String) throws -> String {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
            return folder + "/" + name
        }

        private var temporary: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: folder + "/tmp") }
        }

        @Test func oneSignalEndsItWhileItsLogHasNoReader() async throws {
            let pipe = folder + "/pipe"
            try #require(mkfifo(pipe, 0o600) == 0)
            let config = folder + "/push.json"
            let simulator = try start(["--log", pipe, "--write-config", config])
            // The last that it does before it opens the log.
            await until { FileManager.default.fileExists(atPath: config) }
            let end = await end(simulator)
            #expect(end.status == 143)
            #expect(end.errors.last?.contains("before anything was begun") == true)
            #expect(try temporary.isEmpty && !FileManager.default.fileExists(atPath: config))
        }

        // MARK: The configuration

        @Test func whatItPrintsIsAConfigurationForEveryCommand() async throws {
            let simulator = try start(["--credentials", folder + "/ca"])
            let (line, object) = try await settings(simulator)
            let config = try file("push.json", line)
            #expect(object["host"] as? String == "localhost")
            #expect((object["key"] as? String)?.hasPrefix(folder + "/ca/AuthKey_") == true)
            #expect(try await Stage.run(["send", "aabb", "--body", "x", "--config", config]).status == 0)
            let created = try await Stage.run(["channels", "create", "--storage", "latest", "--config", config])
            #expect(created.status == 0, "\(created.errors)")
            let channel = try #require(created.output.first)
            let broadcast = ["broadcast", channel, "--event", "update", "--content-state", "{}", "--config", config]
            #expect(try await Stage.run(broadcast).status == 0)
            let token = try await Stage.run(["token", "--config", config])
            #expect(token.status == 0 && token.output.first?.hasPrefix("ey") == true)
            let certificate = try #require(try PushConnection.Configuration.named(contentsOf: config)["certificate"])
            #expect(certificate.host == "localhost" && "\(certificate.credential)".contains("provider.pem"))
            _ = await end(simulator)
        }

        @Test func aPortFlagOfChannelsIsTheManagements() async throws {
            let simulator = try start([])
            let (line, object) = try await settings(simulator)
            let wrong = line.replacingOccurrences(
                of: #""management-port":\#(object["management-port"] ?? 0)"#, with: #""management-port":1"#)
            let config = try file("push.json", wrong)
            let port = "\(try #require(object["management-port"] as? Int))"
            #expect(try await Stage.run(["channels", "list", "--config", config, "--port", port]).status == 0)
            let refused = try await Stage.run(["channels", "list", "--config", config, "--timeout", "1"])
            #expect(refused.status == 69)
            _ = await end(simulator)
        }

        @Test func aConfigurationFileIsThereWhileItListens() async throws {
            let config = folder + "/push.json"
            let simulator = try start(["--write-config", config])
            let line = try await settings(simulator).line
            #expect(try String(contentsOfFile: config, encoding: .utf8) == line + "\n")
            let mode = try FileManager.default.attributesOfItem(atPath: config)[.posixPermissions]
            #expect(mode as? Int == 0o600)
            #expect(try await Stage.run(["send", "aabb", "--body", "x", "--config", config]).status == 0)
            #expect(await end(simulator).status == 143)
            #expect(!FileManager.default.fileExists(atPath: config))
            #expect(try temporary.isEmpty)
            // What a simulator left that was killed.
            _ = try file("push.json", line)
            let next = try start(["--write-config", config])
            #expect(try await settings(next).line != line)
            _ = await end(next)
        }

        @Test func aFileOfAnotherKindIsNotReplacedByAConfiguration() async throws {
            let own = try file("push.json", #"{"host": "localhost", "certificate": "c"}"#)
            for (path, words) in [
                (own, "no simulator has written it"), (folder, "no simulator has written it"),
                ("/dev/null", "no simulator has written it"), ("-", "--write-config needs the name of a file"),
                ("", "needs the name of a file"),
            ] {
                let end = try await Stage.run(["simulate", "--write-config", path])
                #expect(end.status == 64 && end.errors.last?.contains(words) == true, "\(end.errors)")
            }
            #expect(try String(contentsOfFile: own, encoding: .utf8).contains("\"c\""))
            let nowhere = try await Stage.run(["simulate", "--write-config", folder + "/none/push.json"])
            #expect(nowhere.status == 78 && nowhere.output.isEmpty)
        }

        @Test func aProfileAndTheVariableLeadToItToo() async throws {
            let simulator = try start([])
            let line = try await settings(simulator).line
            let config = try file("push.json", line)
            try FileManager.default.createDirectory(
                atPath: folder + "/.config/pushctl", withIntermediateDirectories: true)
            _ = try file(".config/pushctl/config.json", #"{"local": \#(line), "broken": {"colour": "red"}}"#)
            let send = ["send", "aabb", "--body", "x"]
            let home = "HOME=\(folder)"
            #expect(try await Stage.run(["--profile", "local"] + send, [home]).status == 0)
            #expect(try await Stage.run(send, ["PUSHCTL_CONFIG=\(config)"]).status == 0)
            let wrong = try await Stage.run(send + ["--profile", "broken"], [home, "PUSHCTL_CONFIG=\(config)"])
            #expect(wrong.status == 78 && wrong.errors.last?.contains("colour") == true)
            let both = try await Stage.run(send + ["--profile", "local", "--config", config], [home])
            #expect(both.status == 64 && both.errors.count == 1)
            _ = await end(simulator)
        }

        // MARK: Names and addresses

        @Test func itListensWhereItIsToldAndItsCertificateSaysSo() async throws {
            let simulator = try start(["--host", "127.0.0.2", "--credentials", folder + "/ca"])
            let (line, object) = try await settings(simulator)
            #expect(object["host"] as? String == "127.0.0.2")
            let config = try file("push.json", line)
            #expect(try await Stage.run(["send", "aabb", "--body", "x", "--config", config]).status == 0)
            #expect(try await Stage.run(["channels", "list", "--config", config]).status == 0)
            #expect(await end(simulator).errors.allSatisfy { !$0.contains("is new") })
        }

        @Test func aKeptCertificateWithoutTheNameIsIssuedAnewByItsAuthority() async throws {
            let ca = folder + "/ca"
            _ = await end(try await ready(["--credentials", ca]))
            let authority = try String(contentsOfFile: ca + "/ca.pem", encoding: .utf8)
            let named = ["--credentials", ca, "--host", "0.0.0.0", "--san", "apns.internal", "--san", "127.0.0.3"]
            let simulator = try start(named)
            let (line, object) = try await settings(simulator)
            #expect(object["host"] as? String == "apns.internal")
            let config = try file("push.json", line)
            let send = ["send", "aabb", "--body", "x", "--config", config]
            for host in ["127.0.0.3", "localhost"] {
                #expect(try await Stage.run(send + ["--host", host]).status == 0)
            }
            let other = try await Stage.run(send + ["--host", "127.0.0.4", "--timeout", "1"])
            #expect(other.status == 69)
            let ended = await end(simulator)
            #expect(ended.errors.first?.contains("/ca/server.pem is new") == true)
            #expect(try String(contentsOfFile: ca + "/ca.pem", encoding: .utf8) == authority)
            // It has the names now, and stays.
            #expect(await end(try await ready(named)).errors.allSatisfy { !$0.contains("is new") })
            try FileManager.default.removeItem(atPath: ca + "/ca-key.pem")
            let without = try await Stage.run(["simulate", "--credentials", ca, "--san", "elsewhere"])
            #expect(without.status == 78 && without.errors.last?.contains("ca-key.pem") == true)
        }

        private func ready(_ flags: [String]) async throws -> Program {
            let simulator = try start(flags)
            _ = try await settings(simulator)
            return simulator
        }

        @Test(arguments: [
            (["--host", "apns"], "--host 'apns' is not an address"), (["--host", "1.2.3"], "--host"),
            (["--san", "a:443"], "--san 'a:443'"), (["--san", "a,IP:1.2.3.4"], "--san"), (["--san", ""], "--san"),
        ])
        func whatIsNoAddressOrNameIsAUsageError(flags: [String], words: String) async throws {
            let end = try await Stage.run(["simulate"] + flags)
            #expect(end.status == 64 && end.errors.count == 1 && end.errors[0].contains(words), "\(end.errors)")
        }

        @Test(arguments: [
            ([], "com.example.app", 0), ([], "com.example.shop", 1),
            (["--topic", "com.example.shop"], "com.example.shop", 0),
            (["--topic", "com.example.shop"], "com.example.app", 0), (["--topic", "any"], "com.example.news", 0),
        ])
        func itAcceptsItsTopicsAndNoOthers(flags: [String], topic: String, status: Int32) async throws {
            let script = "/proc/$PPID/exe send aabb --body x --topic \(topic); exit $?"
            let end = try await start(flags + ["--", "sh", "-c", script]).end()
            #expect(end.status == status, "\(end.output) \(end.errors)")
            #expect((end.output + end.errors).contains { $0.contains("TopicDisallowed") } == (status == 1))
        }

        @Test func aLateTopicIsRefusedOnTheFirstConnectionAndAcceptedOnTheNext() async throws {
            let records = try file("late.csv", "token,topic\naabb,com.example.app\nccdd,com.example.new\n")
            let payload = try file("late.json", #"{"aps":{"alert":"x"}}"#)
            let script = "/proc/$PPID/exe bulk \(records) --payload \(payload); exit $?"
            let end = try await start(["--late-topic", "com.example.new", "--", "sh", "-c", script]).end()
            #expect(end.status == 0, "\(end.output) \(end.errors)")
            #expect(end.errors.contains { $0.contains("--late-topic com.example.new") }, "\(end.errors)")
        }

        @Test(arguments: [["--late-topic", ""], ["--late-topic", "a b"], ["--late-topic", "a", "--topic", "any"]])
        func aLateTopicThatCannotBeIsAUsageError(flags: [String]) async throws {
            let end = try await Stage.run(["simulate"] + flags)
            #expect(
                end.status == 64 && end.errors.count == 1 && end.errors[0].contains("--late-topic"), "\(end.errors)")
        }

        @Test func anEmptyTopicIsAUsageError() async throws {
            let end = try await Stage.run(["simulate", "--topic", ""])
            #expect(end.status == 64 && end.errors.count == 1 && end.errors[0].contains("--topic"), "\(end.errors)")
        }

        // MARK: A program

        @Test func aProgramRunsAgainstItAndGivesItsExitCode() async throws {
            // The parent of the shell is the simulator, whose program is pushctl.
            let script = #"""
                echo "$PUSHCTL_SIMULATOR_HOST $PUSHCTL_SIMULATOR_TOPIC"
                test "$PUSHCTL_CONFIG" -nt / && stat -c %a "$PUSHCTL_CONFIG"
                test -s "$PUSHCTL_SIMULATOR_TRUST_ROOTS" && test -n "$PUSHCTL_SIMULATOR_MANAGEMENT_PORT" || exit 1
                /proc/$PPID/exe send aabb --body x || exit 2
                /proc/$PPID/exe channels list || exit 3
                exit 7
                """#
            let end = try await start(["--", "sh", "-c", script]).end()
            #expect(end.status == 7, "\(end.errors)")
            #expect(end.output.prefix(3) == ["localhost com.example.app", "600", "outcome   delivered"])
            #expect(!end.output.contains { $0.contains("management-port") })
            #expect(end.errors.contains { $0.contains("1 push processed, 1 accepted") })
            #expect(try temporary.isEmpty)
        }

        @Test func aProgramCanHaveTheFileItIsGiven() async throws {
            let end = try await start([
                "--write-config", folder + "/push.json", "--", "sh", "-c",
                #"cmp "$PUSHCTL_CONFIG" "$FOLDER/push.json""#,
            ]).end()
            #expect(end.status == 0, "\(end.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder + "/push.json"))
        }

        @Test func withoutASimulatorTheProgramIsNotRun() async throws {
            let other = try start([])
            let port = "\(try #require(try await settings(other).object["port"] as? Int))"
            let end = try await start(["--port", port, "--", "touch", folder + "/run"]).end()
            #expect(end.status == 69 && end.output.isEmpty && end.errors.count == 1)
            #expect(end.errors.first?.contains(port) == true, "\(end.errors)")
            #expect(!FileManager.default.fileExists(atPath: folder + "/run"))
            _ = await self.end(other)
            #expect(try temporary.isEmpty)
        }

        @Test func aProgramThatCannotBeRunHasAShellsExitCode() async throws {
            let missing = try await start(["--", "no-such-program", "--port", "x"]).end()
            #expect(missing.status == 127)
            #expect(missing.errors.first == "pushctl: no-such-program cannot be run: it is not on the PATH.")
            let folder = try await start(["--", self.folder]).end()
            #expect(folder.status == 126 && folder.errors.first?.contains("cannot be run: permission denied") == true)
            #expect(try temporary.isEmpty)
        }

        /// In a terminal, Ctrl-C reaches the program without help, and SIGINT is not passed on.
        private static var signals: [(Int32, String)] {
            let terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY)
            if terminal >= 0 { close(terminal) }
            return [(SIGTERM, "TERM"), (SIGHUP, "HUP")] + (terminal < 0 ? [(SIGINT, "INT")] : [])
        }

        @Test(arguments: signals)
        func aSignalReachesTheProgram(signal: Int32, name: String) async throws {
            // A signal before it waits is noticed, too.
            let script = "trap 'echo caught; exit 5' \(name); echo ready; for n in $(seq 1200); do sleep 0.1; done"
            let simulator = try start(["--", "sh", "-c", script])
            #expect(await simulator.line(with: "ready") != nil)
            simulator.signal(signal)
            let end = await simulator.end()
            #expect(end.status == 5 && end.output == ["ready", "caught"], "\(end.errors)")
            #expect(try temporary.isEmpty)
        }

        @Test func aProgramThatASignalEndsHasItsShellExitCode() async throws {
            let simulator = try start(["--", "sh", "-c", "echo ready; exec cat"], feedsInput: true)
            #expect(await simulator.line(with: "ready") != nil)
            simulator.signal(SIGTERM)
            #expect(await simulator.end().status == 143)
            let broken = try await start(["--", "sh", "-c", "kill -PIPE $$; exit 1"]).end()
            #expect(broken.status == 141)
        }

        // MARK: What arrives

        @Test func everyRequestIsALineForAPerson() async throws {
            let simulator = try start(["-v"])
            let (line, _) = try await settings(simulator)
            let config = try file("push.json", line)
            let token = "deadbeef" + String(repeating: "0", count: 48) + "00000001"
            let send = ["send", token, "--body", "x", "--priority", "5", "--collapse-id", "gate 7", "--config", config]
            #expect(try await Stage.run(send).status == 1)
            #expect(try await Stage.run(["send", "aabb", "--body", "x", "--config", config]).status == 0)
            #expect(try await Stage.run(["channels", "create", "--config", config]).status == 0)
            let end = await end(simulator)
            let lines = end.errors.map { $0.split(separator: " ").map(String.init) }
            try #require(lines.count == 6, "\(end.errors)")
            #expect(
                lines[0].dropFirst() == [
                    "alert", "5", "com.example.app", "deadbeef…00000001", "gate_7", "410", "Unregistered",
                ])
            #expect(lines[0][0].wholeMatch(of: /\d\d:\d\d:\d\d\.\d\d\d/) != nil)
            #expect(lines[1].dropFirst() == ["alert", "-", "com.example.app", "aabb", "-", "200"])
            // The program lists the channels before it makes one.
            #expect(lines[2][1] == "list" && lines[3][1] == "create" && lines[3].last == "201")
            #expect(end.output.count == 1)
        }

        @Test func theLogHasTimeHeadersAndPayload() async throws {
            let log = folder + "/log.jsonl"
            let simulator = try start(["--log", log])
            let (line, object) = try await settings(simulator)
            let config = try file("push.json", line)
            let payload = try file("payload.json", "{\"aps\":\n {\"alert\": \"é\"}, \"n\": 1e2}\n")
            let sent = try await Stage.run([
                "send", "aabb", "--payload", payload, "--priority", "5", "--header", "x-own: a", "--config", config,
            ])
            #expect(sent.status == 0, "\(sent.errors)")
            let token = try #require(try await Stage.run(["token", "--config", config]).output.first)
            let curl = await Process.run(
                "/usr/bin/curl",
                ["-s", "--http2", "--cacert", try #require(object["trust-roots"] as? String)]
                    + ["-H", "authorization: bearer \(token)", "-H", "apns-topic: com.example.app", "-d", "{\"a\""]
                    + ["https://localhost:\(try #require(object["port"] as? Int))/3/device/ccdd"])
            #expect(curl == 0)
            _ = await end(simulator)
            let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map {
                try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
            try #require(lines.count == 2)
            #expect((lines[0]["time"] as? String)?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
            let headers = try #require(lines[0]["headers"] as? [String: String])
            #expect(headers["apns-priority"] == "5" && headers["x-own"] == "a" && headers[":path"] == "/3/device/aabb")
            #expect(headers["authorization"] == "…" && lines[0]["provider_token"] as? Int == 1)
            let content = lines[0]["payload"] as? NSDictionary
            #expect(content == ["aps": ["alert": "é"], "n": 100])
            #expect(lines[1]["payload"] is NSNull && lines[1]["payload_base64"] as? String == "eyJhIg==")
            #expect(lines[1]["bytes"] as? Int == 4)
        }
    }
}

extension Process {
    /// Runs a program without output to its end.
    fileprivate static func run(_ path: String, _ arguments: [String]) async -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        return await withCheckedContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(returning: -1) }
        }
    }
}
