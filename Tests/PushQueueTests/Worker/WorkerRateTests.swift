import ProcessRuntime
import Testing

@testable import PushQueue

/// How a worker keeps the rate that it shares with others. Whole lists of actions.
@Suite struct WorkerRateTests {
    private let rate = QueueRate(perSecond: 100, burst: 100)

    private func worker(room: Int = 600) -> WorkerHarness { WorkerHarness(room: room, rate: rate) }

    private func permits(_ tokens: Int) -> WorkerMachine.Event { .permitted(PushPermit(tokens: tokens)) }

    @Test func aWorkerAsksForPermitsAndTakesNoMoreThanIsPermitted() {
        var worker = WorkerHarness.new
        worker.machine = WorkerMachine(WorkerHarness.me, rate: rate)
        _ = worker.feed(.opened)
        _ = worker.feed(.room(600))
        #expect(worker.acknowledge() == [.permit(tokens: 600, rate)])
        #expect(worker.feed(permits(100)) == [.take(tokens: 100)])
        #expect(
            worker.feed(.took([.sample("a", 60), .sample("b", 30)]))
                == [
                    .push("a", 0..<60, by: worker.after(.seconds(10))),
                    .push("b", 0..<30, by: worker.after(.seconds(10))), .take(tokens: 10),
                ])
        #expect(
            worker.feed(.took([.sample("c", 10)]))
                == [.push("c", 0..<10, by: worker.after(.seconds(10))), .permit(tokens: 500, rate)])
    }

    @Test func whoIsRefusedWaitsAndItsOtherCallsGoOn() {
        var worker = worker()
        _ = worker.feed(permits(2))
        _ = worker.feed(.took([.sample("a", 2)]))
        #expect(worker.feed(.permitted(PushPermit(tokens: 0, wait: .milliseconds(700)))) == [])
        #expect(worker.machine.nextWake == worker.after(.milliseconds(700)))
        #expect(worker.end("a", [0, 1]) == [])
        #expect(worker.advance(by: .milliseconds(20)) == [.settle("a", [0, 1], .done)])
        #expect(worker.feed(.settled) == [.forget("a")])
        #expect(worker.advance(by: .milliseconds(679)) == [])
        #expect(worker.advance(by: .milliseconds(1)) == [.permit(tokens: 600, rate)])
    }

    @Test func aRefusalIsBelievedForFiveSecondsAtMost() {
        var worker = worker()
        #expect(worker.feed(.permitted(PushPermit(tokens: 0, wait: .seconds(3_600)))) == [])
        #expect(worker.advance(by: .seconds(3)) == [.beat])
        _ = worker.acknowledge()
        #expect(worker.machine.nextWake == worker.after(.seconds(5)))
        #expect(worker.advance(by: .seconds(2)) == [.permit(tokens: 600, rate)])
        // One without a time is no reason to ask all the time.
        #expect(worker.feed(.permitted(PushPermit(tokens: 0))) == [])
        #expect(worker.machine.nextWake == worker.after(.milliseconds(5_010)))
    }

    @Test func anEntryWithMoreTokensIsPaidForWithTheNextPermits() {
        var worker = worker()
        _ = worker.feed(permits(100))
        #expect(
            worker.feed(.took([.sample("a", 250)]))
                == [.push("a", 0..<250, by: worker.after(.seconds(10))), .permit(tokens: 500, rate)])
        // 150 are owed.
        #expect(worker.feed(permits(100)) == [.permit(tokens: 400, rate)])
        #expect(worker.feed(permits(51)) == [.take(tokens: 1)])
    }

    @Test func eachFurtherSliceIsPaidForWhenItIsOffered() {
        var worker = worker()
        let end = worker.after(.seconds(10))
        _ = worker.feed(permits(100))
        #expect(worker.feed(.took([.sample("a", 600)])) == [.offer("a", 256)])
        #expect(worker.feed(.offered) == [.push("a", 0..<256, by: end), .permit(tokens: 412, rate)])
        #expect(worker.feed(.permitted(PushPermit(tokens: 0, wait: .seconds(1)))) == [])
        #expect(worker.advance(by: .seconds(1)) == [.permit(tokens: 412, rate)])
        #expect(worker.feed(permits(157)) == [.offer("a", 512)])
        // A call that fails is not paid for.
        #expect(worker.feed(.failed(.unreachable)) == [])
        #expect(worker.machine.permits == 1)
        #expect(worker.advance(by: .milliseconds(100)) == [.offer("a", 512)])
        #expect(worker.feed(.offered) == [.push("a", 256..<512, by: end), .permit(tokens: 343, rate)])
        #expect(worker.machine.permits == -255)
    }

    @Test func settledTokensOfASliceCostNothing() {
        var worker = worker()
        _ = worker.feed(permits(100))
        _ = worker.feed(.took([.sample("a", 300, settled: TokenSet(10..<290))]))
        _ = worker.feed(.offered)
        #expect(worker.machine.permits == 90)
    }

    @Test func permitsThatAreNotUsedLapseAfterASecond() {
        var worker = worker()
        #expect(worker.feed(permits(100)) == [.take(tokens: 100)])
        #expect(worker.feed(.took([])) == [.wait(upTo: .seconds(5))])
        worker.now = worker.after(.milliseconds(999))
        #expect(worker.feed(.waited) == [.take(tokens: 100)])
        #expect(worker.feed(.took([])) == [.wait(upTo: .seconds(5))])
        worker.now = worker.after(.seconds(1))
        #expect(worker.feed(.waited) == [.permit(tokens: 1, rate)])
    }

    @Test func whatIsFoundAgainOrTakenOverIsPaidForToo() {
        var worker = worker()
        _ = worker.feed(permits(100))
        #expect(worker.feed(.failed(.unreachable)) == [])
        #expect(worker.advance(by: .milliseconds(100)) == [.recover(besides: [])])
        _ = worker.feed(.recovered([.sample("a", 40), .sample("b", 300, offered: 256)]))
        #expect(worker.machine.permits == -196)
        #expect(worker.machine.call == .permit)
    }

    @Test func aPermitWhoseAnswerWasLostIsAskedForAgain() {
        var worker = worker()
        #expect(worker.feed(.failed(.unreachable)) == [])
        #expect(worker.machine.needsRecovery == false)
        #expect(worker.advance(by: .milliseconds(100)) == [.permit(tokens: 600, rate)])
    }

    @Test func whatMustOnlyBeConfirmedNeedsNoPermit() {
        var worker = worker(room: 4)
        _ = worker.feed(permits(2))
        _ = worker.feed(.took([.sample("a", 2, doubts: 1)]))
        _ = worker.feed(.permitted(PushPermit(tokens: 0, wait: .seconds(60))))
        _ = worker.end("a", [0])
        _ = worker.advance(by: .milliseconds(20))
        _ = worker.feed(.settled)
        #expect(worker.feed(.room(0)) == [])
        #expect(worker.end("a", [1], .unsent) == [])
        #expect(worker.feed(.room(4)) == [.offer("a", 2)])
    }

    @Test func aWorkerThatFoundNothingAsksForOnePermit() {
        var worker = worker()
        _ = worker.feed(permits(100))
        #expect(worker.feed(.took([])) == [.wait(upTo: .seconds(5))])
        #expect(worker.advance(by: .seconds(1)) == [])
        #expect(worker.feed(.waited) == [.permit(tokens: 1, rate)])
        #expect(worker.feed(permits(1)) == [.take(tokens: 1)])
        #expect(
            worker.feed(.took([.sample("a", 1)]))
                == [.push("a", 0..<1, by: worker.machine.leaseEnd ?? worker.now), .permit(tokens: 599, rate)])
    }

    @Test func whatAPNsReturnsUnprocessedIsPaidForAgain() {
        var worker = worker()
        _ = worker.feed(permits(100))
        _ = worker.feed(.took([.sample("a", 2)]))
        #expect(worker.machine.permits == 98)
        #expect(worker.end("a", 0..<1, .refused) == [])
        #expect(worker.machine.permits == 97)
        #expect(worker.end("a", 1..<2, .unsent) == [])
        #expect(worker.machine.permits == 97)
    }
}
