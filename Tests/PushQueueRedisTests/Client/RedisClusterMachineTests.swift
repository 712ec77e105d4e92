import ProcessRuntime
import PushQueue
import Testing

@testable import PushQueueRedis

@Suite struct RedisClusterMachineTests {
    private static let b = RedisNode(host: "b", port: 6_380)
    private static let moved = RedisReply.error("MOVED 1 b:6380")
    private static let info = RedisReply.bytes(
        Array("redis_version:7.0.15\r\nrun_id:abc\r\nredis_mode:cluster\r\n".utf8))
    private static let role = RedisReply.array([
        .bytes(Array("master".utf8)), .integer(0),
        .array([.array([.bytes(Array("c".utf8)), .bytes(Array("6381".utf8)), .bytes(Array("0".utf8))])]),
    ])

    /// - Parameter key: What EXISTS is answered with.
    private static func welcome(_ key: RedisReply) -> [RedisReply] { [info, role, key, .status("PONG")] }

    private func bench(key: String? = "push:{q}") -> Bench {
        Bench(RedisServerAddress(host: "h"), key: key)
    }

    @Test func theNodeThatHasTheKeyIsFoundBeforeAnyCallIsWritten() {
        var bench = bench()
        #expect(bench(.started) == [Bench.open])
        _ = bench.call(1)
        _ = bench(.opened)
        #expect(bench(.received(Self.welcome(Self.moved))) == [.leave, .open(.server(Self.b))])
        _ = bench(.opened)
        #expect(
            bench(.received(Self.welcome(.integer(0)))) == [
                .publish(Bench.session(1, at: "redis://b:6380")), .write(1),
            ])
    }

    @Test func nodesThatNameOneAnotherEndTheAttempt() {
        var bench = bench()
        _ = bench(.started)
        for _ in 0..<RedisRedirection.limit {
            _ = bench(.opened)
            #expect(bench(.received(Self.welcome(Self.moved))).first == .leave)
        }
        _ = bench(.opened)
        guard case .drop(let failure)? = bench(.received(Self.welcome(Self.moved))).first else {
            Issue.record("no drop")
            return
        }
        #expect(failure.code == .unreachable && failure.description.contains("name one another"))
    }

    @Test func aCallThatIsRedirectedMovesTheConnection() {
        var bench = Bench.ready()
        for id in 1...2 as ClosedRange<UInt64> { _ = bench.call(id) }
        #expect(bench(.received([Self.moved])) == [.answer(1, [Self.moved])])
        #expect(bench.call(3) == [], "Nothing more is written to the old node.")
        #expect(
            bench(.received([.integer(2)])) == [.answer(2, [.integer(2)]), .leave, .open(.server(Self.b))])
        #expect(bench.connect() == [.greet, .publish(Bench.session(2, at: "redis://b:6380")), .write(3)])
        // It is remembered.
        _ = bench(.lost(Bench.outage))
        #expect(bench.wake() == [.open(.server(Self.b))])
    }

    @Test func aNodeThatIsGoneIsAskedForFromTheAddressAndFromItsReplicas() {
        var bench = bench()
        _ = bench(.started)
        _ = bench(.opened)
        _ = bench(.received(Self.welcome(Self.moved)))
        _ = bench(.opened)
        _ = bench(.received(Self.welcome(.integer(1))))
        _ = bench(.lost(Bench.outage))
        #expect(bench.wake() == [.open(.server(Self.b))])
        _ = bench(.lost(Bench.outage))
        #expect(bench.wake() == [Bench.open])
        _ = bench(.lost(Bench.outage))
        #expect(bench.wake() == [.open(.server(RedisNode(host: "c", port: 6_381)))])
        _ = bench(.opened)
        _ = bench(.received(Self.welcome(.integer(1))))
        _ = bench(.lost(Bench.outage))
        #expect(bench.wake() == [.open(.server(RedisNode(host: "c", port: 6_381)))])
    }

    @Test func aClusterThatLacksANodeIsAskedAgain() {
        var bench = bench()
        _ = bench(.started)
        _ = bench.call(1)
        _ = bench(.opened)
        let down = RedisReply.error("CLUSTERDOWN The cluster is down")
        guard case .drop(let failure)? = bench(.received(Self.welcome(down))).first else {
            Issue.record("no drop")
            return
        }
        #expect(failure.code == .unreachable && failure.description.contains("lacks a node"))
        #expect(bench(.lost(failure)) == [])
        #expect(bench.wake() == [Bench.open])
        _ = bench(.opened)
        #expect(bench(.received(Self.welcome(.integer(1)))).last == .write(1))
        _ = bench(.received([down]))
        #expect(bench.call(2) == [], "Another node may know better.")
    }

    @Test func onlyOnAClusterAReplicaTakesThePlaceOfTheAddress() {
        var bench = bench(key: nil)
        _ = bench(.started)
        _ = bench(.opened)
        _ = bench(.received([Bench.welcome[0], Self.role, .status("PONG")]))
        for _ in 0..<3 {
            _ = bench(.lost(Bench.outage))
            #expect(bench.wake() == [Bench.open])
        }
    }

    @Test func noMoreThanSixteenNodesAreRemembered() {
        var route = RedisRoute(RedisServerAddress(host: "h"))
        for port in 1...100 {
            #expect(route.moved(to: RedisNode(host: "n", port: port)) == .server(RedisNode(host: "n", port: port)))
            route.connected(replicas: [RedisNode(host: "r", port: port)])
        }
        var seen: Set<RedisTarget> = []
        for _ in 0..<40 {
            seen.insert(route.begin())
            route.serverFailed()
        }
        #expect(seen.count == 16 && seen.contains(.server(RedisNode(host: "h", port: 6_379))))
    }

    // MARK: What is sent again

    private func following(_ replies: [RedisReply], _ commands: [RedisCommand]) -> RedisFollowing {
        RedisFollowing(commands, replies, from: RedisNode(host: "h", port: 6_379))
    }

    private static let get = RedisCommand("GET", "a")
    private static let wait = RedisCommand("WAIT", "1", "100")

    @Test func onlyWhatWasRefusedIsSentAgain() {
        let four = following([.null, Self.moved, .error("ERR no"), Self.moved], Array(repeating: Self.get, count: 4))
        #expect(four.moved == [1, 3] && four.asked == [] && !four.isEmpty)
        #expect(following([.null, .integer(1)], [Self.get, Self.get]).isEmpty)
    }

    @Test func whatWaitsForReplicasFollowsItsCommand() {
        #expect(following([Self.moved, .integer(0)], [Self.get, Self.wait]).moved == [0, 1])
        #expect(following([.null, .integer(0)], [Self.get, Self.wait]).isEmpty)
    }

    @Test func eachAskedCommandHasAPermissionOfItsOwn() {
        let asks = ["ASK 1 b:6380", "ASK 2 c:1", "ASK 1 b:6380"].map { RedisReply.error($0) }
        let following = following(asks, Array(repeating: Self.get, count: 3))
        #expect(following.askedNode == Self.b && following.asked == [0, 2] && following.moved == [])
        let asking = RedisCommand("ASKING")
        #expect(following.asking(Array(repeating: Self.get, count: 3)) == [asking, Self.get, asking, Self.get])
        var replies = asks
        following.put([.status("OK"), .integer(1), .status("OK"), .integer(2)], into: &replies)
        #expect(replies == [.integer(1), asks[1], .integer(2)])
    }

    @Test(
        arguments: [
            ("MOVED 3999 10.0.0.2:6381", "10.0.0.2:6381"), ("MOVED 1 :7", "h:7"), ("ASK 1 ::1:6379", "[::1]:6379"),
            ("MOVED 1 ?:7", nil), ("MOVED 1 user@host:1", nil), ("MOVED 1 h:99999", nil), ("MOVED 1 h:0", nil),
            ("MOVED h:1", nil), ("ERR MOVED 1 h:1", nil), ("MOVED 1 h", nil),
        ] as [(String, String?)])
    func aRedirectionHasAnAddress(_ text: String, _ expected: String?) {
        let node = RedisRedirection(text).map { $0.node(from: RedisNode(host: "h", port: 6_379)) }
        #expect(node?.description == expected)
    }
}
