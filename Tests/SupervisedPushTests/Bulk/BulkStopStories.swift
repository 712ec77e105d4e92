import Dispatch
import PushLocking
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// A bulk that is stopped in order: what was read has its time, and one outcome each.
@Suite(.timeLimit(.minutes(5))) struct BulkStopStories {
    @Test func whatWasReadIsStillPushed() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 40)
        stage.apple.holdAnswers()
        let source = CountedSource(5_000)
        let bulk = try stage.orders.bulk(source)
        let task = Task { await bulk.tally() }
        #expect(await stage.apple.ledger.wait { $0.pushes == 41 })
        try await stage.isLoaded(inFlight: 40, waiting: 256)
        bulk.stop(within: .seconds(30))
        stage.apple.releaseAnswers()
        let tally = await task.value
        #expect(source.read == 296 && tally.isComplete(296))
        #expect(tally.summary == ["accepted": 296] && tally.error == nil)
        // The connection is as good as before.
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999)).isAccepted)
        await stage.end()
    }

    @Test func whatHasNoOutcomeInItsTimeIsWithdrawn() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 40)
        stage.apple.holdAnswers()
        let source = CountedSource(5_000)
        let bulk = try stage.orders.bulk(source)
        let task = Task { await bulk.tally() }
        #expect(await stage.apple.ledger.wait { $0.pushes == 41 })
        try await stage.isLoaded(inFlight: 40, waiting: 256)
        bulk.stop(within: .seconds(4))
        stage.time?.advance(by: .seconds(4))
        let tally = await task.value
        #expect(source.read == 296 && tally.isComplete(296))
        #expect(tally.summary == ["cancelled unknown": 40, "cancelled not_sent": 256] && tally.error == nil)
        await stage.end()
    }

    @Test func aSecondStopEndsTheWaiting() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 40)
        stage.apple.holdAnswers()
        let source = CountedSource(20)
        let bulk = try stage.orders.bulk(source)
        let task = Task { await bulk.tally() }
        #expect(await stage.apple.ledger.wait { $0.pushes == 21 })
        bulk.stop(within: .seconds(30))
        bulk.stop(within: .zero)
        let tally = await task.value
        #expect(tally.isComplete(source.read) && tally.summary == ["cancelled unknown": 20] && tally.error == nil)
        await stage.end()
    }

    @Test func oneThatIsStoppedBeforeItIsIteratedReadsNothing() async throws {
        let stage = try await Rehearsal.withLink()
        let source = CountedSource(5_000)
        let bulk = try stage.orders.bulk(source)
        bulk.stop(within: .seconds(30))
        let tally = await bulk.tally()
        #expect(source.read == 0 && tally.count == 0 && tally.error == nil)
        await stage.end()
    }

    @Test func broadcastsAreStoppedInTheSameWay() async throws {
        let stage = try await Rehearsal.withLink()
        let bulk = try stage.runtime.connection(named: "orders").broadcasts.bulk([Broadcast]())
        bulk.stop(within: .zero)
        for try await _ in bulk { Issue.record("nothing was to be broadcast") }
        await stage.end()
    }

    /// Gives a few pushes, then blocks its thread until it is told to end.
    private final class Pipe: Sequence, Sendable {
        private let rest = Locked(3)
        private let stopped = DispatchSemaphore(value: 0)

        func stop() { stopped.signal() }

        func makeIterator() -> AnyIterator<Push> {
            AnyIterator {
                let number = self.rest.withLock { rest in
                    rest -= 1
                    return rest
                }
                if number >= 0 { return Push(Samples.flight, to: Samples.token(number)) }
                self.stopped.wait()
                return nil
            }
        }
    }

    @Test func aSourceThatBlocksItsThreadIsToldToEnd() async throws {
        let stage = try await Rehearsal.withLink()
        let pipe = Pipe()
        let bulk = try stage.runtime.connection(named: "orders").bulk(
            pipe, options: BulkOptions(onStop: { pipe.stop() }))
        let task = Task { await bulk.tally() }
        #expect(await stage.apple.ledger.wait { $0.accepted == 4 })
        bulk.stop(within: .seconds(30))
        let tally = await task.value
        #expect(tally.isComplete(3) && tally.summary == ["accepted": 3] && tally.error == nil)
        await stage.end()
    }

    @Test func soItIsWhereAnOutageEndsTheBulk() async throws {
        let owner = Mailbox<LifecycleMessage>()
        let stage = try await Rehearsal.withLink(owner: owner)
        let pipe = Pipe()
        let options = BulkOptions(maxOutage: .seconds(5), onStop: { pipe.stop() })
        let task = Task {
            try await stage.orders.bulk(pipe, options: options).tally()
        }
        #expect(await stage.apple.ledger.wait { $0.accepted == 4 })
        stage.apple.refuseConnections()
        await stage.apple.cutConnections()
        #expect(await owner.receive(where: \.isReconnecting) != nil)
        let tally = try await stage.pump(while: task, upTo: .seconds(11))
        #expect(tally.isComplete(3) && (tally.error as? PushError)?.deadline == .outage)
        await stage.end()
    }
}
