import PushLocking
import PushQueue
import QueueTestSupport
import TestSupport
import Testing

@testable import PushQueueRedis

@Suite struct RedisCutLinkTests {
    private enum End { case answered, unknown, notWritten }

    /// The server cuts the link 20 times while eight tasks call. Then the keys tell what it executed.
    @Test(arguments: [nil, RedisServer.TLS.serverOnly])
    func whatEachCallSaysOfItselfIsTrue(tls: RedisServer.TLS?) async throws {
        let server = try RedisServer(.init(tls: tls))
        let stage = try RedisStage(server.url) {
            $0.tls.rootsFile = server.authorityFile
            $0.timeLimit = .seconds(30)
        }
        let admin = try RedisStage(server.url) {
            $0.tls.rootsFile = server.authorityFile
            $0.clientName = "admin"
        }
        let ends = Locked<[String: End]>([:])
        let isOver = Locked(false)
        // Large enough that the kernel takes some of them only in parts.
        let filling = String(repeating: "x", count: 100_000)
        try await withThrowingTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    var call = 0
                    while !isOver.withLock({ $0 }) {
                        let key = "\(task):\(call)"
                        let end = await Self.append(key, filling, stage.redis)
                        #expect(ends.withLock { $0.updateValue(end, forKey: key) } == nil)
                        call += 1
                    }
                }
            }
            for _ in 0..<20 {
                #expect(await stage.nextSession() != nil)
                let before = ends.withLock { $0.count }
                await until { ends.withLock({ $0.count }) >= before + 5 }
                _ = try await admin.run("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
            }
            isOver.withLock { $0 = true }
            try await group.waitForAll()
        }
        for (key, end) in ends.withLock({ $0 }) {
            let length = try await admin.run("STRLEN", key)
            switch end {
            case .answered: #expect(length == .integer(100_000), "\(key)")
            case .unknown: #expect(length == .integer(100_000) || length == .integer(0), "\(key)")
            case .notWritten: #expect(length == .integer(0), "\(key)")
            }
        }
        #expect(stage.redis.unanswered == 0)
    }

    private static func append(_ key: String, _ value: String, _ redis: RedisConnection) async -> End {
        do throws(QueueError) {
            let replies = try await redis.execute([RedisCommand("APPEND", key, value)])
            return replies == [.integer(Int64(value.utf8.count))] ? .answered : .unknown
        } catch {
            #expect(error.code == .unreachable)
            return error.description.contains("was not written") ? .notWritten : .unknown
        }
    }
}
