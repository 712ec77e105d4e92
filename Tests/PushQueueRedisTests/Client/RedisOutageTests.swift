import Foundation
import ProcessRuntime
import PushLocking
import PushQueue
import QueueTestSupport
import TestSupport
import Testing

@testable import PushQueueRedis

@Suite struct RedisOutageTests {
    @Test func aKilledServerEndsEachCallOnceAndIsFoundAgain() async throws {
        let server = try RedisServer(.init(appendOnly: true))
        let stage = try RedisStage(server.url)
        _ = await stage.nextSession()
        let acknowledged = Locked(0)
        let ends = Locked(0)
        let calls = 4_000
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<(calls / 8) {
                        let error = await stage.failure("INCR", "n")
                        if error == nil {
                            acknowledged.withLock { $0 += 1 }
                        } else {
                            #expect(error?.code == .unreachable)
                        }
                        ends.withLock { $0 += 1 }
                    }
                }
            }
            for _ in 0..<3 {
                let before = acknowledged.withLock { $0 }
                await until { acknowledged.withLock({ $0 }) >= min(before + 100, calls - 500) }
                try server.restart()
                #expect(await stage.nextSession()?.isAnotherServer == true)
            }
            try await group.waitForAll()
        }
        #expect(ends.withLock { $0 } == calls)
        #expect(stage.redis.unanswered == 0)
        #expect(stage.redis.session?.number == 4)
        guard case .bytes(let digits) = try await stage.run("GET", "n") else {
            throw RedisServer.Failed(description: "")
        }
        let count = try #require(Int(String(decoding: digits, as: UTF8.self)))
        // What was acknowledged is there; what failed may be there.
        #expect(count >= acknowledged.withLock { $0 } && count <= calls)
    }

    @Test func aPausedServerEndsWrittenCallsAtTheirTimeLimit() async throws {
        let server = try RedisServer()
        let stage = try RedisStage(server.url) {
            $0.timeLimit = .seconds(1)
            $0.connectLimit = .seconds(1)
        }
        var written: QueueError?
        // A call that this process has not written within its time says so, and is made again.
        for _ in 0..<20 {
            server.resume()
            #expect(try await stage.redis.execute([RedisCommand("PING")], within: .seconds(30)) == [.status("PONG")])
            server.pause()
            written = await stage.failure("INCR", "n")
            if written?.description.contains("was not written") != true { break }
        }
        #expect(written?.code == .unreachable)
        #expect(written?.description.contains("may have been executed") == true)
        // The kernel takes the next connection, but the server does not answer it.
        let waiting = await stage.failure("INCR", "n")
        #expect(waiting?.code == .unreachable)
        #expect(waiting?.description.contains("was not written") == true)
        server.resume()
        #expect(await stage.nextSession()?.number == 1)
        #expect(await stage.nextSession()?.isAnotherServer == false)
        #expect(try await stage.redis.execute([RedisCommand("PING")], within: .seconds(30)) == [.status("PONG")])
    }

    /// Its data may be that of the server it followed meanwhile.
    @Test func aServerThatWasAReplicaMeanwhileIsAnotherOne() async throws {
        let server = try RedisServer()
        let stage = try RedisStage(server.url)
        let first = try #require(await stage.nextSession())
        let administrator = try RedisStage(server.url)
        _ = try await administrator.run("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        let second = try #require(await stage.nextSession())
        #expect(!second.isAnotherServer && second.replicationID.count == 40)
        // Port 1 has no server, so its data stays as it is.
        _ = try await administrator.run("REPLICAOF", "127.0.0.1", "1")
        _ = try await administrator.run("REPLICAOF", "NO", "ONE")
        _ = try await administrator.run("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        let third = try #require(await stage.nextSession())
        #expect(third.isAnotherServer && third.runID == first.runID && third.role == .primary)
        #expect(third.replicationID != first.replicationID)
    }

    @Test func callsWaitForAServerThatComesLater() async throws {
        let server = try RedisServer()
        server.kill()
        let stage = try RedisStage(server.url) { $0.timeLimit = .seconds(1) }
        let early = await stage.cause("PING")
        #expect(early?.code == .unreachable)
        #expect(early?.description.contains("was not written") == true)
        #expect(early?.description.contains("Connection refused") == true)
        async let late = stage.redis.execute([RedisCommand("PING")], within: .seconds(60))
        try server.start()
        #expect(try await late == [.status("PONG")])
    }

    @Test func tooManyUnansweredCommandsAreRefusedAtOnce() async throws {
        let server = try RedisServer()
        let stage = try RedisStage(server.url) { $0.commandLimit = 20 }
        _ = try await stage.run("PING")
        server.pause()
        async let first = stage.redis.execute(Array(repeating: RedisCommand("PING"), count: 20))
        await until { stage.redis.unanswered >= 20 }
        let error = await stage.failure("PING")
        #expect(error?.code == .unreachable)
        #expect(error?.description.contains("was not written") == true)
        server.resume()
        #expect(try await first.count == 20)
        #expect(try await stage.run("PING") == .status("PONG"))
    }

    @Test func closingEndsEachCallOnce() async throws {
        let server = try RedisServer()
        let stage = try RedisStage(server.url)
        _ = try await stage.run("PING")
        server.pause()
        let ends = await withTaskGroup { group in
            for _ in 0..<200 { group.addTask { await stage.failure("PING") } }
            await until { stage.redis.unanswered >= 200 }
            await stage.redis.close()
            return await group.reduce(into: [QueueError?]()) { $0.append($1) }
        }
        #expect(ends.count == 200)
        #expect(ends.allSatisfy { $0?.code == .unreachable && $0?.description.contains("was closed") == true })
        #expect(await stage.failure("PING")?.code == .unreachable)
        await stage.redis.close()
        #expect(stage.redis.unanswered == 0)
        #expect(stage.system.processes.isEmpty)
    }

    @Test func aKilledProcessEndsItsCallsAndIsFollowedByAnother() async throws {
        let server = try RedisServer()
        let stage = try RedisStage(server.url)
        _ = await stage.nextSession()
        server.pause()
        async let ended = stage.failure("PING")
        await until { stage.redis.unanswered >= 1 }
        for pid in stage.system.processes { stage.system.exit(pid, .killed) }
        #expect(await ended?.code == .unreachable)
        server.resume()
        let session = await stage.nextSession()
        #expect(session?.number == 2 && session?.isAnotherServer == false)
        #expect(try await stage.run("PING") == .status("PONG"))
    }

    @Test func aReleasedConnectionEndsItsProcess() async throws {
        let server = try RedisServer()
        let system = ProcessSystem()
        var redis: RedisConnection? = try RedisConnection(.init(url: server.url), system: system)
        _ = try await redis?.execute([RedisCommand("PING")])
        let pid = try #require(system.processes.first)
        await withCheckedContinuation { continuation in
            system.monitor(pid) { _, _ in continuation.resume() }
            redis = nil
        }
        #expect(system.processes.isEmpty)
    }

    @Test func aReplicaIsToldApart() async throws {
        let primary = try RedisServer()
        let replica = try RedisServer(.init(replicaOf: primary, more: ["--replica-serve-stale-data", "no"]))
        let stage = try RedisStage(replica.url)
        #expect(await stage.nextSession()?.role == .replica(of: "127.0.0.1:\(primary.port)"))
        guard case .error(let text) = try await stage.run("SET", "a", "b") else {
            throw RedisServer.Failed(description: "A replica took a write.")
        }
        let error = QueueError(redisError: text)
        #expect(error.code == .unreachable && error.description.contains("replica"))
        // Its name may lead to the primary by now, so it is looked up again.
        #expect(await stage.nextSession()?.number == 2)
        primary.kill()
        let cut = try RedisStage(replica.url) { $0.timeLimit = .seconds(1) }
        let refused = await cut.cause("GET", "a")
        #expect(refused?.description.contains("lost its primary") == true)
    }

    @Test func callsWaitForAServerThatLoadsItsData() async throws {
        // It would take two minutes for its data, and answers others meanwhile.
        let slow = ["--key-load-delay", "2000", "--loading-process-events-interval-bytes", "1024"]
        let server = try RedisServer(.init(more: slow))
        let admin = try RedisStage(server.url) { $0.timeLimit = .seconds(180) }
        _ = try await admin.run("DEBUG", "POPULATE", "60000", "key", "200")
        let other = try RedisStage(server.url)
        #expect(try await other.run("PING") == .status("PONG"))
        async let loaded = admin.run("DEBUG", "RELOAD")
        try await until { try await other.run("PING") != .status("PONG") }
        let stage = try RedisStage(server.url) { $0.timeLimit = .seconds(60) }
        var early: QueueError?
        // A first attempt whose answer is late knows no cause yet.
        while early?.description.contains("still loading") != true, stage.redis.session == nil {
            do throws(QueueError) {
                _ = try await stage.redis.execute([RedisCommand("PING")], within: .milliseconds(300))
            } catch { early = error }
        }
        #expect(early?.code == .unreachable)
        #expect(early?.description.contains("still loading") == true)
        // From here on it takes no time.
        #expect(try await other.run("CONFIG", "SET", "key-load-delay", "0") == .status("OK"))
        #expect(try await stage.run("DBSIZE") == .integer(60_000))
        #expect(try await loaded == .status("OK"))
    }
}
