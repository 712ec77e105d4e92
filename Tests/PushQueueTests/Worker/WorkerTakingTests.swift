import Foundation
import ProcessRuntime
import Testing

@testable import PushQueue

/// What a worker takes, offers and pushes. Whole lists of actions.
@Suite struct WorkerTakingTests {
    @Test func aWorkerBeatsBeforeItTakes() {
        var worker = WorkerHarness.new
        #expect(worker.feed(.room(500)) == [])
        #expect(worker.feed(.opened) == [.beat])
        #expect(worker.feed(.beaten([WorkerHarness.me: 1])) == [.take(tokens: 500)])
    }

    @Test func whileNoLinkIsUpNothingIsTaken() {
        var worker = WorkerHarness(room: 0)
        #expect(worker.feed(.tick) == [])
        #expect(worker.feed(.room(1)) == [.take(tokens: 1)])
    }

    @Test func whatFitsIsTakenAndPushedAtOnce() {
        var worker = WorkerHarness(room: 300)
        #expect(
            worker.feed(.took([.sample("a", 200), .sample("b", 2)]))
                == [
                    .push("a", 0..<200, by: worker.after(.seconds(10))),
                    .push("b", 0..<2, by: worker.after(.seconds(10))),
                    .take(tokens: 98),
                ])
        #expect(worker.feed(.took([.sample("c", 98)])) == [.push("c", 0..<98, by: worker.after(.seconds(10)))])
        #expect(worker.feed(.room(400)) == [.take(tokens: 100)])
    }

    @Test func anEmptyQueueIsWaitedFor() {
        var worker = WorkerHarness()
        #expect(worker.feed(.took([])) == [.wait(upTo: .seconds(5))])
        #expect(worker.feed(.room(900)) == [])
        #expect(worker.feed(.waited) == [.take(tokens: 900)])
    }

    @Test func aWaitThatFailsIsFollowedByAPause() {
        var worker = WorkerHarness()
        _ = worker.feed(.took([]))
        #expect(worker.feed(.waitFailed) == [])
        #expect(worker.machine.nextWake == worker.after(.milliseconds(100)))
        #expect(worker.advance(by: .milliseconds(100)) == [.take(tokens: 1_000)])
    }

    @Test func theSlicesOfALargeEntryAreStoredBeforeTheyAreOffered() {
        var worker = WorkerHarness(room: 600)
        let end = worker.after(.seconds(10))
        #expect(worker.feed(.took([.sample("a", 600)])) == [.offer("a", 256)])
        #expect(worker.feed(.offered) == [.push("a", 0..<256, by: end), .offer("a", 512)])
        #expect(worker.feed(.offered) == [.push("a", 256..<512, by: end), .offer("a", 600)])
        #expect(worker.feed(.offered) == [.push("a", 512..<600, by: end)])
    }

    @Test func theNextSliceWaitsForRoom() {
        var worker = WorkerHarness(room: 256)
        let end = worker.after(.seconds(10))
        #expect(worker.feed(.took([.sample("a", 600)])) == [.offer("a", 256)])
        #expect(worker.feed(.offered) == [.push("a", 0..<256, by: end)])
        #expect(worker.end("a", 0..<1) == [.offer("a", 512)])
        #expect(worker.feed(.offered) == [.push("a", 256..<512, by: end)])
    }

    @Test func settledTokensAreNotPushed() {
        var worker = WorkerHarness(room: 3)
        #expect(
            worker.feed(.took([.sample("a", 4, settled: TokenSet([0, 2, 3]))]))
                == [.push(TakenEntry.Key("a"), [1], by: worker.after(.seconds(10))), .take(tokens: 2)])
    }

    @Test func aLostReplyIsAskedForBeforeTheNextTake() {
        var worker = WorkerHarness(room: 10)
        #expect(worker.feed(.failed(.unreachable)) == [])
        #expect(worker.advance(by: .milliseconds(100)) == [.recover(besides: [])])
        #expect(
            worker.feed(.recovered([.sample("a", 4, neverRepeats: true)]))
                == [.push("a", 0..<4, by: worker.after(.seconds(10))), .take(tokens: 6)])
    }

    @Test func afterEachFailureThePauseIsLongerUpToFiveSeconds() {
        var worker = WorkerHarness(room: 10)
        var pauses: [Duration] = []
        for _ in 0..<8 {
            let begin = worker.now
            #expect(worker.feed(.failed(.unreachable)) == [])
            while worker.machine.call != .recover {
                worker.now = worker.machine.nextWake ?? worker.now
                for action in worker.feed(.tick) where action == .beat { _ = worker.acknowledge() }
            }
            pauses.append(begin.duration(to: worker.now))
        }
        #expect(
            pauses == [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000].map { Duration.milliseconds($0) })
    }

    @Test func whatComesBackAsNotSentIsOfferedAgainAfterAMoment() {
        var worker = WorkerHarness(room: 4)
        _ = worker.take(.sample("a", 4))
        #expect(worker.end("a", 0..<3, .told) == [])
        #expect(worker.end("a", 3..<4, .unsent) == [])
        #expect(worker.advance(by: .milliseconds(20)) == [.settle("a", [0, 1, 2], .open)])
        #expect(worker.feed(.settled) == [])
        #expect(
            worker.advance(by: .milliseconds(80))
                == [.push("a", 3..<4, by: worker.after(.seconds(10)))])
    }

    @Test func withoutALinkWhatWasNotSentIsGivenBack() {
        var worker = WorkerHarness(room: 4)
        _ = worker.feed(.took([.sample("a", 2), .sample("b", 2)]))
        #expect(worker.feed(.room(0)) == [])
        #expect(worker.end("a", 0..<2, .unsent) == [.release("a")])
        #expect(worker.end("b", 0..<1, .told) == [])
        #expect(worker.end("b", 1..<2, .unsent) == [])
        #expect(worker.feed(.released) == [.forget("a")])
        #expect(
            worker.advance(by: .milliseconds(20)) == [
                .settle("b", [0], .again(Date(timeIntervalSince1970: 0), retries: 0))
            ])
        #expect(worker.feed(.settled) == [.forget("b")])
        #expect(worker.feed(.room(4)) == [.take(tokens: 4)])
    }

    @Test func whatIsTakenAsTheLinkBreaksIsGivenBackAtOnce() {
        var worker = WorkerHarness(room: 4)
        #expect(worker.feed(.room(0)) == [])
        #expect(worker.feed(.took([.sample("a", 2)])) == [.release("a")])
        #expect(worker.feed(.released) == [.forget("a")])
    }

    @Test func whatIsNotInFlightIsGivenBackWhenTheLastLinkBreaks() {
        var worker = WorkerHarness(room: 2)
        #expect(
            worker.feed(.took([.sample("a", 2), .sample("b", 2)])).first
                == .push("a", 0..<2, by: worker.after(.seconds(10))))
        #expect(worker.feed(.room(0)) == [.release("b")])
        #expect(worker.feed(.released) == [.forget("b")])
        #expect(worker.end("a", 0..<2, .unsent) == [.release("a")])
    }

    @Test func afterItsDeadlineAnEntryIsNotPushed() {
        var worker = WorkerHarness(room: 4)
        let deadline = worker.after(.milliseconds(50))
        #expect(
            worker.feed(.took([.sample("a", 2, deadline: deadline), .sample("b", 2, deadline: worker.now)]))
                == [.push("a", 0..<2, by: deadline), .take(tokens: 2)])
        _ = worker.feed(.took([]))
        #expect(
            worker.advance(by: .milliseconds(20)) == [.settle([.of("b", [0, 1], .tooLate, .done)])])
        #expect(worker.feed(.settled) == [.forget("b")])
        worker.now = deadline
        #expect(worker.end("a", 0..<2, .unsent) == [])
        #expect(worker.advance(by: .milliseconds(100)) == [])
        #expect(worker.advance(by: .milliseconds(20)) == [.settle([.of("a", [0, 1], .tooLate, .done)])])
    }

    @Test func entriesThatOthersHaveAreFoundOneByOneAndForgotten() {
        var worker = WorkerHarness(room: 600)
        let end = worker.after(.seconds(10))
        let (a, b) = (TakenEntry.Key("a"), TakenEntry.Key("b"))
        #expect(worker.feed(.took([.sample("a", 300), .sample("b", 300)])) == [.offer([a: 256, b: 256])])
        #expect(worker.feed(.failed(.fenced)) == [.offer("a", 256)])
        #expect(worker.feed(.failed(.fenced)) == [.forget("a"), .offer("b", 256)])
        #expect(worker.feed(.offered) == [.push("b", 0..<256, by: end), .offer("b", 300)])
        #expect(worker.feed(.failed(.fenced)) == [.withdraw(b), .take(tokens: 300)])
        // The answers that still come count, the others are another worker's.
        #expect(worker.end("b", 0..<1) == [])
        #expect(worker.end("b", 1..<256, .unsent) == [])
        #expect(worker.feed(.took([])) == [.wait(upTo: .seconds(5))])
        #expect(worker.advance(by: .milliseconds(20)) == [.settle("b", [0], .open)])
        #expect(worker.feed(.settled) == [.forget("b")])
        #expect(worker.news == [.lostEntries(1), .lostEntries(1)])
    }
}
