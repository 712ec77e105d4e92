import ProcessRuntime
import PushQueue
import Testing

@testable import PushQueueRedis

@Suite struct RedisSentinelMachineTests {
    private static let (one, two) = (RedisNode(host: "one", port: 1), RedisNode(host: "two", port: 2))
    private static let (old, new) = (RedisNode(host: "old", port: 6_379), RedisNode(host: "new", port: 6_379))
    private static let replica: [RedisReply] = [
        Bench.welcome[0],
        .array([.bytes(Array("slave".utf8)), .bytes(Array("new".utf8)), .integer(6_379), .null, .null]),
        .status("PONG"),
    ]

    private func bench() -> Bench {
        Bench(RedisServerAddress(sentinels: RedisSentinels([Self.one, Self.two], primary: "main")))
    }

    private func names(_ node: RedisNode) -> Bench.Machine.Event {
        .received([.array([.bytes(Array(node.host.utf8)), .bytes(Array("\(node.port)".utf8))])])
    }

    private func opens(_ actions: [Bench.Machine.Action]) -> [RedisTarget] {
        actions.compactMap { if case .open(let target) = $0 { target } else { nil } }
    }

    @Test func thePrimaryThatASentinelNamesGetsTheCalls() {
        var bench = bench()
        #expect(bench(.started) == [.open(.sentinel(Self.one))])
        #expect(bench.call(1) == [])
        #expect(bench(.opened) == [.greet])
        #expect(bench(names(Self.new)) == [.leave, .open(.server(Self.new))])
        #expect(
            bench.connect() == [.greet, .publish(Bench.session(1, at: "redis://new:6379")), .write(1)])
    }

    @Test func theNextSentinelIsAskedAtOnceAndIsTheFirstOneThen() {
        var bench = bench()
        _ = bench(.started)
        #expect(bench(.lost(Bench.outage)) == [.open(.sentinel(Self.two))])
        _ = bench(.opened)
        #expect(opens(bench(names(Self.new))) == [.server(Self.new)])
        _ = bench.connect()
        #expect(bench(.lost(Bench.outage)) == [])
        #expect(bench.wake() == [.open(.sentinel(Self.two))])
        #expect(bench(.lost(Bench.outage)) == [.open(.sentinel(Self.one))])
    }

    @Test func aSilentSentinelGetsLessTimeThanAServer() {
        var bench = bench()
        _ = bench(.started)
        guard case .drop(let failure)? = bench.wake().first else {
            Issue.record("no drop")
            return
        }
        #expect(bench.now < MonotonicInstant(nanoseconds: 2_000_000_000))
        #expect(failure.description.hasPrefix("redis://one:1 did not accept a connection in time."))
        #expect(opens(bench(.lost(failure))) == [.sentinel(Self.two)])
    }

    @Test func eachSentinelIsNamedWithItsCauseAndTheCallsWait() {
        var bench = bench()
        _ = bench(.started)
        _ = bench.call(1)
        _ = bench(.lost(RedisFailure(.unreachable, "First.")))
        #expect(bench(.lost(RedisFailure(.refused, "Second."))) == [])
        _ = bench.call(2, within: .zero)
        guard case .fail(2, let failure)? = bench(.timePassed).first else {
            Issue.record("no failure")
            return
        }
        #expect(failure.code == .unreachable)
        #expect(failure.description.contains("No Sentinel of redis+sentinel://one:1,two:2/main"))
        #expect(failure.description.contains("First. Second. The call was not written."))
        #expect(opens(bench.wake()) == [.sentinel(Self.one)])
        _ = bench(.opened)
        _ = bench(names(Self.new))
        #expect(bench.connect().last == .write(1))
    }

    @Test func callsFailAtOnceIfEachSentinelRefuses() {
        var bench = bench()
        _ = bench(.started)
        _ = bench.call(1)
        _ = bench(.opened)
        guard case .drop(let unknown)? = bench(.received([.null])).first else {
            Issue.record("no drop")
            return
        }
        #expect(unknown.description.contains("redis://one:1 watches no primary by the name main."))
        _ = bench(.lost(unknown))
        guard case .fail(1, let failure)? = bench(.lost(Bench.refusal)).first else {
            Issue.record("no failure")
            return
        }
        #expect(failure.code == .refused)
    }

    /// It may not know of the failover yet.
    @Test func aSentinelThatNamesAReplicaIsAskedLastThen() {
        var bench = bench()
        _ = bench(.started)
        _ = bench.call(1)
        _ = bench(.opened)
        _ = bench(names(Self.old))
        _ = bench(.opened)
        guard case .drop(let failure)? = bench(.received(Self.replica)).first else {
            Issue.record("no drop")
            return
        }
        #expect(failure.code == .unreachable && failure.description.hasPrefix("redis://old:6379 is no primary"))
        #expect(bench(.lost(failure)) == [])
        #expect(bench.wake() == [.open(.sentinel(Self.two))])
        _ = bench(.opened)
        _ = bench(names(Self.new))
        #expect(bench.connect().last == .write(1))
    }

    @Test func aPrimaryThatTakesNoWritesIsAskedForAnew() {
        var bench = bench()
        _ = bench(.started)
        _ = bench(.opened)
        _ = bench(names(Self.old))
        _ = bench.connect()
        _ = bench.call(1)
        let actions = bench(.received([.error("READONLY You can't write against a read only replica.")]))
        guard case .drop(let failure)? = actions.last, actions.count == 2 else {
            Issue.record("\(actions)")
            return
        }
        _ = bench(.lost(failure))
        #expect(opens(bench.wake()) == [.sentinel(Self.one)])
    }

    @Test func aFailoverIsNotWaitedForLongerThanASecond() {
        var bench = bench()
        _ = bench(.started)
        for _ in 0..<10 {
            _ = bench(.lost(Bench.outage))
            _ = bench(.lost(Bench.outage))
            let before = bench.now
            #expect(opens(bench.wake()).count == 1)
            #expect(bench.now <= before.advanced(by: .seconds(1)))
        }
    }

    @Test(arguments: [
        (
            RedisReply.error("NOAUTH Authentication required."), QueueError.Code.refused,
            "--queue-sentinel-password-file"
        ),
        (.error("NOPERM this user has no permissions"), .refused, "ACL SETUSER"),
        (.error("ERR unknown command 'SENTINEL'"), .refused, "is no Sentinel"),
        (.error("LOADING"), .unreachable, "(LOADING)"), (.null, .refused, "by the name main"),
        (.array([.bytes([0x20]), .bytes([0x31])]), .refused, "no address"), (.integer(1), .refused, "no address"),
    ])
    func anAnswerWithoutAPrimarySaysWhatToDo(_ reply: RedisReply, _ code: QueueError.Code, _ words: String) {
        let question = RedisSentinelQuestion(RedisSentinels([Self.one], primary: "main"), at: "redis://one:1")
        guard case .failure(let failure)? = question.answer(in: [reply]) else {
            Issue.record("no failure")
            return
        }
        #expect(failure.code == code && failure.description.contains(words), "\(failure)")
    }

    @Test func aSentinelGetsALoginOfItsOwn() {
        let sentinels = RedisSentinels([Self.one], primary: "main", user: "watcher", password: .text("secret"))
        let question = RedisSentinelQuestion(sentinels, at: "redis://one:1")
        #expect(
            question.commands(password: [1]) == [
                RedisCommand(words: [Array("AUTH".utf8), Array("watcher".utf8), [1]]),
                RedisCommand("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main"),
            ])
        #expect(question.answer(in: [.status("OK")]) == nil)
        guard case .failure(let failure)? = question.answer(in: [.error("WRONGPASS no")]) else {
            Issue.record("no failure")
            return
        }
        #expect(failure.code == .refused && failure.description.contains("login of the user watcher (WRONGPASS)"))
    }
}
