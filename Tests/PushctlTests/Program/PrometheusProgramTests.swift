import Foundation
import TestSupport
import Testing

extension ProgramTests {
    /// `--metrics` and `--metrics-file` of commands that run for long.
    @Suite("metrics of a running pushctl", .timeLimit(.minutes(3))) struct PrometheusProgramTests {
        /// The lines of a file of metrics, and that each metric is explained.
        private func lines(_ text: String) -> [String] {
            let lines = text.split(separator: "\n").map(String.init)
            let typed = lines.filter { $0.hasPrefix("# TYPE ") }.compactMap {
                $0.split(separator: " ").dropFirst(2).first
            }
            let explained = lines.filter { $0.hasPrefix("# HELP ") }.compactMap {
                $0.split(separator: " ").dropFirst(2).first
            }
            #expect(typed == explained && !typed.isEmpty)
            return lines
        }

        @Test func aCampaignLeavesItsFiguresInAFile() async throws {
            let stage = try await Stage()
            let input = try stage.file("tokens.csv", Stage.tokens(0..<50))
            let path = stage.folder + "/bulk.prom"
            let flags = ["--payload", try stage.payload(), "--metrics-file", path]
            for total in [50, 50] {
                #expect(try await Stage.run(["bulk", input] + flags + stage.connection).status == 0)
                let lines = lines(try String(contentsOfFile: path, encoding: .utf8))
                #expect(
                    lines.contains(
                        #"supervised_push_outcomes_total{connection="bulk",outcome="accepted",reason="none"} \#(total)"#
                    ))
                #expect(lines.contains(#"supervised_push_build_info{version="0.1.0"} 1"#))
            }
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o644, "another user reads it")
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: stage.folder).filter { $0.contains(".prom") }.count
                    == 1)
        }

        @Test(arguments: ["token\n", "# A comment\ntoken\n", ""])
        func noFileOfAnotherKindIsReplaced(_ beginning: String) async throws {
            let stage = try await Stage()
            let input = try stage.file("tokens.csv", Stage.tokens(0..<1))
            let other = try stage.file("other", beginning)
            let flags = ["--payload", try stage.payload(), "--metrics-file", other]
            let end = try await Stage.run(["bulk", input] + flags + stage.connection)
            #expect(end.status == 64 && end.errors.contains { $0.contains("\(other) exists, and has no metrics") })
            #expect(try String(contentsOfFile: other, encoding: .utf8) == beginning)
        }

        @Test func theLogOfASimulatorIsNotReplaced() async throws {
            let stage = try await Stage()
            let path = stage.folder + "/both"
            let end = try await Stage.run(["simulate", "--log", path, "--metrics-file", path])
            #expect(end.status == 64 && end.errors.contains { $0.contains("\(path) exists, and has no metrics") })
        }

        @Test(arguments: ["9464", "example.com:9464", "127.0.0.1:70000"])
        func aPlaceThatIsNoneIsRefused(_ place: String) async throws {
            let end = try await Stage.run(["simulate", "--metrics", place])
            #expect(end.status == 64 && end.errors.contains { $0.contains("is not an address and a port") })
        }

        #if Server
            private func get(_ url: String, _ flags: [String] = []) async throws -> (status: String, text: String) {
                let arguments = ["--silent", "--max-time", "30", "--write-out", "\\n%{http_code}"] + flags + [url]
                let lines = try await Program(arguments, running: "/usr/bin/curl").end().output
                return (lines.last ?? "", lines.dropLast().joined(separator: "\n"))
            }

            private func place(of program: Program) async throws -> String {
                let line = try #require(await program.line(with: "metrics at http://"))
                let url = try #require(line.split(separator: " ").last { $0.hasPrefix("http://") })
                return String(url.dropLast("/metrics".count))
            }

            @Test func aWorkerIsReadyWhileItHasItsQueueAndALink() async throws {
                let stage = try await QueueStage()
                #expect(try await stage.put(30).status == 0)
                let worker = try stage.worker(["--metrics", "127.0.0.1:0"])
                let url = try await place(of: worker)
                try await stage.outcomes(30)
                try await until { try await get(url + "/readyz").status == "200" }
                let lines = lines(try await get(url + "/metrics").text)
                for line in [
                    #"supervised_push_queue_outcomes_total{connection="push",outcome="delivered"} 30"#,
                    #"supervised_push_links{connection="push",phase="up"} 1"#,
                    #"supervised_push_queue_waiting{connection="push"} 0"#,
                    #"supervised_push_ready{connection="push"} 1"#,
                ] {
                    #expect(lines.contains(line), "\(line)")
                }
                #expect(
                    lines.contains {
                        $0.hasPrefix(#"supervised_push_duration_seconds_count{connection="push"} "#)
                            && !$0.hasSuffix(" 0")
                    })

                stage.stage.simulator.signal(SIGTERM)
                try await until { try await get(url + "/readyz").status == "503" }
                #expect(try await get(url + "/readyz").text.hasPrefix("push: no link to localhost:"))
                #expect(try await get(url + "/livez").status == "200")
                // A paused queue is worked on as it should be.
                #expect(try await Stage.run(["queue", "pause"] + stage.queue).status == 0)
                try await until { try await get(url + "/readyz").status == "200" }
                worker.signal(SIGTERM)
                _ = await worker.end()
            }

            @Test func aSimulatorCountsWhatItAnswered() async throws {
                let simulator = try Program(["simulate", "--metrics", "127.0.0.1:0"])
                let url = try await place(of: simulator)
                let lines = lines(try await get(url + "/metrics").text)
                #expect(lines.contains(#"push_simulator_pushes_total{outcome="accepted"} 0"#))
                #expect(try await get(url + "/metrics", ["--header", "Host: other.example"]).status == "421")
                #expect(try await get(url + "/metrics", ["--request", "DELETE"]).status == "404")
                simulator.signal(SIGTERM)
                #expect(await simulator.end().status == 143)
            }

            @Test func anAddressInUseIsSaid() async throws {
                let simulator = try Program(["simulate", "--metrics", "127.0.0.1:0"])
                let place = try await place(of: simulator).dropFirst("http://".count)
                let end = try await Stage.run(["simulate", "--metrics", "\(place)"])
                #expect(
                    end.status == 69 && end.errors.contains { $0.contains("--metrics cannot listen on \(place): ") })
                simulator.signal(SIGTERM)
                _ = await simulator.end()
            }
        #endif
    }
}
