import PushQueue
import QueueTestSupport
import TestSupport
import Testing

@testable import PushQueueRedis

/// A connection that asks real Sentinels.
@Suite struct RedisSentinelTests {
    /// Waits until the replica has what the primary has.
    private func catchUp(_ stage: RedisStage) async throws {
        _ = try await stage.run("SET", "key", "value")
        while try await stage.run("WAIT", "1", "1000") != .integer(1) {}
    }

    @Test func aFailoverIsFollowed() async throws {
        let server = try RedisServer()
        let replica = try RedisServer(.init(replicaOf: server))
        let stage = try RedisStage(server.url)
        try await catchUp(stage)
        let sentinel = try RedisSentinel(watching: server)
        let follower = try RedisStage("redis+sentinel://127.0.0.1:\(try RedisServer.freePort()),\(sentinel.place)/main")
        {
            $0.timeLimit = .seconds(60)
        }
        #expect(try await follower.run("SET", "a", "b") == .status("OK"))
        #expect(await follower.nextSession()?.address == server.url)
        // A replica that the Sentinel has not found yet cannot be promoted.
        try await until { try sentinel.knowsReplica() }
        try sentinel.kill(server)
        // A call that is written before the connection hears of the end may have been executed, and fails.
        let second = await follower.nextSession()
        #expect(second?.address == replica.url && second?.role == .primary && second?.isAnotherServer == true)
        #expect(try await follower.run("GET", "key") == .bytes(Array("value".utf8)))
    }

    @Test func sentinelsAndThePrimaryHaveLoginsOfTheirOwn() async throws {
        let server = try RedisServer(.init(password: "sesame"))
        let sentinel = try RedisSentinel(
            watching: server,
            more: [
                "sentinel auth-pass main sesame", "requirepass other",
                "user watcher on >third ~* &* -@all +sentinel|get-master-addr-by-name",
            ])
        let stage = try RedisStage("redis+sentinel://:sesame@\(sentinel.place)/main") {
            $0.address.sentinels?.user = "watcher"
            $0.address.sentinels?.password = .text("third")
        }
        #expect(try await stage.run("PING") == .status("PONG"))
        let without = try RedisStage("redis+sentinel://:sesame@\(sentinel.place)/main")
        let error = await without.failure("PING")
        #expect(error?.code == .refused && error?.description.contains("asks for a password of its own") == true)
    }

    @Test func sentinelsAndThePrimaryAreReachedOverTLSWithACertificate() async throws {
        let server = try RedisServer(.init(tls: .withClientCertificates))
        let sentinel = try RedisSentinel(watching: server)
        let stage = try RedisStage(sentinel.url) {
            $0.tls = RedisTLS(rootsFile: server.authorityFile, certificateFile: server.clientFile)
        }
        #expect(try await stage.run("PING") == .status("PONG"))
        let without = try RedisStage(sentinel.url) { $0.tls.rootsFile = server.authorityFile }
        let error = await without.failure("PING")
        #expect(
            error?.code == .refused && error?.description.contains("--queue-certificate") == true,
            "\(String(describing: error))")
    }
}
