import ProcessRuntime
import PushQueue
import QueueTestSupport
import TestSupport
import Testing

@testable import PushQueueRedis

/// A connection that asks a silent server whether it is there.
@Suite struct RedisPingMachineTests {
    @Test func anIdleConnectionAsksAfterFifteenSecondsAndGoesOn() {
        var bench = Bench.ready()
        for seconds in [15, 30] as [Int64] {
            #expect(bench.wake() == [.ping])
            #expect(bench.now == MonotonicInstant(nanoseconds: seconds * 1_000_000_000))
            #expect(bench(.received([.status("PONG")])) == [])
        }
        #expect(bench.call(1) == [.write(1)])
        #expect(bench(.received([.integer(1)])) == [.answer(1, [.integer(1)])])
    }

    @Test func aSilentServerIsGivenUpAfterTheTimeLimit() {
        var bench = Bench.ready()
        #expect(bench.wake() == [.ping])
        let actions = bench.wake()
        guard case .drop(let failure)? = actions.first, actions.count == 1 else {
            Issue.record("no drop: \(actions)")
            return
        }
        #expect(bench.now == MonotonicInstant(nanoseconds: 20_000_000_000))
        #expect(failure.code == .unreachable)
        #expect(bench(.lost(failure, sent: 14)) == [])
        #expect(bench.wake() == [Bench.open])
        #expect(bench.connect() == [.greet, .publish(Bench.session(2))])
    }

    @Test func callsBehindAPingKeepTheirOrderAndThePingIsNotRepeated() {
        var bench = Bench.ready()
        _ = bench.wake()
        #expect(bench.call(1) == [.write(1)])
        #expect(bench.call(2) == [.write(2)])
        #expect(bench(.received([.status("PONG"), .integer(1)])) == [.answer(1, [.integer(1)])])
        // The ping and the first call were written before: 24 bytes. The second has not left.
        #expect(bench(.lost(Bench.outage, sent: 24)) == [])
        _ = bench.wake()
        #expect(bench.connect() == [.greet, .publish(Bench.session(2)), .write(2)])
    }

    @Test func aPingThatHasNotLeftIsForgotten() {
        var bench = Bench.ready()
        _ = bench.wake()
        _ = bench.call(1)
        #expect(bench(.lost(Bench.outage, sent: 0)) == [])
        _ = bench.wake()
        #expect(bench.connect() == [.greet, .publish(Bench.session(2)), .write(1)])
    }

    @Test func aServerThatAnswersCallsIsNotAsked() {
        var bench = Bench.ready()
        bench.now = MonotonicInstant(nanoseconds: 10_000_000_000)
        _ = bench.call(1)
        _ = bench(.received([.null]))
        #expect(bench.wake() == [])
        #expect(bench.now == MonotonicInstant(nanoseconds: 15_000_000_000))
        #expect(bench.wake() == [.ping])
        #expect(bench.now == MonotonicInstant(nanoseconds: 25_000_000_000))
    }

    /// The time of a command that itself waits is bound by its own deadline.
    @Test func aCallThatWaitsIsNotDisturbed() {
        var bench = Bench.ready()
        _ = bench.call(1, within: .seconds(40))
        #expect(bench.wake() == [])
        #expect(bench.wake() == [])
        #expect(bench(.received([.null])) == [.answer(1, [.null])])
        #expect(bench.now == MonotonicInstant(nanoseconds: 30_000_000_000))
        #expect(bench.wake() == [.ping])
        #expect(bench.now == MonotonicInstant(nanoseconds: 45_000_000_000))
    }
}

/// A server whose machine vanishes without a word.
@Suite(.timeLimit(.minutes(5))) struct RedisVanishedServerTests {
    @Test func anIdleConnectionNoticesAndConnectsAgain() async throws {
        let server = try RedisServer()
        var configuration = try RedisConnection.Configuration(url: server.url)
        configuration.pingInterval = .milliseconds(50)
        configuration.timeLimit = .milliseconds(500)
        let (sessions, reported) = AsyncStream.makeStream(of: UInt64.self)
        let connector = SwallowingConnector()
        let redis = try RedisConnection(configuration, system: ProcessSystem(), connector: connector) {
            reported.yield($0.number)
        }
        var iterator = sessions.makeAsyncIterator()
        #expect(await iterator.next() == 1)
        await untilAnswered(redis)
        // A server that is late is given up, too: then this is not the first session any more.
        let before = try #require(redis.session?.number)
        // No call is made. Without a ping, nothing would tell.
        connector.swallow()
        while let number = await iterator.next(), number <= before {}
        await untilAnswered(redis)
        await redis.close()
    }

    /// Waits for an answer. A call fails if the connection is given up at that moment.
    private func untilAnswered(_ redis: RedisConnection) async {
        await until {
            let replies = try? await redis.execute([RedisCommand("PING")], within: .seconds(5))
            return replies == [.status("PONG")]
        }
    }
}
