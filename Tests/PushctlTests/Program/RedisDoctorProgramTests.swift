import Foundation
import PushQueueRedis
import QueueTestSupport
import Testing

extension ProgramTests {
    /// `pushctl doctor --queue` with servers that hold no queue, or take nothing more.
    @Suite(.timeLimit(.minutes(3))) struct RedisDoctorProgramTests {
        @Test func aServerThatCannotSaveIsNamed() async throws {
            let stage = try await Stage()
            let server = try RedisServer(.init(more: ["--save", "3600 1", "--stop-writes-on-bgsave-error", "yes"]))
            let input = try stage.file("input.csv", Stage.tokens(0..<10))
            #expect(try await Stage.run(["queue", "put", input, "--title", "Hello"] + server.queue).status == 0)
            try await failToSave(server)
            let end = try await Stage.run(["doctor", "--json"] + server.queue)
            #expect(end.status == 69 && end.output.last?.contains(#""first_failure":"connect""#) == true)
            #expect(end.output.first?.contains("cannot save to its disk (MISCONF)") == true, "\(end.output)")
        }

        @Test func aSentinelIsNamed() async throws {
            let stage = try await Stage()
            let port = try RedisServer.freePort()
            // It writes what it learns into its configuration.
            let file = try stage.file("sentinel.conf", "port \(port)\nbind 127.0.0.1\ndir \(stage.folder)\n")
            let sentinel = try ChildProcess(
                ["/usr/bin/env", "redis-server", file, "--sentinel"], readyWhen: "Sentinel ID is")
            defer { sentinel.kill() }
            let end = try await Stage.run(["doctor", "--json", "--queue", "redis://127.0.0.1:\(port)"])
            #expect(end.status == 78 && end.output.last?.contains(#""first_failure":"connect""#) == true)
            #expect(
                end.output.first?.contains("is a Sentinel: it knows where the primary is, and holds no queue") == true,
                "\(end.output)")
        }

        /// Takes the server's folder away, and has it save. Returns once it knows that it failed.
        private func failToSave(_ server: RedisServer) async throws {
            let redis = try RedisConnection(.init(url: server.url))
            func ask(_ words: String...) async throws -> String {
                let replies = try await redis.execute([RedisCommand(words: words.map { Array($0.utf8) })])
                guard case .bytes(let bytes)? = replies.first else { return "" }
                return String(decoding: bytes, as: UTF8.self)
            }
            _ = try await ask("PING")
            try FileManager.default.removeItem(at: server.folder)
            _ = try await ask("BGSAVE")
            let limit = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < limit {
                if try await ask("INFO", "persistence").contains("rdb_last_bgsave_status:err") { return }
            }
            Issue.record("the server saved, or never ended")
        }
    }
}
