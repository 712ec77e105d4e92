import ProcessRuntime
import PushQueue
import Testing

@testable import PushQueueRedis

@Suite struct RedisConnectionMachineTests {
    @Test func callsWaitForTheSession() {
        var bench = Bench()
        #expect(bench(.started) == [Bench.open])
        #expect(bench.call(1) == [])
        #expect(bench(.opened) == [.greet])
        #expect(bench.call(2) == [])
        #expect(bench(.received(Array(Bench.welcome.prefix(2)))) == [])
        #expect(bench(.received(Array(Bench.welcome.suffix(1)))) == [.publish(Bench.session(1)), .write(1), .write(2)])
        #expect(bench.call(3) == [.write(3)])
    }

    @Test func repliesGoToTheCallsInTheirOrder() {
        var bench = Bench.ready()
        _ = bench.call(1, replies: 2)
        _ = bench.call(2)
        _ = bench.call(3, replies: 3)
        #expect(bench(.received([.integer(1)])) == [])
        #expect(
            bench(.received([.integer(2), .integer(3), .integer(4)])) == [
                .answer(1, [.integer(1), .integer(2)]), .answer(2, [.integer(3)]),
            ])
        #expect(bench(.received([.error("x"), .null])) == [.answer(3, [.integer(4), .error("x"), .null])])
        #expect(bench.machine.nextWake == MonotonicInstant(nanoseconds: 15_000_000_000), "The next ping.")
    }

    @Test func aReplyToNothingEndsTheConnection() {
        var bench = Bench.ready()
        guard case .drop(let failure)? = bench(.received([.null])).last else {
            Issue.record("no drop")
            return
        }
        #expect(failure.code == .failed)
    }

    @Test func aLostConnectionFailsWhatWasWrittenAndKeepsTheRest() {
        var bench = Bench.ready()
        for id in 1...4 as ClosedRange<UInt64> { _ = bench.call(id) }
        // The first is answered; the second is written, and a byte of the third.
        #expect(bench(.received([.null])) == [.answer(1, [.null])])
        let failure = Bench.mayHaveBeenExecuted(Bench.outage)
        #expect(bench(.lost(Bench.outage, sent: 21)) == [.fail(2, failure), .fail(3, failure)])
        _ = bench.call(5)
        #expect(bench.wake() == [Bench.open])
        #expect(bench.connect() == [.greet, .publish(Bench.session(2)), .write(4), .write(5)])
        #expect(
            bench(.received([.integer(4), .integer(5)])) == [.answer(4, [.integer(4)]), .answer(5, [.integer(5)])])
    }

    @Test func callsThatNeverLeftKeepTheirPlace() {
        var bench = Bench.ready()
        for id in 1...4 as ClosedRange<UInt64> { _ = bench.call(id) }
        // Exactly the first has left.
        #expect(bench(.lost(Bench.outage, sent: 10)) == [.fail(1, Bench.mayHaveBeenExecuted(Bench.outage))])
        _ = bench.call(5)
        _ = bench.wake()
        #expect(
            bench.connect() == [.greet, .publish(Bench.session(2)), .write(2), .write(3), .write(4), .write(5)])
    }

    @Test func aHalfAnsweredCallFails() {
        var bench = Bench.ready()
        _ = bench.call(1, replies: 2)
        _ = bench(.received([.null]))
        #expect(bench(.lost(Bench.outage, sent: 10)) == [.fail(1, Bench.mayHaveBeenExecuted(Bench.outage))])
    }

    @Test func aCallThatWaitsTooLongFailsAndTheOthersWaitOn() {
        var bench = Bench()
        _ = bench(.started)
        _ = bench.call(1, within: .seconds(4))
        _ = bench.call(2, within: .seconds(2))
        #expect(bench(.lost(Bench.outage)) == [])
        #expect(bench.wake() == [Bench.open])
        let failure = RedisFailure(
            .unreachable, "Gone. The call was not written.")
        #expect(bench.wake() == [.fail(2, failure)])
        #expect(bench.now == MonotonicInstant(nanoseconds: 2_000_000_000))
        #expect(bench.connect() == [.greet, .publish(Bench.session(1)), .write(1)])
    }

    @Test func aWrittenCallWithoutAnAnswerEndsTheConnection() {
        var bench = Bench.ready()
        _ = bench.call(1, within: .seconds(3))
        _ = bench.call(2, within: .seconds(1))
        let actions = bench.wake()
        guard case .drop(let failure)? = actions.first else {
            Issue.record("no drop")
            return
        }
        #expect(actions.count == 1)
        let ended = Bench.mayHaveBeenExecuted(failure)
        #expect(bench(.lost(failure, sent: 20)) == [.fail(1, ended), .fail(2, ended)])
    }

    @Test func aConnectionThatTakesTooLongIsGivenUp() {
        var bench = Bench()
        _ = bench(.started)
        guard case .drop? = bench.wake().last else {
            Issue.record("no drop")
            return
        }
        #expect(bench.now == MonotonicInstant(nanoseconds: 5_000_000_000))
        _ = bench(.lost(Bench.outage))
        #expect(bench.wake() == [Bench.open])
        _ = bench(.opened)
        guard case .drop? = bench.wake().last else {
            Issue.record("no drop")
            return
        }
    }

    @Test func theWaitDoublesAndASessionResetsIt() {
        var bench = Bench()
        _ = bench(.started)
        var waits: [Double] = []
        for _ in 0..<9 {
            let before = bench.now
            _ = bench(.lost(Bench.outage))
            #expect(bench.wake() == [Bench.open])
            waits.append(before.duration(to: bench.now) / .milliseconds(1))
        }
        for (wait, longest) in zip(waits, [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000] as [Double]) {
            #expect(wait >= longest / 2 && wait <= longest)
        }
        _ = bench.connect()
        let before = bench.now
        _ = bench(.lost(Bench.outage))
        _ = bench.wake()
        #expect(before.duration(to: bench.now) <= .milliseconds(100))
    }

    @Test func aRefusalEndsTheCallsThatWait() {
        var bench = Bench()
        _ = bench(.started)
        _ = bench.call(1)
        _ = bench(.opened)
        _ = bench.call(2)
        guard case .drop(let failure)? = bench(.received([.error("NOAUTH Authentication required.")])).last else {
            Issue.record("no drop")
            return
        }
        #expect(failure.code == .refused)
        #expect(bench(.lost(failure)) == [.fail(1, failure), .fail(2, failure)])
        #expect(bench.call(3) == [.fail(3, failure)])
        #expect(bench.wake() == [Bench.open])
        // Another try: perhaps the server has the password now.
        #expect(bench.call(4) == [])
        #expect(bench.connect() == [.greet, .publish(Bench.session(1)), .write(4)])
    }

    @Test func aServerThatLoadsIsTriedAgainWhileCallsWait() {
        var bench = Bench()
        _ = bench(.started)
        _ = bench.call(1)
        _ = bench(.opened)
        let loading = Array(Bench.welcome.prefix(2)) + [.error("LOADING Redis is loading the dataset in memory")]
        guard case .drop(let failure)? = bench(.received(loading)).last else {
            Issue.record("no drop")
            return
        }
        #expect(failure.code == .unreachable && failure.description.contains("loading"))
        #expect(bench(.lost(failure)) == [])
        #expect(bench.wake() == [Bench.open])
        #expect(bench.connect() == [.greet, .publish(Bench.session(1)), .write(1)])
    }

    @Test(arguments: [
        "READONLY You can't write against a read only replica.", "NOREPLICAS Not enough good replicas to write.",
    ])
    func aServerThatTakesNoWritesIsLeftWhenAllIsAnswered(text: String) {
        var bench = Bench.ready()
        _ = bench.call(1)
        _ = bench.call(2)
        let refusal = RedisReply.error(text)
        #expect(bench(.received([refusal])) == [.answer(1, [refusal])])
        #expect(bench.call(3) == [])
        let actions = bench(.received([.null]))
        #expect(actions.first == .answer(2, [.null]) && actions.count == 2)
        guard case .drop(let failure)? = actions.last else {
            Issue.record("no drop")
            return
        }
        #expect(bench(.lost(failure, sent: 20)) == [])
        #expect(bench.wake() == [Bench.open])
        #expect(bench.connect() == [.greet, .publish(Bench.session(2)), .write(3)])
    }

    @Test(arguments: ["run_id:def\r\n", "run_id:abc\r\n# Replication\r\nmaster_replid:012\r\n"])
    func anotherRunIDOrReplicationIDIsAnotherServer(info: String) {
        var bench = Bench.ready()
        _ = bench(.lost(Bench.outage))
        _ = bench.wake()
        _ = bench(.opened)
        let replies = [.bytes(Array(info.utf8))] + Bench.welcome.dropFirst()
        guard case .publish(let session)? = bench(.received(replies)).first else {
            Issue.record("no session")
            return
        }
        #expect(session.number == 2 && session.isAnotherServer)
    }

    /// Random events, with a model of what the server got: each call ends once, in order, and with a reply only if it
    /// was its own.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func eachCallEndsOnceInRandomLives(seed: UInt64) {
        var life = RandomLife(seed: seed)
        for _ in 0..<400 { life.step() }
        life.finish()
        #expect(life.faults == [])
        #expect(life.open.isEmpty)
    }
}
