import Foundation
import Testing

private let redisServer = "/usr/bin/redis-server"

extension ProgramTests {
    /// `pushctl queue` and `pushctl worker` with a queue on Redis.
    @Suite(.timeLimit(.minutes(3)), .enabled(if: FileManager.default.isExecutableFile(atPath: redisServer)))
    struct RedisProgramTests {
        private static let password = ["PUSHCTL_QUEUE_PASSWORD=sesame"]

        /// A server that ends with the test.
        private struct Server {
            let program: Program
            let queue: [String]

            init(_ stage: Stage, _ flags: [String] = []) async throws {
                let port = try Self.freePort()
                program = try Program(
                    [
                        "--port", "\(port)", "--bind", "127.0.0.1", "--dir", stage.folder, "--save", "",
                        "--requirepass", "sesame",
                    ] + flags, running: redisServer)
                queue = ["--queue", "redis://127.0.0.1:\(port)"]
                _ = try #require(await program.line(with: "Ready to accept connections"))
            }

            private static func freePort() throws -> Int {
                let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                defer { close(descriptor) }
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_addr.s_addr = inet_addr("127.0.0.1")
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                let port = withUnsafeMutablePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> Int? in
                        guard bind(descriptor, address, length) == 0, getsockname(descriptor, address, &length) == 0
                        else { return nil }
                        return Int(UInt16(bigEndian: pointer.pointee.sin_port))
                    }
                }
                return try #require(port)
            }
        }

        @Test func aQueueOnAServerIsFilledAndWorked() async throws {
            let stage = try await Stage(log: true)
            let server = try await Server(stage)
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
            server.program.signal(SIGKILL)
        }

        @Test func theDoctorExaminesAServer() async throws {
            let stage = try await Stage()
            let server = try await Server(stage, ["--maxmemory", "100mb", "--appendonly", "yes"])
            let doctor = ["doctor", "--json"] + server.queue
            let first = try await Stage.run(doctor, Self.password)
            #expect(first.status == 0 && first.output.last?.contains("there is no queue push yet") == true)
            let input = try stage.file("input.csv", Stage.tokens(0..<10))
            let put = try await Stage.run(["queue", "put", input, "--title", "Hello"] + server.queue, Self.password)
            #expect(put.status == 0 && put.errors.contains { $0.contains("created the queue push in redis://") })
            let end = try await Stage.run(doctor, Self.password)
            #expect(end.status == 0 && end.output.count == 13)
            func layer(_ name: String) -> String { end.output.first { $0.contains(#""layer":"\#(name)","#) } ?? "" }
            for name in ["connect", "server", "policy", "durability", "memory", "delay", "clock", "queue", "backlog"] {
                #expect(layer(name).contains(#""verdict":"ok""#), "\(layer(name))")
            }
            #expect(layer("durability").contains("up to 2 s") && layer("server").contains("master, no replica"))
            #expect(layer("workers").contains("none, and 1 entry waits"))
            let wrong = try await Stage.run(doctor, ["PUSHCTL_QUEUE_PASSWORD=wrong"])
            #expect(wrong.status == 78 && wrong.output.first?.contains("refused the login") == true)
            #expect(!wrong.output.joined().contains("wrong"))
            server.program.signal(SIGKILL)
            _ = await server.program.end()
            let gone = try await Stage.run(doctor, Self.password)
            #expect(gone.status == 69 && gone.output.last?.contains(#""first_failure":"connect""#) == true)
        }

        @Test func aServerThatNeverAnswersEndsTheWorkerAfterTheOutage() async throws {
            let stage = try await Stage()
            let end = try await Stage.run(
                ["worker", "--queue", "redis://127.0.0.1:1", "--max-outage", "1"] + stage.connection)
            #expect(end.status == 69)
            #expect(end.errors.contains { $0.contains("push: the queue cannot be used: ") }, "\(end.errors)")
            #expect(end.errors.contains { $0.contains("cannot be used for 1 s") }, "\(end.errors)")
        }

        @Test func aServerThatWouldRemovePushesFails() async throws {
            let stage = try await Stage()
            let server = try await Server(stage, ["--maxmemory-policy", "allkeys-lru"])
            let end = try await Stage.run(["doctor"] + server.queue, Self.password)
            #expect(end.status == 78 && end.output.contains { $0.hasPrefix("policy     FAIL") }, "\(end.output)")
            let status = try await Stage.run(["queue", "status"] + server.queue, Self.password)
            #expect(status.status == 66 && status.errors.last?.contains("does not exist") == true)
            server.program.signal(SIGKILL)
        }

        @Test func aServerThatRefusesIsNamedWithoutThePassword() async throws {
            let stage = try await Stage()
            let server = try await Server(stage)
            let login = try await Stage.run(["queue", "status"] + server.queue, ["PUSHCTL_QUEUE_PASSWORD=wrong"])
            #expect(login.status == 78 && login.errors.last?.contains("refused the login") == true)
            #expect(login.errors.allSatisfy { !$0.contains("wrong") })
            server.program.signal(SIGKILL)
        }

        @Test func aFullServerEndsWithTheLineToGoOnFrom() async throws {
            let stage = try await Stage()
            let server = try await Server(stage, ["--maxmemory", "3mb"])
            let input = try stage.file("input.csv", Stage.tokens(0..<60_000))
            let end = try await Stage.run(
                ["queue", "put", input, "--title", "Hello", "--max-wait", "0.1", "--json"] + server.queue, Self.password
            )
            #expect(end.status == 69)
            #expect(end.errors.contains { $0.contains("is full; waiting up to") })
            // A batch goes in as a whole.
            let lines = (0..<4).map { "--from-line \(2 + $0 * 16_384)" }
            #expect(lines.contains { line in end.errors.contains { $0.hasSuffix(line) } })
            server.program.signal(SIGKILL)
        }
    }
}
