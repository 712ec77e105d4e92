import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// How a bulk ends before its source does.
@Suite(.timeLimit(.minutes(5))) struct BulkEndStories {
    private struct Torn: Error {}

    @Test func theSourcesOwnErrorComesAfterTheLastOutcome() async throws {
        let stage = try await Rehearsal.withLink()
        let (source, feed) = AsyncThrowingStream<Push, any Error>.makeStream()
        for number in 0..<700 { feed.yield(Push(Samples.flight, to: Samples.token(number))) }
        feed.finish(throwing: Torn())
        let tally = try await stage.orders.bulk(source).tally()
        #expect(tally.isComplete(700) && tally.summary == ["accepted": 700] && tally.error is Torn)
        await stage.end()
    }

    @Test func aClosedConnectionIsThrownAndNothingIsRead() async throws {
        let stage = try Rehearsal.inMemory()
        let source = CountedSource(10)
        let orders = try stage.runtime.connect(name: "orders", config: stage.config)
        await orders.close()
        let tally = await orders.bulk(source).tally()
        #expect((tally.error as? PushError)?.code == .closed && tally.count == 0 && source.read == 0)
        await stage.end()
    }

    @Test func aSecondIteratorIsAClearError() async throws {
        let stage = try await Rehearsal.withLink()
        let bulk = try stage.orders.bulk(CountedSource(10))
        #expect(await bulk.tally().isComplete(10))
        let again = await bulk.tally()
        #expect((again.error as? PushError)?.code == .invalidRequest && again.count == 0)
        #expect(stage.apple.ledger.snapshot.accepted == 11)
        await stage.end()
    }

    @Test func anIteratorThatHasEndedStaysEnded() async throws {
        let stage = try await Rehearsal.withLink()
        var outcomes = try stage.orders.bulk(CountedSource(1)).makeAsyncIterator()
        #expect(try await outcomes.next() != nil)
        for _ in 0..<3 { #expect(try await outcomes.next() == nil) }
        await stage.end()
    }

    @Test func aConnectionClosedUnderItEndsItAfterEveryOutcome() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 40)
        stage.apple.holdAnswers()
        let source = CountedSource(5_000)
        let task = Task { try await stage.orders.bulk(source).tally() }
        #expect(await stage.apple.ledger.wait { $0.pushes == 41 })
        try await stage.isLoaded(inFlight: 40, waiting: 256)
        try await stage.runtime.close(name: "orders", within: .zero)
        let tally = try await task.value
        #expect((tally.error as? PushError)?.code == .closed)
        // Two more may have been read to find the connection closed.
        #expect(tally.isComplete(source.read) && source.read <= 298)
        #expect(tally.summary.keys.allSatisfy { $0.hasPrefix("closed ") || $0 == "connection_lost unknown" })
        await stage.end()
    }

    @Test func aConnectionThatClosesWithGraceStillSendsWhatWasRead() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 40)
        stage.apple.holdAnswers()
        let source = CountedSource(5_000)
        let task = Task { try await stage.orders.bulk(source).tally() }
        #expect(await stage.apple.ledger.wait { $0.pushes == 41 })
        try await stage.isLoaded(inFlight: 40, waiting: 256)
        async let closed = stage.runtime.close(name: "orders", within: .seconds(30))
        await until { (try? stage.runtime.send(name: "orders", Samples.flight, to: Samples.token(1))) == nil }
        stage.apple.releaseAnswers()
        let tally = try await task.value
        _ = try await closed
        #expect((tally.error as? PushError)?.code == .closed && tally.isComplete(source.read))
        #expect(tally.summary["accepted"] == 296)
        await stage.end()
    }

    @Test func aRefusedCredentialEndsItWithWhatAPNsSaid() async throws {
        let stage = try Rehearsal.inMemory()
        let config = stage.config.with {
            $0.credential = .token(
                key: .pem(stage.apple.credentials.signingKeyPEM), keyID: "WRONG12345",
                teamID: stage.apple.credentials.teamID)
            $0.retry.onRefusedCredential = .giveUp
        }
        try stage.runtime.connect(name: "orders", config: config)
        let source = CountedSource(5_000)
        let tally = try await stage.pump(
            while: Task { try await stage.orders.bulk(source).tally() })
        #expect(tally.isComplete(source.read) && source.read < 5_000)
        #expect((tally.error as? PushError)?.code == .credentialRefused)
        await stage.end()
    }

    @Test func aConnectionThatIsGivenUpEndsIt() async throws {
        let faults = ProcessFaults()
        faults.fail("orders")
        let stage = try Rehearsal.inMemory(faults: faults)
        try stage.runtime.connect(name: "orders", config: stage.patientConfig)
        let source = CountedSource(10)
        let tally = try await stage.pump(
            while: Task { try await stage.orders.bulk(source).tally() },
            upTo: .seconds(2))
        let code = (tally.error as? PushError)?.code
        #expect(source.read == 0 && code == .processFailed)
        await stage.end()
    }

    @Test func aCancelledTaskReadsNoMoreAndWithdrawsTheRest() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 40)
        stage.apple.holdAnswers()
        let source = CountedSource(5_000)
        let task = Task { try await stage.orders.bulk(source).tally() }
        #expect(await stage.apple.ledger.wait { $0.pushes == 41 })
        try await stage.isLoaded(inFlight: 40, waiting: 256)
        task.cancel()
        let tally = try await task.value
        #expect(tally.error is CancellationError && tally.count == 0)
        // Every push has ended in the connection, and is counted there.
        #expect(try await stage.runtime.connection(named: "orders").drain(within: .seconds(60)))
        let counters = try stage.runtime.connection(named: "orders").status.counters
        #expect(counters.notSent == 256 && counters.unknown == 40 && counters.accepted == 1 && source.read == 296)
        stage.apple.releaseAnswers()
        #expect(try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(7_000)).isAccepted)
        #expect(stage.apple.ledger.snapshot.pushes == 42)
        await stage.end()
    }

    @Test func aLoopThatIsLeftEndsTheBulk() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 40)
        let source = CountedSource(100_000)
        for try await outcome in try stage.orders.bulk(source)
        where outcome.index >= 500 {
            break
        }
        #expect(try await stage.runtime.connection(named: "orders").drain(within: .seconds(60)))
        // Two of those read may not reach the connection: one that the end of the loop withdraws as it is offered, and the next one,
        // which the reader then holds in its hand. The first push is the stage's.
        try await until {
            let (ended, read) = (try stage.orders.status.counters.ended, source.read)
            return (read - 1...read + 1).contains(ended)
        }
        #expect(try source.read < 2_000 && stage.orders.status.counters.accepted >= 501)
        await stage.end()
    }

    @Test func whereALinkIsUpNoOutageIsTooLong() async throws {
        let stage = try await Rehearsal.withLink()
        let source = CountedSource(2_000)
        let options = BulkOptions(maxOutage: .zero)
        let tally = try await stage.orders.bulk(source, options: options).tally()
        #expect(tally.error == nil && tally.isComplete(2_000) && tally.summary == ["accepted": 2_000])
        await stage.end()
    }

    @Test func aBulkThatIsNeverIteratedReadsNothing() async throws {
        let stage = try await Rehearsal.withLink()
        let source = CountedSource(10)
        _ = try stage.orders.bulk(source)
        var left = try Optional(stage.orders.bulk(source).makeAsyncIterator())
        #expect(left != nil)
        left = nil
        #expect(source.read == 0)
        await stage.end()
    }

    @Test func aSourceThatIsWaitedForIsCancelledWithTheBulk() async throws {
        let stage = try await Rehearsal.withLink()
        let (source, feed) = AsyncStream<Push>.makeStream()
        let ends = Recorder<AsyncStream<Push>.Continuation.Termination>()
        feed.onTermination = { ends.record($0) }
        feed.yield(Push(Samples.flight, to: Samples.token(0)))
        let runtime = stage.runtime
        let task = Task { try await runtime.connection(named: "orders").bulk(source).tally() }
        #expect(await stage.apple.ledger.wait { $0.pushes == 2 })
        task.cancel()
        #expect(try await task.value.error is CancellationError)
        await ends.wait(for: 1)
        await stage.end()
    }

    @Test func theRuntimeStaysAsLongAsItsBulks() async throws {
        let stage = try Rehearsal.inMemory()
        func campaign() async throws -> BulkPush.Iterator {
            let runtime = stage.anotherRuntime()
            try runtime.connect(name: "orders", config: stage.patientConfig)
            return try runtime.connection(named: "orders").bulk(CountedSource(1_000)).makeAsyncIterator()
        }
        var outcomes = try await campaign()
        var count = 0
        while try await outcomes.next() != nil { count += 1 }
        #expect(count == 1_000)
        await stage.end()
    }
}
