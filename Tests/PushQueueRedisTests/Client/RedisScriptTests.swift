import PushLocking
import PushQueue
import QueueTestSupport
import Testing

@testable import PushQueueRedis

@Suite struct RedisScriptTests {
    private static let text = "return {KEYS[1], ARGV[1], redis.call('INCR', KEYS[1])}"

    private func expected(_ count: Int64) -> RedisReply {
        .array([.bytes([0x6b]), .bytes([0x76]), .integer(count)])
    }

    @Test func aScriptIsSentOnceAndAgainAfterAFlush() async throws {
        let server = try RedisServer()
        let stage = try RedisStage(server.url)
        let recorder = Recorder(stage.redis)
        let script = RedisScript(Self.text)
        for count in 1...3 as ClosedRange<Int64> {
            #expect(try await recorder.run(script, keys: [[0x6b]], arguments: [[0x76]]) == expected(count))
        }
        #expect(recorder.names == ["SCRIPT", "EVALSHA", "EVALSHA", "EVALSHA"])
        _ = try await stage.run("SCRIPT", "FLUSH")
        #expect(try await recorder.run(script, keys: [[0x6b]], arguments: [[0x76]]) == expected(4))
        #expect(recorder.names.suffix(3) == ["EVALSHA", "SCRIPT", "EVALSHA"])
    }

    @Test func aScriptIsSentToAnotherServer() async throws {
        let script = RedisScript(Self.text)
        for _ in 0..<2 {
            let server = try RedisServer()
            let stage = try RedisStage(server.url)
            #expect(try await stage.redis.run(script, keys: [[0x6b]], arguments: [[0x76]]) == expected(1))
        }
    }

    @Test func anErrorOfAScriptIsAReply() async throws {
        let server = try RedisServer()
        let stage = try RedisStage(server.url)
        let reply = try await stage.redis.run(RedisScript("return redis.error_reply('FENCED no')"))
        #expect(reply == .error("FENCED no"))
    }

    @Test func aScriptThatIsNotLuaIsAnError() async throws {
        let server = try RedisServer()
        let stage = try RedisStage(server.url)
        let error = await #expect(throws: QueueError.self) { try await stage.redis.run(RedisScript("return (")) }
        #expect(error?.code == .failed)
    }
}

/// Passes commands on, and records their names.
private final class Recorder: RedisCommands {
    private let redis: any RedisCommands
    private let recorded = Locked<[String]>([])

    init(_ redis: any RedisCommands) { self.redis = redis }

    var names: [String] { recorded.withLock { $0 } }

    func execute(_ commands: [RedisCommand]) async throws(QueueError) -> [RedisReply] {
        recorded.withLock { $0 += commands.map { String(decoding: $0.words[0], as: UTF8.self) } }
        return try await redis.execute(commands)
    }
}
