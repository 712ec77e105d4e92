import Foundation
import PushQueue
import QueueTestSupport
import Testing

@testable import PushQueueRedis

/// Servers that are reached by a Unix socket.
@Suite struct RedisSocketTests {
    @Test(arguments: [
        ("unix:///run/redis.sock", RedisServerAddress(socketPath: "/run/redis.sock")),
        ("redis+unix:///run/redis.sock?db=3", RedisServerAddress(socketPath: "/run/redis.sock", database: 3)),
        (
            "unix://alice:se%2Fcret@/run/my%20redis.sock?db=2",
            RedisServerAddress(
                socketPath: "/run/my redis.sock", database: 2, user: "alice", password: .text("se/cret"))
        ),
        (
            "UNIX://:secret@/tmp/a@b.sock?db=",
            RedisServerAddress(socketPath: "/tmp/a@b.sock", password: .text("secret"))
        ),
    ])
    func aURLOfASocketIsParsed(url: String, address: RedisServerAddress) throws {
        #expect(try RedisServerAddress(url: url) == address)
    }

    @Test func theDescriptionHasNoLogin() throws {
        let address = try RedisServerAddress(url: "unix://alice:secret@/run/redis.sock?db=2")
        #expect(address.description == "unix:///run/redis.sock?db=2")
    }

    @Test(arguments: [
        "unix://", "unix:///", "unix://run/redis.sock", "unix://:secret/run/redis.sock", "unix:///s?db=x",
        "unix:///s?db=1&password=secret", "unix:///s?password=secret", "unix:///s#secret", "unix://secret@/s",
        "unix:///s%zz", "unix://sec?ret@/s",
    ])
    func aWrongURLIsRefusedWithoutShowingIt(url: String) {
        let error = #expect(throws: QueueError.self) { try RedisServerAddress(url: url) }
        #expect(error?.code == .failed && error?.description.contains("secret") == false)
    }

    @Test func aSocketHasNoTLS() throws {
        var configuration = try RedisConnection.Configuration(url: "unix:///s")
        configuration.address.usesTLS = true
        let error = #expect(throws: QueueError.self) { try RedisConnection(configuration) }
        #expect(error?.description.contains("a Unix socket has no TLS") == true)
    }

    @Test(.timeLimit(.minutes(5))) func aServerIsReachedByItsSocketAndFoundAgain() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "r-\(UInt32.random(in: 0 ... .max)).sock")
            .path
        var options = RedisServer.Options()
        options.appendOnly = true
        options.more = ["--unixsocket", path]
        let server = try RedisServer(options)
        let queue = try RedisQueue("socket", connection: .patient("unix://\(path)"))
        try await queue.open(as: .ann)
        try await queue.enqueue([.sample(), .sample()])
        #expect(try await queue.take(as: .ann, tokens: 1).count == 1)
        try server.restart()
        while (try? await queue.status().taken) != 1 {}
        server.kill()
        try? FileManager.default.removeItem(atPath: path)
    }

    @Test func aSocketThatIsNotThereIsTold() async throws {
        let stage = try RedisStage("unix:///nowhere/redis.sock") { $0.timeLimit = .milliseconds(200) }
        let error = await stage.cause("PING")
        #expect(error?.code == .unreachable)
        #expect(error?.description.contains("/nowhere/redis.sock takes no connection") == true)
        await stage.redis.close()
    }
}
