import ProcessRuntime
import Testing

@testable import SupervisedPush

/// Whole lists of actions: what a bulk does, and that it does nothing else.
@Suite struct BulkMachineTests {
    /// A machine and its clock.
    private struct Harness {
        var machine: BulkMachine
        var now = MonotonicInstant(nanoseconds: 0)

        init(
            window: Int = 100, maxOutage: Duration = .seconds(300), rate: PushRate? = nil, readAhead: Int = 0
        ) {
            machine = BulkMachine(window: window, maxOutage: maxOutage, rate: rate, readAhead: readAhead, now)
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

        func after(_ time: Duration) -> MonotonicInstant { MonotonicInstant(nanoseconds: 0).advanced(by: time) }
    }

    @Test func aWindowIsReadAndNotMoreBeforeAnEighthOfItIsFree() {
        var harness = Harness()
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.feed(.read(100)) == [])
        #expect(harness.feed(.settled(60)) == [.wakeConsumer])
        #expect(harness.feed(.taken(11)) == [])
        #expect(harness.feed(.taken(1)) == [.read(12)])
        #expect(harness.feed(.taken(35)) == [])
        #expect(harness.feed(.read(12)) == [.read(35)])
    }

    @Test func outcomesMayBeQuickerThanTheRunThatReadTheirPushes() {
        var harness = Harness()
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.feed(.settled(70)) == [.wakeConsumer])
        #expect(harness.feed(.taken(70)) == [])
        #expect(harness.feed(.sourceEnded(read: 90)) == [])
        #expect(harness.feed(.settled(20)) == [.wakeConsumer, .finish(.sourceEnded)])
        #expect(harness.feed(.taken(20)) == [])
    }

    @Test func whatAShortRunLeftIsFreeAgain() {
        var harness = Harness()
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.feed(.read(40)) == [.read(60)])
    }

    @Test func theWindowFollowsTheLimitUpAndDown() {
        var harness = Harness()
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.feed(.read(100)) == [])
        harness.machine.window = 200
        #expect(harness.feed(.linkUp) == [.read(100)])
        harness.machine.window = 40
        #expect(harness.feed(.linkUp) == [])
        #expect(harness.feed(.read(100)) == [])
        #expect(harness.feed(.settled(200)) == [.wakeConsumer])
        #expect(harness.feed(.taken(160)) == [])
        #expect(harness.feed(.taken(10)) == [.read(10)])
    }

    @Test func whileNoLinkIsUpNothingIsRead() {
        var harness = Harness()
        #expect(harness.feed(.linkDown) == [])
        #expect(harness.machine.nextWake == harness.after(.seconds(300)))
        #expect(!harness.machine.mayRead)
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.machine.mayRead)
        #expect(harness.feed(.linkDown) == [])
        // The run under way ends early.
        #expect(!harness.machine.mayRead)
        #expect(harness.feed(.read(3)) == [])
        #expect(harness.feed(.settled(3)) == [.wakeConsumer])
        #expect(harness.feed(.taken(3)) == [])
        #expect(harness.feed(.linkUp) == [.read(100)])
    }

    @Test func anOutageEndsItOnceItLastsTooLong() {
        var harness = Harness(maxOutage: .seconds(30))
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.feed(.read(100)) == [])
        harness.now = harness.after(.seconds(10))
        #expect(harness.feed(.linkDown) == [])
        #expect(harness.machine.nextWake == harness.after(.seconds(40)))
        #expect(harness.feed(.linkDown) == [])
        #expect(harness.advance(by: .seconds(29)) == [])
        #expect(harness.machine.nextWake == harness.after(.seconds(40)))
        #expect(harness.advance(by: .seconds(1)) == [.cancelAll])
        #expect(harness.feed(.linkUp) == [])
        #expect(harness.feed(.settled(99)) == [.wakeConsumer])
        #expect(harness.feed(.settled(1)) == [.wakeConsumer, .finish(.outage)])
    }

    @Test func aShortOutageLeavesATimerThatDoesNothing() {
        var harness = Harness(maxOutage: .seconds(30))
        #expect(harness.feed(.linkDown) == [])
        #expect(harness.machine.nextWake == harness.after(.seconds(30)))
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.advance(by: .seconds(30)) == [])
        #expect(harness.feed(.linkDown) == [])
        #expect(harness.machine.nextWake == harness.after(.seconds(60)))
    }

    @Test func anOutageStopsAReaderThatWaitsForItsSource() {
        var harness = Harness(maxOutage: .seconds(30))
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.feed(.linkDown) == [])
        #expect(harness.machine.nextWake == harness.after(.seconds(30)))
        #expect(harness.advance(by: .seconds(30)) == [.stopReader, .cancelAll])
        // It is waited for: what it reads last has an outcome.
        #expect(harness.feed(.settled(1)) == [.wakeConsumer])
        #expect(harness.feed(.read(1)) == [.finish(.outage)])
    }

    @Test func aSourceThatThrowsEndsItAfterTheLastOutcome() {
        var harness = Harness()
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.feed(.sourceFailed(read: 2)) == [])
        #expect(harness.feed(.taken(1)) == [])
        #expect(harness.feed(.settled(2)) == [.wakeConsumer, .finish(.sourceFailed)])
    }

    @Test func anEmptySourceEndsItAtOnce() {
        var harness = Harness()
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.feed(.sourceEnded(read: 0)) == [.finish(.sourceEnded)])
    }

    @Test func aConnectionThatEndsIsWaitedFor() {
        var harness = Harness()
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.feed(.targetEnded) == [.stopReader])
        #expect(harness.feed(.targetEnded) == [])
        #expect(harness.feed(.read(5)) == [])
        #expect(harness.feed(.settled(5)) == [.wakeConsumer, .finish(.targetEnded)])
    }

    @Test func aConsumerThatGoesIsNotWaitedFor() {
        var harness = Harness()
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.feed(.cancelled) == [.stopReader, .cancelAll, .finish(.cancelled)])
        #expect(harness.feed(.read(100)) == [])
        #expect(harness.feed(.settled(100)) == [])
        #expect(harness.feed(.cancelled) == [])
    }

    @Test func aConsumerMayGoDuringAnOutagesEnd() {
        var harness = Harness(maxOutage: .seconds(1))
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.feed(.read(100)) == [])
        #expect(harness.feed(.linkDown) == [])
        #expect(harness.machine.nextWake == harness.after(.seconds(1)))
        #expect(harness.advance(by: .seconds(1)) == [.cancelAll])
        #expect(harness.feed(.cancelled) == [.finish(.cancelled)])
    }

    @Test func aReaderIsStoppedOnce() {
        var harness = Harness()
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.feed(.targetEnded) == [.stopReader])
        #expect(harness.feed(.cancelled) == [.cancelAll, .finish(.cancelled)])
    }

    @Test func aRateGrantsWhatItsTokensAllow() {
        var harness = Harness(rate: .perSecond(1_000))
        // One token at the start; ten are waited for.
        #expect(harness.feed(.linkUp) == [])
        #expect(harness.machine.nextWake == harness.after(.milliseconds(9)))
        #expect(harness.advance(by: .milliseconds(9)) == [.read(10)])
        #expect(harness.feed(.read(10)) == [])
        #expect(harness.machine.nextWake == harness.after(.milliseconds(19)))
        #expect(harness.advance(by: .milliseconds(4)) == [])
        #expect(harness.machine.nextWake == harness.after(.milliseconds(19)))
        #expect(harness.advance(by: .milliseconds(11)) == [.read(15)])
        // Where the window has less room than tokens are there, the room counts.
        #expect(harness.feed(.read(15)) == [])
        #expect(harness.machine.nextWake == harness.after(.milliseconds(34)))
        #expect(harness.advance(by: .seconds(9)) == [.read(75)])
    }

    @Test func whatARunDidNotReadCostsNoTokens() {
        var harness = Harness(rate: .perSecond(10))
        #expect(harness.feed(.linkUp) == [.read(1)])
        #expect(harness.feed(.read(0)) == [.read(1)])
        #expect(harness.feed(.read(1)) == [])
        #expect(harness.machine.nextWake == harness.after(.milliseconds(100)))
    }

    @Test func anOutageThatIsToLastNoTimeEndsItAtOnce() {
        var harness = Harness(maxOutage: .zero)
        #expect(harness.feed(.linkDown) == [.cancelAll, .finish(.outage)])
    }

    // MARK: Reading ahead

    @Test func whatMayBeReadAheadIsReadWithoutALink() {
        var harness = Harness(readAhead: 10)
        #expect(harness.feed(.linkDown) == [.read(10)])
        #expect(harness.machine.nextWake == harness.after(.seconds(300)))
        #expect(harness.machine.mayRead)
        #expect(harness.feed(.read(10)) == [])
        #expect(harness.feed(.linkUp) == [.read(90)])
    }

    @Test func noMoreIsReadAheadThanTheWindowHasRoomFor() {
        var harness = Harness(window: 8, readAhead: 1_000)
        #expect(harness.feed(.linkDown) == [.read(8)])
        #expect(harness.machine.nextWake == harness.after(.seconds(300)))
    }

    @Test func aRunLargerThanWhatMayBeReadAheadEndsEarlyWithoutALink() {
        var harness = Harness(readAhead: 10)
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.feed(.linkDown) == [])
        #expect(harness.machine.nextWake == harness.after(.seconds(300)))
        #expect(!harness.machine.mayRead)
        #expect(harness.feed(.read(3)) == [.read(7)])
        #expect(harness.machine.mayRead)
    }

    @Test func whereARateIsToBeKeptNothingIsReadAhead() {
        var harness = Harness(rate: .perSecond(1), readAhead: 10)
        #expect(harness.feed(.linkDown) == [])
        #expect(harness.machine.nextWake == harness.after(.seconds(300)))
        #expect(harness.feed(.linkUp) == [.read(1)])
        #expect(harness.feed(.linkDown) == [])
        #expect(!harness.machine.mayRead)
    }

    // MARK: The end in order

    @Test func aBulkThatIsStoppedWaitsForWhatWasRead() {
        var harness = Harness()
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.feed(.stop(within: .seconds(10))) == [.stopReader])
        #expect(harness.machine.nextWake == harness.after(.seconds(10)))
        #expect(!harness.machine.mayRead)
        #expect(harness.feed(.read(40)) == [])
        #expect(harness.feed(.settled(30)) == [.wakeConsumer])
        #expect(harness.feed(.taken(30)) == [])
        #expect(harness.feed(.settled(10)) == [.wakeConsumer, .finish(.stopped)])
    }

    @Test func whatHasNoOutcomeInTimeIsWithdrawn() {
        var harness = Harness()
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.feed(.read(100)) == [])
        #expect(harness.feed(.stop(within: .seconds(10))) == [])
        #expect(harness.machine.nextWake == harness.after(.seconds(10)))
        #expect(harness.advance(by: .seconds(9)) == [])
        #expect(harness.machine.nextWake == harness.after(.seconds(10)))
        #expect(!harness.machine.isWithdrawn)
        #expect(harness.advance(by: .seconds(1)) == [.cancelAll])
        #expect(harness.machine.isWithdrawn)
        #expect(harness.advance(by: .seconds(1)) == [])
        #expect(harness.feed(.settled(100)) == [.wakeConsumer, .finish(.stopped)])
    }

    @Test func aSecondStopCanOnlyShortenTheTime() {
        var harness = Harness()
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.feed(.read(100)) == [])
        #expect(harness.feed(.stop(within: .seconds(10))) == [])
        #expect(harness.machine.nextWake == harness.after(.seconds(10)))
        #expect(harness.feed(.stop(within: .seconds(20))) == [])
        #expect(harness.feed(.stop(within: .seconds(5))) == [])
        #expect(harness.machine.nextWake == harness.after(.seconds(5)))
        #expect(harness.feed(.stop(within: .zero)) == [.cancelAll])
        #expect(harness.feed(.stop(within: .zero)) == [])
    }

    @Test func aBulkThatIsStoppedBeforeItBeganReadsNothing() {
        var harness = Harness(readAhead: 10)
        #expect(harness.feed(.stop(within: .seconds(10))) == [.finish(.stopped)])
        #expect(harness.feed(.linkUp) == [])
    }

    @Test func ofASourceThatEndedOnlyTheWaitingIsStopped() {
        var harness = Harness()
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.feed(.sourceFailed(read: 5)) == [])
        #expect(harness.feed(.stop(within: .seconds(10))) == [])
        #expect(harness.machine.nextWake == harness.after(.seconds(10)))
        #expect(harness.feed(.settled(5)) == [.wakeConsumer, .finish(.sourceFailed)])
    }

    @Test func afterAStopNoOutageIsTooLong() {
        var harness = Harness(maxOutage: .seconds(30))
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.feed(.read(100)) == [])
        #expect(harness.feed(.stop(within: .seconds(60))) == [])
        #expect(harness.machine.nextWake == harness.after(.seconds(60)))
        #expect(harness.feed(.linkDown) == [])
        #expect(harness.advance(by: .seconds(59)) == [])
        #expect(harness.machine.nextWake == harness.after(.seconds(60)))
        #expect(harness.advance(by: .seconds(1)) == [.cancelAll])
    }

    @Test func whatAConnectionThatClosesStillHasCanBeWithdrawn() {
        var harness = Harness()
        #expect(harness.feed(.linkUp) == [.read(100)])
        #expect(harness.feed(.targetEnded) == [.stopReader])
        #expect(harness.feed(.read(100)) == [])
        #expect(harness.feed(.stop(within: .zero)) == [.cancelAll])
        #expect(harness.feed(.settled(100)) == [.wakeConsumer, .finish(.targetEnded)])
    }
}
