import ProcessRuntime
import Testing

@testable import SupervisedPush

/// Whole lists of actions: what a bulk does with refusals that are about the sender or the service.
@Suite("parity: F21 – answers about the sender or the service pause a bulk and cost no delivery")
struct BulkRefusalTests {
    private struct Harness {
        var machine: BulkMachine
        var now = MonotonicInstant(nanoseconds: 0)

        init(
            window: Int = 8, maxOutage: Duration = .seconds(300), rate: PushRate? = nil, resends: Bool = true
        ) {
            machine = BulkMachine(window: window, maxOutage: maxOutage, rate: rate, resends: resends, now)
        }

        mutating func feed(_ event: BulkMachine.Event) -> [BulkMachine.Action] {
            var actions: [BulkMachine.Action] = []
            machine.handle(event, now, into: &actions)
            return actions
        }

        mutating func advance(by time: Duration) -> [BulkMachine.Action] {
            now = now.advanced(by: time)
            return feed(.tick)
        }

        /// All of a window of eight is read, of a source that has no more.
        mutating func readAll() {
            #expect(feed(.linkUp) == [.read(8)])
            #expect(feed(.sourceEnded(read: 8)) == [])
        }

        func refused(
            _ tickets: Range<Int>, _ subject: PushResponse.Subject = .service, times: Int = 1
        ) -> BulkMachine.Event {
            .answers(tickets.map { .refused(ticket: $0, subject, since: now, times: times) })
        }

        func after(_ time: Duration) -> MonotonicInstant { MonotonicInstant(nanoseconds: 0).advanced(by: time) }
    }

    @Test func theFirstRefusalPausesAndOneAfterTheOtherProbes() {
        var harness = Harness()
        #expect(harness.feed(.linkUp) == [.read(8)])
        #expect(harness.feed(.read(8)) == [])
        #expect(harness.feed(harness.refused(0..<2)) == [.tellPause(.service, nextProbe: .seconds(1))])
        #expect(!harness.machine.mayRead)
        // The others that were in flight are refused, too, and nobody is told again.
        #expect(harness.feed(harness.refused(2..<8)) == [])
        #expect(harness.machine.nextWake == harness.after(.seconds(1)))
        #expect(harness.advance(by: .milliseconds(999)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == [.pushAgain([0])])
        #expect(harness.machine.nextWake == harness.after(.seconds(300)))
        #expect(harness.feed(harness.refused(0..<1, times: 2)) == [.tellPause(.service, nextProbe: .seconds(2))])
        #expect(harness.machine.nextWake == harness.after(.seconds(3)))
        #expect(harness.advance(by: .seconds(2)) == [.pushAgain([1])])
        // The probe is accepted: what was refused goes again, in order, and the reading goes on.
        #expect(
            harness.feed(.answers([.accepted])) == [.wakeConsumer, .tellResumption, .pushAgain([2, 3, 4, 5, 6, 7, 0])])
        #expect(harness.feed(.taken(1)) == [.read(1)])
        #expect(harness.machine.mayRead)
        #expect(harness.feed(.sourceEnded(read: 0)) == [])
        #expect(harness.feed(.settled(7)) == [.wakeConsumer, .finish(.sourceEnded)])
    }

    @Test func aRefusalAmongAcceptancesPausesNothing() {
        var harness = Harness()
        harness.readAll()
        let answers: [BulkMachine.Answer] = [
            .accepted, .refused(ticket: 1, .service, since: harness.now, times: 1), .accepted,
            .refused(ticket: 3, .service, since: harness.now, times: 1),
        ]
        #expect(harness.feed(.answers(answers)) == [.wakeConsumer])
        #expect(harness.machine.needsAnswers)
        #expect(harness.machine.nextWake == harness.after(.seconds(1)))
        #expect(harness.feed(.answers([.accepted])) == [.wakeConsumer])
        #expect(harness.advance(by: .seconds(1)) == [.pushAgain([1, 3])])
        #expect(harness.machine.nextWake == nil)
        // One of them is refused again: it waits longer, and is alone in the end.
        let again = BulkMachine.Answer.refused(ticket: 1, .service, since: harness.after(.zero), times: 2)
        #expect(harness.feed(.answers([again])) == [])
        #expect(harness.machine.nextWake == harness.after(.seconds(3)))
        #expect(harness.advance(by: .seconds(2)) == [.pushAgain([1])])
        #expect(
            harness.feed(.answers([.accepted, .accepted, .accepted, .accepted, .accepted]))
                == [.wakeConsumer, .finish(.sourceEnded)])
    }

    @Test func threeInARowPause() {
        var harness = Harness()
        harness.readAll()
        #expect(harness.feed(.answers([.accepted, .accepted])) == [.wakeConsumer])
        #expect(harness.feed(harness.refused(2..<4, .sender)) == [])
        #expect(harness.feed(harness.refused(4..<5, .sender)) == [.tellPause(.sender, nextProbe: .seconds(1))])
        // What was accepted before the pause, and answered after its beginning, ends nothing.
        #expect(harness.feed(.answers([.accepted])) == [.wakeConsumer])
        #expect(harness.machine.pause.cause == .sender)
    }

    @Test func rejectionsBehindABurstOfAcceptancesPauseNothing() {
        var pause = RefusalPause()
        let now = MonotonicInstant(nanoseconds: 0)
        // One in a hundred, in bursts of a thousand.
        for _ in 0..<20 {
            for _ in 0..<990 { pause.accepted() }
            for _ in 0..<10 { #expect(pause.refused(.service, isAlone: false, now) == nil) }
        }
        // Then every push is refused.
        var refusals = 0
        while pause.refused(.service, isAlone: false, now) == nil, refusals < 1_000 { refusals += 1 }
        #expect(pause.stands && refusals < 100)
    }

    @Test func aPauseThatLastsTooLongEndsItAndEachRefusedPushHasItsAnswer() {
        var harness = Harness(maxOutage: .seconds(10))
        #expect(harness.feed(.linkUp) == [.read(8)])
        #expect(harness.feed(.read(8)) == [])
        _ = harness.feed(harness.refused(0..<8, .sender))
        #expect(harness.advance(by: .seconds(1)) == [.pushAgain([0])])
        #expect(harness.feed(harness.refused(0..<1, .sender)) == [.tellPause(.sender, nextProbe: .seconds(2))])
        #expect(harness.advance(by: .seconds(2)) == [.pushAgain([1])])
        // The probe is still on its way when the time is over.
        #expect(harness.machine.nextWake == harness.after(.seconds(10)))
        #expect(harness.advance(by: .seconds(7)) == [.end([2, 3, 4, 5, 6, 7, 0]), .wakeConsumer, .cancelAll])
        #expect(harness.machine.isWithdrawn && harness.machine.isWithdrawnByItself)
        #expect(
            harness.feed(harness.refused(1..<2, .sender)) == [.end([1]), .wakeConsumer, .finish(.refused(.sender))])
    }

    @Test func whatIsRefusedAgainAndAgainHasItsAnswerInTheEnd() {
        var harness = Harness(maxOutage: .seconds(10))
        harness.readAll()
        #expect(harness.feed(.answers([.accepted])) == [.wakeConsumer])
        harness.now = harness.after(.seconds(10))
        let late = BulkMachine.Answer.refused(ticket: 4, .service, since: harness.after(.zero), times: 5)
        #expect(harness.feed(.answers([late, .accepted])) == [.end([4]), .wakeConsumer])
    }

    @Test func aStopInOrderGivesThePauseItsTime() {
        var harness = Harness()
        #expect(harness.feed(.linkUp) == [.read(8)])
        #expect(harness.feed(.read(8)) == [])
        _ = harness.feed(harness.refused(0..<8))
        #expect(harness.feed(.stop(within: .seconds(5))) == [])
        #expect(harness.advance(by: .seconds(1)) == [.pushAgain([0])])
        #expect(harness.feed(harness.refused(0..<1)) == [])
        #expect(harness.advance(by: .seconds(2)) == [.pushAgain([1])])
        #expect(harness.feed(.answers([.accepted])) == [.wakeConsumer, .pushAgain([2, 3, 4, 5, 6, 7, 0])])
        #expect(harness.feed(harness.refused(2..<3)) == [])
        #expect(harness.advance(by: .seconds(2)) == [.end([2]), .wakeConsumer, .cancelAll])
        #expect(harness.feed(.settled(6)) == [.wakeConsumer, .finish(.stopped)])
    }

    @Test func theEndOfTheConnectionLeavesNothingHeld() {
        var harness = Harness()
        harness.readAll()
        _ = harness.feed(harness.refused(0..<7))
        #expect(harness.feed(.targetEnded) == [.end([0, 1, 2, 3, 4, 5, 6]), .wakeConsumer])
        #expect(harness.feed(harness.refused(7..<8)) == [.end([7]), .wakeConsumer, .finish(.targetEnded)])
    }

    @Test func aConsumerThatGoesIsNotWaitedFor() {
        var harness = Harness()
        harness.readAll()
        _ = harness.feed(harness.refused(0..<3))
        #expect(
            harness.feed(.cancelled) == [.end([0, 1, 2]), .wakeConsumer, .cancelAll, .finish(.cancelled)])
    }

    @Test func whoDoesNotWantThemAgainProbesWithTheNextElement() {
        var harness = Harness(resends: false)
        #expect(harness.feed(.linkUp) == [.read(8)])
        #expect(harness.feed(.read(8)) == [])
        #expect(
            harness.feed(harness.refused(0..<8))
                == [.tellPause(.service, nextProbe: .seconds(1)), .end(Array(0..<8)), .wakeConsumer])
        #expect(harness.feed(.taken(8)) == [])
        #expect(harness.advance(by: .seconds(1)) == [.read(1)])
        #expect(harness.machine.mayRead)
        #expect(harness.feed(.read(1)) == [])
        #expect(
            harness.feed(harness.refused(0..<1))
                == [.tellPause(.service, nextProbe: .seconds(2)), .end([0]), .wakeConsumer])
        #expect(harness.feed(.taken(1)) == [])
        #expect(harness.advance(by: .seconds(2)) == [.read(1)])
        #expect(harness.feed(.read(1)) == [])
        #expect(harness.feed(.answers([.accepted])) == [.wakeConsumer, .tellResumption, .read(7)])
    }

    @Test func aProbeWithoutAnAnswerIsFollowedByAnother() {
        var harness = Harness()
        harness.readAll()
        _ = harness.feed(harness.refused(0..<8))
        #expect(harness.advance(by: .seconds(1)) == [.pushAgain([0])])
        #expect(harness.feed(.answers([.ended])) == [.wakeConsumer])
        #expect(harness.machine.nextWake == harness.after(.seconds(2)))
        #expect(harness.advance(by: .seconds(1)) == [.pushAgain([1])])
        // One that is rejected for a reason of its own was judged: APNs serves.
        #expect(
            harness.feed(.answers([.rejected])) == [.wakeConsumer, .tellResumption, .pushAgain([2, 3, 4, 5, 6, 7])])
    }

    @Test func withoutALinkNothingProbes() {
        var harness = Harness(maxOutage: .seconds(60))
        harness.readAll()
        _ = harness.feed(harness.refused(0..<8))
        #expect(harness.feed(.linkDown) == [])
        #expect(harness.advance(by: .seconds(5)) == [])
        #expect(harness.machine.nextWake == harness.after(.seconds(60)))
        #expect(harness.feed(.linkUp) == [.pushAgain([0])])
    }

    @Test func whatGoesAgainKeepsTheRate() {
        var harness = Harness(rate: .perSecond(1))
        #expect(harness.feed(.linkUp) == [.read(1)])
        #expect(harness.feed(.read(1)) == [])
        _ = harness.feed(harness.refused(0..<1))
        #expect(harness.advance(by: .seconds(1)) == [.pushAgain([0])])
        #expect(harness.feed(.answers([.accepted])) == [.wakeConsumer, .tellResumption])
        #expect(harness.feed(.taken(1)) == [])
        #expect(harness.advance(by: .seconds(1)) == [.read(1)])
    }
}
