import Glibc
import ProcessRuntime
import PushLocking
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// What holds a bulk up: its window, an outage, a rate, a full queue, its consumer.
@Suite(.timeLimit(.minutes(5))) struct BulkPauseStories {
    @Test("parity: P2 – back-pressure: the source is read as far as the limit and 256 more, until outcomes are taken")
    func theSourceIsReadAsFarAsTheWindow() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 10)
        stage.apple.holdAnswers()
        let source = CountedSource(1_000_000)
        var outcomes = try stage.orders.bulk(source).makeAsyncIterator()
        #expect(source.read == 0)
        async let held: Void = source.wait(for: 266)
        async let released: Void = {
            await source.wait(for: 266)
            #expect(await stage.apple.ledger.wait { $0.pushes == 11 })
            #expect(source.read == 266)
            stage.apple.releaseAnswers()
        }()
        #expect(try await outcomes.next() != nil)
        await held
        await released
        // Everything is answered, and nobody takes it.
        #expect(try await stage.runtime.connection(named: "orders").drain(within: .seconds(60)))
        #expect(source.read == 266)
        // What was taken is told now and then, and an eighth of the window has to be free before more is read.
        for taken in 2...200 {
            #expect(try await outcomes.next() != nil)
            #expect(source.read <= 266 + taken)
        }
        await source.wait(for: 266 + 66)
        await stage.end()
    }

    @Test func theWindowMayBeSmaller() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 100)
        stage.apple.holdAnswers()
        let source = CountedSource(500)
        let options = BulkOptions(window: 8)
        let task = Task {
            try await stage.orders.bulk(source, options: options).tally()
        }
        #expect(await stage.apple.ledger.wait { $0.pushes == 9 })
        try await stage.isLoaded(inFlight: 8, waiting: 0)
        #expect(source.read == 8)
        stage.apple.releaseAnswers()
        let tally = try await task.value
        #expect(tally.isComplete(500) && tally.summary == ["accepted": 500] && tally.error == nil)
        await stage.end()
    }

    @Test func whatMayBeReadAheadWaitsForTheLink() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.refuseConnections()
        try stage.runtime.connect(name: "orders", config: stage.patientConfig)
        let source = CountedSource(500)
        let options = BulkOptions(readAhead: 20)
        let task = Task {
            try await stage.orders.bulk(source, options: options).tally()
        }
        await source.wait(for: 20)
        try await stage.isLoaded(inFlight: 0, waiting: 20)
        #expect(source.read == 20)
        stage.apple.acceptConnections()
        let tally = try await stage.pump(while: task, upTo: .seconds(11))
        #expect(tally.isComplete(500) && tally.summary == ["accepted": 500] && tally.error == nil)
        await stage.end()
    }

    @Test func outcomesThatNobodyTakesHoldNoStream() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 2)
        let source = CountedSource(1_000_000)
        var outcomes = try stage.orders.bulk(source).makeAsyncIterator()
        #expect(try await outcomes.next() != nil)
        // The consumer sleeps from here on.
        let book = OutcomeBook()
        for number in 0..<2_000 {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(500_000 + number),
                completion: book.completion(number))
        }
        await book.wait(for: 2_000)
        #expect(book.summary == ["accepted": 2_000] && source.read <= 258)
        #expect(try await outcomes.next() != nil)
        await stage.end()
    }

    @Test func aConsumerMayPushToTheSameConnection() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 1) { $0.limits.maxWaiting = 1 }
        var count = 0
        for try await outcome in try stage.orders.bulk(CountedSource(600)) {
            let again = try await stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(10_000 + outcome.index))
            #expect(again.isAccepted)
            count += 1
        }
        #expect(count == 600 && stage.apple.ledger.snapshot.accepted == 1_201)
        await stage.end()
    }

    @Test func anOutagePausesTheReading() async throws {
        let owner = Mailbox<LifecycleMessage>()
        let stage = try await Rehearsal.withLink(inFlight: 40, owner: owner)
        let source = CountedSource(5_000)
        stage.apple.holdAnswers()
        let task = Task { try await stage.orders.bulk(source).tally() }
        #expect(await stage.apple.ledger.wait { $0.pushes == 41 })
        try await stage.isLoaded(inFlight: 40, waiting: 256)
        stage.apple.refuseConnections()
        await stage.apple.cutConnections()
        // The forty in flight are unknown, and taken: the window has room, and yet nothing is read.
        #expect(await owner.receive(where: \.isReconnecting) != nil)
        for _ in 0..<60 {
            await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(10)))
            stage.time?.advance(by: .seconds(1))
        }
        // The unknown ones count until they were told.
        try await stage.isLoaded(inFlight: 0, waiting: 256)
        #expect(source.read == 296)
        stage.apple.releaseAnswers()
        stage.apple.acceptConnections()
        let tally = try await stage.pump(while: task, upTo: .seconds(11))
        #expect(tally.isComplete(5_000) && tally.error == nil)
        // A minute without a link cost nothing but what was in flight: waiting has no timeout.
        #expect(tally.summary == ["connection_lost unknown": 40, "accepted": 4_960])
        await stage.end()
    }

    @Test func anOutageThatLastsTooLongEndsItWithEverythingAccountedFor() async throws {
        let owner = Mailbox<LifecycleMessage>()
        let stage = try await Rehearsal.withLink(inFlight: 40, owner: owner)
        let source = CountedSource(5_000)
        stage.apple.holdAnswers()
        let options = BulkOptions(maxOutage: .seconds(90))
        let task = Task {
            try await stage.orders.bulk(source, options: options).tally()
        }
        #expect(await stage.apple.ledger.wait { $0.pushes == 41 })
        try await stage.isLoaded(inFlight: 40, waiting: 256)
        stage.apple.refuseConnections()
        await stage.apple.cutConnections()
        #expect(await owner.receive(where: \.isReconnecting) != nil)
        stage.time?.advance(by: .seconds(89))
        // The unknown ones count until they were told.
        try await until { try stage.runtime.connection(named: "orders").load.waiting == 256 }
        stage.time?.advance(by: .seconds(1))
        let tally = try await task.value
        #expect(source.read == 296 && tally.isComplete(296))
        #expect(tally.summary == ["connection_lost unknown": 40, "timed_out not_sent": 256])
        let error = try #require(tally.error as? PushError)
        #expect(
            error.code == .timedOut && error.layer == .process && error.description.contains("No link was up for 90"))
        await stage.end()
    }

    @Test func whatAnOutageWithdrawsKeepsTheReasonOfItsUnknownAttempt() async throws {
        let owner = Mailbox<LifecycleMessage>()
        let stage = try await Rehearsal.withLink(inFlight: 40, owner: owner) { $0.retry.resend = .resendUnknown }
        stage.apple.holdAnswers()
        let source = CountedSource(60)
        let options = BulkOptions(maxOutage: .seconds(90))
        let bulk = try stage.orders.bulk(source, options: options)
        let task = Task {
            var errors: [PushError] = []
            do {
                for try await outcome in bulk {
                    if case .failure(let error) = outcome.result { errors.append(error) }
                }
            } catch {}
            return errors
        }
        #expect(await stage.apple.ledger.wait { $0.pushes == 41 })
        try await stage.isLoaded(inFlight: 40, waiting: 20)
        stage.apple.refuseConnections()
        await stage.apple.cutConnections()
        #expect(await owner.receive(where: \.isReconnecting) != nil)
        stage.time?.advance(by: .seconds(90))
        let errors = await task.value
        #expect(errors.count == 60 && errors.allSatisfy { $0.code == .timedOut && $0.deadline == .outage })
        let unknown = errors.filter { $0.certainty == .unknown }
        #expect(unknown.count == 40 && unknown.allSatisfy { $0.unknownAttempt == .connectionLost })
        await stage.end()
    }

    @Test func aConnectionThatNeverComesUpIsAnOutageToo() async throws {
        let stage = try Rehearsal.inMemory()
        stage.apple.refuseConnections()
        try stage.runtime.connect(name: "orders", config: stage.config)
        let source = CountedSource(10)
        let options = BulkOptions(maxOutage: .seconds(5))
        let start = stage.runtime.now
        let task = Task {
            try await stage.orders.bulk(source, options: options).tally()
        }
        let tally = try await stage.pump(while: task, upTo: .seconds(11))
        #expect(start.duration(to: stage.runtime.now) >= .seconds(5))
        #expect(source.read == 0 && tally.count == 0 && (tally.error as? PushError)?.code == .timedOut)
        await stage.end()
    }

    @Test func aTimeoutCountsFromTheWrite() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 10)
        stage.apple.holdAnswers()
        let options = BulkOptions(push: PushOptions(timeout: .seconds(10)))
        let task = Task {
            try await stage.orders.bulk(CountedSource(30), options: options)
                .tally()
        }
        // Ten are written at a time. Each ten have their ten seconds, those that wait have none.
        for round in 1...3 {
            #expect(await stage.apple.ledger.wait { $0.pushes == 1 + 10 * round })
            try await stage.isLoaded(inFlight: 10, waiting: 30 - 10 * round)
            stage.time?.advance(by: .seconds(10))
        }
        let tally = try await task.value
        #expect(tally.isComplete(30) && tally.summary == ["timed_out unknown": 30] && tally.error == nil)
        await stage.end()
    }

    @Test func aRateIsKeptToThePush() async throws {
        let stage = try await Rehearsal.withLink()
        let time = try #require(stage.time)
        let source = CountedSource(41)
        let options = BulkOptions(rate: .perSecond(20))
        let task = Task {
            try await stage.orders.bulk(source, options: options).tally()
        }
        let start = time.now
        for number in 1...41 {
            await source.wait(for: number)
            let next = start.advanced(by: .milliseconds(50 * number))
            guard number < 41 else { break }
            // The next one is due then, and not a nanosecond sooner.
            await time.waitUntilArmed(by: next)
            time.advance(by: time.now.duration(to: next) - .nanoseconds(1))
            #expect(source.read == number)
            time.advance(by: .nanoseconds(1))
        }
        #expect(start.duration(to: time.now) == .seconds(2))
        // That there is no other element shows when the next one might have been read.
        let tally = try await stage.pump(while: task)
        #expect(tally.isComplete(41) && tally.summary == ["accepted": 41])
        await stage.end()
    }

    @Test func whereTheQueueIsFullItWaitsForRoom() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 1) { $0.limits.maxWaiting = 5 }
        stage.apple.holdAnswers()
        let book = OutcomeBook()
        for number in 0..<10 {
            stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(50_000 + number), completion: book.completion(number))
        }
        await book.wait(for: 4)
        // One more is refused where the process has not yet taken the first.
        #expect(Set(book.summary.keys) == ["overloaded not_sent"])
        let source = CountedSource(1_000)
        let options = BulkOptions(push: PushOptions(whenFull: .reject))
        let task = Task {
            try await stage.orders.bulk(source, options: options).tally()
        }
        await source.wait(for: 257)
        stage.apple.releaseAnswers()
        let tally = try await task.value
        await book.wait(for: 10)
        #expect(tally.isComplete(1_000) && tally.summary == ["accepted": 1_000] && tally.error == nil)
        #expect(try await stage.runtime.connection(named: "orders").drain(within: .seconds(60)))
        await stage.end()
    }

    @Test func aMillionElementsAreNeverAliveTogether() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 100)
        let census = Census()
        let source = CountedSource(1_000_000) {
            Push(Samples.flight, to: Samples.token($0), context: Inhabitant(census))
        }
        var taken = 0
        for try await outcome in try stage.orders.bulk(source) {
            guard outcome.push.context is Inhabitant else { break }
            taken += 1
            // Slower than everybody else, now and then.
            if taken % 500 == 0 {
                #expect(try await stage.runtime.connection(named: "orders").drain(within: .seconds(60)))
            }
            if taken == 5_000 { break }
        }
        // The window; and at most as many as are in flight, whose outcomes were taken while their delivery still has them.
        #expect(census.most <= 356 + 100 && census.most > 200)
        await stage.end()
        await until { census.alive == 0 }
        #expect(source.read <= 5_356)
    }

    /// The run of a bulk has its pushes. Its timer and the bulk refer to it, and let go of it.
    @Test func aLoopThatIsLeftLeavesNoPushAlive() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 100)
        let census = Census()
        let source = CountedSource(100_000) {
            Push(Samples.flight, to: Samples.token($0), context: Inhabitant(census))
        }
        let bulk = try stage.orders.bulk(source)
        for try await outcome in bulk where outcome.index == 500 { break }
        #expect(census.most > 0)
        await stage.end()
        await until { census.alive == 0 }
        bulk.stop(within: .zero)
    }
}

/// Counts those who live.
private final class Census: Sendable {
    private let state = Locked((alive: 0, most: 0))
    var alive: Int { state.withLock { $0.alive } }
    var most: Int { state.withLock { $0.most } }
    func add(_ change: Int) {
        state.withLock {
            $0.alive += change
            $0.most = max($0.most, $0.alive)
        }
    }
}

private final class Inhabitant: Sendable {
    private let census: Census
    init(_ census: Census) {
        self.census = census
        census.add(1)
    }
    deinit { census.add(-1) }
}

extension LifecycleMessage {
    var isReconnecting: Bool { if case .reconnecting = self { true } else { false } }
}
