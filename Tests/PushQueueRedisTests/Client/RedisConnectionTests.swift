import Dispatch
import ProcessRuntime
import PushQueue
import QueueTestSupport
import Testing

@testable import PushQueueRedis

@Suite struct RedisConnectionTests {
    @Test func commandsAreAnsweredInTheirOrder() async throws {
        let server = try RedisServer()
        let stage = try RedisStage(server.url)
        let replies = try await stage.redis.execute([
            RedisCommand("SET", "a", "1"), RedisCommand("INCR", "a"), RedisCommand("LPUSH", "a", "x"),
            RedisCommand("GET", "nothing"), RedisCommand(words: [Array("ECHO".utf8), [0, 13, 10, 255]]),
        ])
        #expect(replies.count == 5)
        #expect(replies[0] == .status("OK") && replies[1] == .integer(2) && replies[3] == .null)
        #expect(replies[4] == .bytes([0, 13, 10, 255]))
        let error = if case .error(let text) = replies[2] { text } else { "" }
        #expect(error.hasPrefix("WRONGTYPE"))
        #expect(try await stage.redis.execute([]).isEmpty)
        await stage.redis.close()
    }

    @Test func theSessionSaysWhatTheServerIs() async throws {
        let server = try RedisServer()
        let stage = try RedisStage(server.url + "/3") { $0.clientName = "worker-1" }
        let session = try #require(await stage.nextSession())
        #expect(session.number == 1 && session.server == "redis" && session.role == .primary)
        #expect(session.version.split(separator: ".").count == 3 && session.runID.count == 40)
        #expect(!session.isAnotherServer && stage.redis.session == session)
        #expect(try await stage.run("CLIENT", "GETNAME") == .bytes(Array("worker-1".utf8)))
        guard case .bytes(let info) = try await stage.run("CLIENT", "INFO") else {
            throw RedisServer.Failed(description: "")
        }
        #expect(String(decoding: info, as: UTF8.self).contains(" db=3 "))
    }

    @Test func tenThousandCommandsOfEightTasksAreAnsweredToTheirCallers() async throws {
        let server = try RedisServer()
        let stage = try RedisStage(server.url)
        try await withThrowingTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<125 {
                        let texts = (0..<10).map { "\(task) \(round) \($0)" }
                        let replies = try await stage.redis.execute(texts.map { RedisCommand("ECHO", $0) })
                        #expect(replies == texts.map { .bytes(Array($0.utf8)) })
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(stage.redis.unanswered == 0)
    }

    @Test(arguments: [nil, RedisServer.TLS.serverOnly])
    func largeValuesGoBothWays(tls: RedisServer.TLS?) async throws {
        let server = try RedisServer(.init(tls: tls))
        let stage = try RedisStage(server.url) { $0.tls.rootsFile = server.authorityFile }
        let value = (0..<9_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let set = RedisCommand(words: [Array("SET".utf8), [1], value])
        let replies = try await stage.redis.execute([set, RedisCommand(words: [Array("GET".utf8), [1]])])
        #expect(replies == [.status("OK"), .bytes(value)])
    }

    @Test func aCallThatWaitsOnTheServerHoldsUpOnlyItsOwnConnection() async throws {
        let server = try RedisServer()
        let waiting = try RedisStage(server.url) { $0.timeLimit = .milliseconds(500) }
        let other = try RedisStage(server.url)
        async let entries = waiting.run("XREAD", "BLOCK", "120000", "STREAMS", "s", "0")
        // The server knows a blocked client.
        while true {
            guard case .bytes(let info) = try await other.run("INFO", "clients") else { break }
            if String(decoding: info, as: UTF8.self).contains("blocked_clients:1") { break }
        }
        #expect(try await other.run("PING") == .status("PONG"))
        _ = try await other.run("XADD", "s", "1-1", "k", "v")
        let entry: RedisReply = .array([.bytes(Array("1-1".utf8)), .array([.bytes([0x6b]), .bytes([0x76])])])
        #expect(try await entries == .array([.array([.bytes([0x73]), .array([entry])])]))
    }

    @Test func aWaitWithoutAnEntryIsOverAfterItsOwnTime() async throws {
        let server = try RedisServer()
        // The limit is also how late the answer may be, so it is no shorter.
        let stage = try RedisStage(server.url) { $0.timeLimit = .seconds(5) }
        #expect(try await stage.redis.execute([RedisCommand("PING")], within: .seconds(30)) == [.status("PONG")])
        #expect(try await stage.run("XREAD", "BLOCK", "5100", "STREAMS", "s", "0") == .null)
        #expect(stage.redis.session?.number == 1)
    }

    @Test func anEmptyCommandIsRefused() async throws {
        let server = try RedisServer()
        let stage = try RedisStage(server.url)
        let error = await #expect(throws: QueueError.self) { try await stage.redis.execute([RedisCommand(words: [])]) }
        #expect(error?.code == .failed)
    }
}
