import Foundation
import Testing

extension ProgramTests {
    /// `send --simulator`, with an `xcrun` of the test's own on the PATH.
    @Suite("parity: P11 – pushctl send --simulator pushes with xcrun simctl", .timeLimit(.minutes(5)))
    final class SimulatorProgramTests {
        private let folder: String

        init() throws {
            folder = NSTemporaryDirectory() + "/pushctl-simulator-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder + "/tmp", withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        /// An `xcrun` that keeps its arguments and the file, says something, and ends so.
        private func fakeXcrun(exit status: Int32) throws {
            let path = folder + "/xcrun"
            let script = """
                #!/bin/sh
                for word in "$@"; do echo "$word" >> "\(folder)/words"; done
                /bin/cp "$5" "\(folder)/seen.apns"
                echo "simctl says this"
                exit \(status)
                """
            try makeProgram(script, at: path)
        }

        /// Lets another process write it: a program that is started at the same time would inherit our descriptor, and
        /// Linux runs no file that is open for writing.
        private func makeProgram(_ script: String, at path: String) throws {
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            shell.arguments = ["-c", #"printf %s "$1" >"$2" && chmod 755 "$2""#, "sh", script, path]
            try shell.run()
            shell.waitUntilExit()
            try #require(shell.terminationStatus == 0)
        }

        private func run(_ arguments: [String]) async throws -> Program.End {
            try await Program(
                ["send"] + arguments, variables: ["PATH=\(folder)", "TMPDIR=\(folder)/tmp", "HOME=\(folder)"]
            ).end()
        }

        private var kept: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: folder + "/tmp") }
        }

        private func object(_ path: String) throws -> NSDictionary {
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            return try #require(JSONSerialization.jsonObject(with: data) as? NSDictionary)
        }

        @Test func theFileIsWrittenPushedAndRemoved() async throws {
            try fakeXcrun(exit: 0)
            let end = try await run([
                "--simulator", "iPhone 17", "--bundle", "com.example.app", "--title", "Flight A998", "--badge", "0",
            ])
            #expect(end.status == 0, "\(end.errors)")
            #expect(
                end.output == ["outcome   delivered", "simulator iPhone 17", "bundle    com.example.app"])
            // What simctl says is for a person.
            #expect(end.errors == ["simctl says this"])
            let words = try String(contentsOfFile: folder + "/words", encoding: .utf8).split(separator: "\n")
            #expect(words.prefix(4) == ["simctl", "push", "iPhone 17", "com.example.app"])
            #expect(words.count == 5 && words[4].hasPrefix(folder + "/tmp/") && words[4].hasSuffix(".apns"))
            #expect(
                try object(folder + "/seen.apns") == [
                    "aps": ["alert": ["title": "Flight A998"], "badge": 0],
                    "Simulator Target Bundle": "com.example.app",
                ])
            #expect(try kept.isEmpty)
        }

        @Test func aPushThatSimctlRefusesFailsAndItsFileStays() async throws {
            try fakeXcrun(exit: 149)
            let end = try await run(["--simulator", "booted", "--bundle", "com.example.app", "--body", "b"])
            #expect(end.status == 1 && end.output.isEmpty)
            let line = try #require(end.errors.last)
            #expect(line.contains("ended with 149") && line.contains("is the device booted"))
            let file = try #require(try kept.first)
            #expect(line.contains("The push stays in \(folder)/tmp/\(file)."))
            #expect(try object(folder + "/tmp/" + file)["Simulator Target Bundle"] as? String == "com.example.app")
            let mode = try FileManager.default.attributesOfItem(atPath: folder + "/tmp/" + file)[.posixPermissions]
            #expect(mode as? Int == 0o600)
        }

        @Test func aSignalReachesXcrun() async throws {
            let path = folder + "/xcrun"
            // It ends when its standard input does, or by the signal.
            try makeProgram("#!/bin/sh\necho waiting\nexec /bin/cat\n", at: path)
            let program = try Program(
                ["send", "--simulator", "booted", "--bundle", "com.example.app", "--body", "b"],
                feedsInput: true,
                variables: ["PATH=\(folder)", "TMPDIR=\(folder)/tmp", "HOME=\(folder)"])
            #expect(await program.line(with: "waiting") != nil)
            program.signal(SIGTERM)
            let end = await program.end()
            #expect(end.status == 143)
            let file = try #require(try kept.first)
            #expect(end.errors.last?.contains("Stopped by SIGTERM. The push stays in \(folder)/tmp/\(file).") == true)
        }

        @Test func withoutXcrunItSaysSoAndTheFileStays() async throws {
            let end = try await run(["--simulator", "booted", "--bundle", "com.example.app", "--body", "b"])
            #expect(end.status == 69 && end.output.isEmpty)
            let line = try #require(end.errors.last)
            #expect(line.contains("xcrun cannot be run: it is not on the PATH"))
            let file = try #require(try kept.first)
            #expect(line.contains(file))
        }

        @Test func thePayloadsBytesStayAsTheyAre() async throws {
            try fakeXcrun(exit: 0)
            let payload = folder + "/payload.json"
            let json = #"{ "b": 1e2, "aps": {"alert": "\u00e9 }"} , "a": [] }"#
            try Data((json + "\n").utf8).write(to: URL(fileURLWithPath: payload))
            let end = try await run([
                "--simulator", "booted", "--bundle", "com.example.app", "--payload", payload, "--json",
            ])
            #expect(end.status == 0, "\(end.errors)")
            #expect(end.output.count == 1 && end.output.first?.contains(#""outcome":"delivered""#) == true)
            let seen = try String(contentsOfFile: folder + "/seen.apns", encoding: .utf8)
            let bundle = #","Simulator Target Bundle":"com.example.app"}"#
            #expect(seen == "\(json.dropLast())\(bundle)\n")
        }

        @Test func aDryRunShowsTheFileAndRunsNothing() async throws {
            try fakeXcrun(exit: 0)
            let end = try await run(["--simulator", "booted", "--bundle", "a.b", "--body", "b", "--dry-run"])
            #expect(end.status == 0)
            #expect(end.output.first == "command   xcrun simctl push booted a.b FILE")
            #expect(end.output.last == #"{"aps":{"alert":{"body":"b"}},"Simulator Target Bundle":"a.b"}"#)
            #expect(try kept.isEmpty && !FileManager.default.fileExists(atPath: folder + "/words"))
        }

        @Test(arguments: [
            (["--simulator", "booted", "--body", "b"], "needs --bundle"),
            (["--bundle", "a.b", "--body", "b"], "goes with --simulator"),
            (["aabb", "--simulator", "booted", "--bundle", "a.b", "--body", "b"], "takes no TOKEN"),
            (["--simulator", "-x", "--bundle", "a.b", "--body", "b"], "--simulator"),
            (["--simulator", "booted", "--bundle", "a\"b", "--body", "b"], "is not a bundle id"),
            (["--simulator", "booted", "--bundle", "a.b"], "No payload"),
            (["--body", "b", "--certificate", "c"], "<token>"), (["aabb", "--body", "b"], "No credential"),
        ])
        func wrongFlagsAreUsageErrors(arguments: [String], words: String) async throws {
            let end = try await run(arguments)
            #expect(end.status == 64 && end.errors.count == 1)
            #expect(end.errors.first?.contains(words) == true, "\(end.errors)")
        }

        @Test func aPayloadThatIsTooLargeOrNamesAnAppItselfIsRefused() async throws {
            let target = ["--simulator", "booted", "--bundle", "a.b"]
            let large = try await run(target + ["--body", String(repeating: "a", count: 5_000)])
            #expect(large.status == 1 && large.errors.last?.contains("4096") == true)
            let payload = folder + "/payload.json"
            try Data(#"{"aps":{},"Simulator Target Bundle":"x"}"#.utf8).write(to: URL(fileURLWithPath: payload))
            let named = try await run(target + ["--payload", payload])
            #expect(named.status == 64 && named.errors.last?.contains("--bundle") == true)
            #expect(try kept.isEmpty)
        }
    }
}
