import Foundation
import ProcessRuntime
import Testing

@testable import PushQueue

/// Heartbeats and the end of a worker. Whole lists of actions.
@Suite struct WorkerLifeTests {
    @Test func aHeartbeatFollowsEveryThreeSeconds() {
        var worker = WorkerHarness(room: 0)
        #expect(worker.machine.nextWake == worker.after(.seconds(3)))
        #expect(worker.advance(by: .seconds(3)) == [.beat])
        #expect(worker.advance(by: .seconds(1)) == [])
        #expect(worker.acknowledge() == [])
        #expect(worker.machine.leaseEnd == worker.after(.seconds(13)))
        #expect(worker.machine.nextWake == worker.after(.seconds(6)))
    }

    @Test func withoutHeartbeatsWhatIsNotWrittenIsWithdrawnAndReleased() {
        var worker = WorkerHarness(room: 4)
        _ = worker.take(.sample("a", 2), .sample("b", 2))
        #expect(worker.advance(by: .seconds(3)) == [.beat])
        #expect(worker.feed(.beatFailed) == [])
        #expect(worker.advance(by: .milliseconds(500)) == [.beat])
        #expect(worker.advance(by: .milliseconds(6_500)) == [.withdraw(nil)])
        #expect(worker.news == [.leaseLost])
        #expect(worker.end("a", [0, 1], .unsent) == [.release("a")])
        #expect(worker.feed(.failed(.unreachable)) == [])
        #expect(worker.feed(.beatFailed) == [])
        #expect(worker.advance(by: .milliseconds(100)) == [.release("a")])
        #expect(worker.feed(.released) == [.forget("a")])
        worker.isQuiet = false
        #expect(worker.advance(by: .milliseconds(400)) == [.beat])
        #expect(worker.acknowledge() == [.recover(besides: [])])
        #expect(worker.end("b", [0, 1], .told) == [])
        #expect(worker.feed(.recovered([.sample("b", 2)])) == [.take(tokens: 4)])
    }

    @Test func anEntryInDoubtGoesOnOnceTheStoreSaysThatItIsStillOurs() {
        var worker = WorkerHarness(room: 4)
        _ = worker.take(.sample("a", 2, doubts: 1))
        _ = worker.end("a", [0])
        _ = worker.advance(by: .milliseconds(20))
        _ = worker.feed(.settled)
        #expect(worker.advance(by: .seconds(10)) == [.withdraw(nil), .beat])
        #expect(worker.end("a", [1], .unsent) == [])
        worker.isQuiet = false
        #expect(worker.acknowledge() == [.recover(besides: [])])
        let facts = WorkerMachine.Facts.sample("a", 2, offered: 2, settled: TokenSet([0]), doubts: 1)
        #expect(
            worker.feed(.recovered([facts]))
                == [.push("a", 1..<2, by: worker.now.advanced(by: .seconds(10)))])
    }

    @Test func aHeartbeatGoesBesideACallThatTakesLong() {
        var worker = WorkerHarness(room: 4)
        #expect(worker.advance(by: .seconds(3)) == [.beat])
        #expect(worker.acknowledge() == [])
        #expect(worker.feed(.took([.sample("a", 4)])) == [.push("a", 0..<4, by: worker.after(.seconds(13)))])
        // And another call goes beside a heartbeat that takes long.
        #expect(worker.advance(by: .seconds(3)) == [.beat])
        #expect(worker.end("a", 0..<4) == [.take(tokens: 4)])
        #expect(worker.feed(.took([])) == [.wait(upTo: .seconds(5))])
        #expect(worker.advance(by: .seconds(4)) == [.settle("a", [0, 1, 2, 3], .done)])
        #expect(worker.feed(.settled) == [.forget("a")])
        #expect(worker.acknowledge() == [.beat])
    }

    @Test func aWorkerLeavesOnlyAfterItsHeartbeatAndSendsNoneThen() {
        var worker = WorkerHarness(room: 0)
        #expect(worker.advance(by: .seconds(3)) == [.beat])
        #expect(worker.feed(.stop(within: .seconds(5))) == [])
        #expect(worker.acknowledge() == [.leave])
        #expect(worker.machine.nextWake == worker.after(.seconds(10)))
        #expect(worker.advance(by: .seconds(3)) == [])
        #expect(worker.feed(.failed(.unreachable)) == [.beat])
        #expect(worker.acknowledge() == [])
        #expect(worker.advance(by: .milliseconds(100)) == [.leave])
        #expect(worker.feed(.left) == [.finished])
    }

    @Test func aStopWaitsForAnswersSettlesReleasesAndLeaves() {
        var worker = WorkerHarness(room: 256)
        _ = worker.take(.sample("a", 2), .sample("b", 300))
        #expect(worker.feed(.stop(within: .seconds(2))) == [])
        // The store counts a slice of it as offered, so its release would leave a doubt.
        #expect(worker.feed(.offered) == [])
        #expect(
            worker.advance(by: .milliseconds(20)) == [
                .settle("b", [], .again(Date(timeIntervalSince1970: 0), retries: 0))
            ])
        #expect(worker.feed(.settled) == [.forget("b")])
        #expect(worker.end("a", [0]) == [])
        #expect(worker.end("a", [1]) == [.settle("a", [0, 1], .done)])
        #expect(worker.feed(.settled) == [.forget("a"), .leave])
        #expect(worker.feed(.left) == [.finished])
        #expect(worker.machine.nextWake == nil)
        #expect(worker.feed(.waited) == [])
    }

    @Test func aStopGivesBackWhatALostReplyHadTold() {
        var worker = WorkerHarness(room: 4)
        #expect(worker.feed(.failed(.unreachable)) == [])
        #expect(worker.feed(.stop(within: .seconds(1))) == [])
        #expect(worker.advance(by: .milliseconds(100)) == [.recover(besides: [])])
        #expect(worker.feed(.recovered([.sample("a", 4)])) == [.release("a")])
        #expect(worker.feed(.released) == [.forget("a"), .leave])
    }

    @Test func afterItsTimeAStopWithdrawsWhatIsNotWritten() {
        var worker = WorkerHarness(room: 4)
        _ = worker.take(.sample("a", 2), .sample("b", 2))
        #expect(worker.feed(.stop(within: .seconds(1))) == [])
        #expect(worker.machine.nextWake == worker.after(.seconds(1)))
        #expect(worker.advance(by: .seconds(1)) == [.withdraw(nil)])
        #expect(worker.end("a", [0, 1], .unsent) == [.release("a")])
        #expect(worker.feed(.released) == [.forget("a")])
        #expect(worker.end("b", [0], .unsent) == [])
        #expect(worker.machine.nextWake == worker.after(.seconds(3)))
        #expect(worker.advance(by: .seconds(2)) == [.finished])
    }

    @Test func withoutALinkAStopWithdrawsAtOnce() {
        var worker = WorkerHarness(room: 4)
        _ = worker.take(.sample("a", 4))
        _ = worker.feed(.room(0))
        #expect(worker.feed(.stop(within: .seconds(60))) == [.withdraw(nil)])
        #expect(worker.end("a", 0..<4, .unsent) == [.release("a")])
        #expect(worker.feed(.released) == [.forget("a"), .leave])
    }

    @Test func aWorkerThatNeverBeganEndsAtOnce() {
        var worker = WorkerHarness.new
        #expect(worker.feed(.stop(within: .seconds(5))) == [.finished])
    }
}
