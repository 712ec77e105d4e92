import Foundation
import PushQueueRedis
import QueueTestSupport
import TestSupport
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

        @Test func aSentinelIsNamedWithTheURLToWrite() async throws {
            let (server, sentinel) = try Self.watched()
            defer { server.kill() }
            let end = try await Stage.run(["doctor", "--json", "--queue", "redis://\(sentinel.place)"])
            #expect(end.status == 78 && end.output.last?.contains(#""first_failure":"connect""#) == true)
            #expect(
                end.output.first?.contains("is a Sentinel: it knows where the primary is, and holds no queue") == true,
                "\(end.output)")
            #expect(end.output.first?.contains("Write redis+sentinel://\(sentinel.place)/main,") == true)
        }

        @Test func thePrimaryAndEachSentinelAreShown() async throws {
            let (server, sentinel) = try Self.watched()
            let dead = try RedisServer.freePort()
            let well = try await Stage.run(["doctor", "--queue", sentinel.url])
            #expect(well.status == 0, "\(well.output)")
            #expect(well.output.joined(separator: " ").contains("as 1 of 1 Sentinels say"), "\(well.output)")
            let url = "redis+sentinel://127.0.0.1:\(dead),\(sentinel.place)/main"
            let end = try await Stage.run(["doctor", "--json", "--fail-on", "warning", "--queue", url])
            let connect = end.output.first ?? ""
            #expect(end.status == 1 && connect.contains(#""verdict":"warning""#), "\(end.output)")
            #expect(connect.contains("the primary is redis://127.0.0.1:\(server.port), as 1 of 2 Sentinels say"))
            #expect(connect.contains("the Sentinel 127.0.0.1:\(dead) does not: "))
        }

        @Test func eachSentinelIsNamedWithItsCause() async throws {
            let (server, sentinel) = try Self.watched()
            defer { server.kill() }
            let unknown = try await Stage.run(
                ["queue", "status", "--queue", "redis+sentinel://\(sentinel.place)/other"])
            #expect(unknown.status == 78, "\(unknown.errors)")
            #expect(unknown.errors.contains { $0.contains("\(sentinel.place) watches no primary by the name other") })
            let (one, two) = (try RedisServer.freePort(), try RedisServer.freePort())
            let gone = try await Stage.run(
                ["queue", "status", "--queue", "redis+sentinel://127.0.0.1:\(one),127.0.0.1:\(two)/main"])
            #expect(gone.status == 69, "\(gone.errors)")
            for port in [one, two] {
                #expect(
                    gone.errors.contains {
                        $0.contains("redis://127.0.0.1:\(port): Connection refused")
                            || $0.contains("127.0.0.1:\(port)") && $0.contains("refused")
                    })
            }
        }

        /// A server, and the Sentinel that watches it.
        private static func watched() throws -> (RedisServer, RedisSentinel) {
            let server = try RedisServer(.init(appendOnly: true, maxMemory: 1 << 30))
            return (server, try RedisSentinel(watching: server))
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
            try await until { try await ask("INFO", "persistence").contains("rdb_last_bgsave_status:err") }
        }
    }
}
