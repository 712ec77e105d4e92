import PushQueue
import QueueTestSupport
import Testing

@testable import PushQueueRedis

/// Connections to a real cluster.
@Suite(.serialized) struct RedisClusterTests {
    private static let key = "push:{q}"

    @Test func aCommandReachesTheNodeThatHasItsKey() async throws {
        let cluster = try await RedisCluster()
        let (owner, stranger) = (try cluster.owner(of: Self.key), try cluster.stranger(to: Self.key))
        let stage = try RedisStage(stranger.url)
        #expect(try await stage.run("SET", Self.key, "1") == .status("OK"))
        #expect(stage.redis.session?.address == owner.url)
        // Scripts are known to one node, and the second connection begins at the right one.
        let script = RedisScript("return redis.call('INCR', KEYS[1])")
        #expect(try await stage.redis.run(script, keys: [Array(Self.key.utf8)]) == .integer(2))
        let second = try RedisStage(stranger.url) { $0.routingKey = Self.key }
        #expect(try await second.redis.run(script, keys: [Array(Self.key.utf8)]) == .integer(3))
        #expect(second.redis.session?.number == 1 && second.redis.session?.address == owner.url)
    }

    @Test func aMoveIsFollowedWhileItLastsAndThen() async throws {
        let cluster = try await RedisCluster()
        let (owner, target) = (try cluster.owner(of: Self.key), try cluster.stranger(to: Self.key))
        let stage = try RedisStage(owner.url) { $0.routingKey = Self.key }
        _ = try await stage.run("SET", Self.key, "1")
        try cluster.beginToMove(Self.key, to: target)
        // The old node has this one still, and not the other one.
        #expect(try await stage.run("INCR", Self.key) == .integer(2))
        #expect(try await stage.run("INCR", "\(Self.key):new") == .integer(1))
        try cluster.moveKeys(Self.key, to: target)
        #expect(try await stage.run("INCR", Self.key) == .integer(3))
        #expect(stage.redis.session?.address == owner.url, "ASK is for one command.")
        // Only single keys can be asked for in a move.
        guard case .error(let text) = try await stage.run("MGET", Self.key, "\(Self.key):other") else {
            throw RedisCluster.Failed(description: "Two keys were found in a move.")
        }
        #expect(QueueError(redisError: text).code == .unreachable)
        try cluster.endMove(Self.key, to: target)
        #expect(try await stage.run("INCR", Self.key) == .integer(4))
        #expect(stage.redis.session?.address == target.url)
    }

    @Test func aFailoverIsFollowed() async throws {
        let cluster = try await RedisCluster()
        let owner = try cluster.owner(of: Self.key)
        let replica = try await cluster.addReplica(of: owner)
        let stage = try RedisStage(owner.url) {
            $0.routingKey = Self.key
            $0.timeLimit = .seconds(60)
        }
        _ = try await stage.run("SET", Self.key, "1")
        while try await stage.run("WAIT", "1", "1000") != .integer(1) {}
        #expect(await stage.nextSession()?.address == owner.url)
        try await cluster.kill(owner, replacedBy: replica)
        // The address is that of the node that is gone: the replica was heard of.
        let second = await stage.nextSession()
        #expect(second?.address == replica.url && second?.isAnotherServer == true)
        #expect(try await stage.run("GET", Self.key) == .bytes(Array("1".utf8)))
    }

    @Test func aClusterHasOneDatabase() async throws {
        let cluster = try await RedisCluster()
        let error = await (try RedisStage(cluster.nodes[0].url + "/1")).failure("PING")
        #expect(error?.code == .refused && error?.description.contains("has only database 0") == true)
    }
}
