import Foundation
import QueueTestSupport
import Testing

extension ProgramTests {
    /// `pushctl queue` and `pushctl worker` with a queue on Redis.
    @Suite(.timeLimit(.minutes(3))) struct RedisProgramTests {
        private static let password = ["PUSHCTL_QUEUE_PASSWORD=sesame"]

        @Test func aQueueOnAServerIsFilledAndWorked() async throws {
            let stage = try await Stage(log: true)
            let server = try RedisServer(.init(password: "sesame"))
            let input = try stage.file("input.csv", Stage.tokens(0..<2_000))
            let worker = try Program(["worker", "--json"] + server.queue + stage.connection, variables: Self.password)
            let end = try await Stage.run(
                [
                    "queue", "put", input, "--title", "Hello", "--wait", "--outcomes", stage.folder + "/out.csv",
                    "--json",
                ]
                    + server.queue, Self.password)
            #expect(end.status == 0 && end.output.first?.contains(#""tokens":2000"#) == true)
            #expect(end.output.first?.contains(#""delivered":2000"#) == true)
            worker.signal(SIGTERM)
            let ended = await worker.end()
            #expect(ended.status == 143 && ended.errors.last?.hasSuffix("Nothing is left in doubt.") == true)
            let status = try await Stage.run(["queue", "status", "--json"] + server.queue, Self.password)
            #expect(status.output.first?.hasPrefix(#"{"waiting":0,"delayed":0,"taken":0,"#) == true)
        }

        @Test func whoFollowsOutcomesWaitsWhileTheServerIsGone() async throws {
            let stage = try await Stage()
            let server = try RedisServer(.init(appendOnly: true))
            let input = try stage.file("input.csv", Stage.tokens(0..<10))
            #expect(try await Stage.run(["queue", "put", input, "--title", "Hello"] + server.queue).status == 0)
            let program = try Program(["queue", "outcomes", "--follow", "--json"] + server.queue)
            let worker = try Program(["worker"] + server.queue + stage.connection)
            #expect(await program.lines(10))
            worker.signal(SIGTERM)
            #expect(await worker.end().status == 143)
            server.kill()
            #expect(await program.line(with: "Asking again") != nil)
            try server.start()
            #expect(try await Stage.run(["queue", "put", input, "--title", "Again"] + server.queue).status == 0)
            let second = try Program(["worker"] + server.queue + stage.connection)
            #expect(await program.lines(20))
            second.signal(SIGTERM)
            _ = await second.end()
            program.signal(SIGINT)
            let end = await program.end()
            #expect(end.status == 130 && end.output.count == 20)
            #expect(end.errors.last?.hasPrefix("pushctl: go on with --after ") == true)
        }

        @Test func theDoctorExaminesAServer() async throws {
            let stage = try await Stage()
            let server = try RedisServer(.init(appendOnly: true, maxMemory: 100 << 20, password: "sesame"))
            let doctor = ["doctor", "--json"] + server.queue
            let first = try await Stage.run(doctor, Self.password)
            #expect(first.status == 0 && first.output.last?.contains("there is no queue push yet") == true)
            let input = try stage.file("input.csv", Stage.tokens(0..<10))
            let put = try await Stage.run(["queue", "put", input, "--title", "Hello"] + server.queue, Self.password)
            #expect(put.status == 0 && put.errors.contains { $0.contains("created the queue push in redis://") })
            let end = try await Stage.run(doctor, Self.password)
            #expect(end.status == 0 && end.output.count == 14)
            func layer(_ name: String) -> String { end.output.first { $0.contains(#""layer":"\#(name)","#) } ?? "" }
            for name in ["connect", "server", "rights", "policy", "durability", "memory", "clock", "queue"] {
                #expect(layer(name).contains(#""verdict":"ok""#), "\(layer(name))")
            }
            #expect(layer("delay").isMeasured, "\(layer("delay"))")
            #expect(
                layer("durability").contains("takes nothing that was acknowledged")
                    && layer("server").contains("primary, no replica"))
            #expect(layer("workers").contains("none, and 1 entry waits"))
            let wrong = try await Stage.run(doctor, ["PUSHCTL_QUEUE_PASSWORD=wrong"])
            #expect(wrong.status == 78 && wrong.output.first?.contains("refused the login") == true)
            #expect(!wrong.output.joined().contains("wrong"))
            server.kill()
            let gone = try await Stage.run(doctor, Self.password)
            #expect(gone.status == 69 && gone.output.last?.contains(#""first_failure":"connect""#) == true)
        }

        @Test func aServerThatNeverAnswersEndsTheWorkerAfterTheOutage() async throws {
            let stage = try await Stage()
            let end = try await Stage.run(
                ["worker", "--queue", "redis://127.0.0.1:1", "--max-outage", "5"] + stage.connection)
            #expect(end.status == 69)
            #expect(end.errors.contains { $0.contains("push: the queue cannot be used: ") }, "\(end.errors)")
            #expect(end.errors.contains { $0.contains("acknowledged no heartbeat for 5 s") }, "\(end.errors)")
        }

        @Test func aServerThatWouldRemovePushesFails() async throws {
            let server = try RedisServer(.init(policy: "allkeys-lru", password: "sesame"))
            let end = try await Stage.run(["doctor"] + server.queue, Self.password)
            #expect(end.status == 78 && end.output.contains { $0.hasPrefix("policy     FAIL") }, "\(end.output)")
            let status = try await Stage.run(["queue", "status"] + server.queue, Self.password)
            #expect(status.status == 66 && status.errors.last?.contains("does not exist") == true)
        }

        @Test func aServerThatRefusesIsNamedWithoutThePassword() async throws {
            let server = try RedisServer(.init(password: "sesame"))
            let login = try await Stage.run(["queue", "status"] + server.queue, ["PUSHCTL_QUEUE_PASSWORD=wrong"])
            #expect(login.status == 78 && login.errors.last?.contains("refused the login") == true)
            #expect(login.errors.allSatisfy { !$0.contains("wrong") })
        }

        @Test func aFullServerEndsWithTheLineToGoOnFrom() async throws {
            let stage = try await Stage()
            let server = try RedisServer(.init(maxMemory: 3 << 20, password: "sesame"))
            let input = try stage.file("input.csv", Stage.tokens(0..<60_000))
            let end = try await Stage.run(
                ["queue", "put", input, "--title", "Hello", "--max-wait", "5", "--json"] + server.queue, Self.password
            )
            #expect(end.status == 69)
            #expect(end.errors.contains { $0.contains("Waiting for up to") })
            // A batch goes in as a whole.
            let lines = (0..<4).map { "--from-line \(2 + $0 * 16_384)" }
            #expect(lines.contains { line in end.errors.contains { $0.hasSuffix(line) } })
        }
    }
}

extension RedisServer {
    /// The flags that lead to its queue.
    var queue: [String] { ["--queue", url] }
}

extension String {
    /// Whether it is a layer of the doctor with a time that is no failure. How long a round trip takes depends on what else the machine
    /// does.
    var isMeasured: Bool { contains(/"verdict":"(ok|warning)","milliseconds":\d/) }
}
