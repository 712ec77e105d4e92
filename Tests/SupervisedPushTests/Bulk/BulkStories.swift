import Dispatch
import PushLocking
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// Bulk: each element of the source has one outcome, whatever happens. Both sides' ledgers are compared.
@Suite(.timeLimit(.minutes(5))) struct BulkStories {
    private static let number = 3_000

    @Test("parity: R7 – one connection for everybody: a bulk, a second one and single pushes, each push once")
    func severalBulksShareAConnection() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 50)
        let runtime = stage.runtime
        async let first = runtime.connection(named: "orders").bulk(CountedSource(Self.number)).tally()
        let other = CountedSource(Self.number) { Push(Samples.flight, to: Samples.token(10_000 + $0)) }
        async let second = runtime.connection(named: "orders").bulk(other).tally()
        for number in 0..<100 {
            #expect(
                try await runtime.push(name: "orders", Samples.flight, to: Samples.token(20_000 + number)).isAccepted)
        }
        for tally in try await [first, second] {
            #expect(tally.isComplete(Self.number) && tally.summary == ["accepted": Self.number] && tally.error == nil)
            #expect(tally.attempts == Self.number)
        }
        #expect(stage.apple.ledger.snapshot.accepted == 2 * Self.number + 101)
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        await stage.end()
    }

    enum Form: CaseIterable { case pushes, asyncPushes, tokens, asyncTokens }

    @Test(arguments: Form.allCases, [true, false])
    func everyFormOfBulkGivesEachElementItsOutcome(form: Form, byName: Bool) async throws {
        let stage = try await Rehearsal.withLink()
        let runtime = stage.runtime
        let pid = try #require(runtime.pid(of: "orders"))
        let pushes = (0..<500).map { Push(Samples.flight, to: Samples.token($0), context: $0) }
        let tokens = pushes.map(\.deviceToken)
        let orders = try byName ? runtime.connection(named: "orders") : runtime.connection(pid)
        let bulk =
            switch form {
            case .pushes: orders.bulk(pushes)
            case .asyncPushes: orders.bulk(Self.stream(pushes))
            case .tokens: orders.bulk(Samples.flight, to: tokens)
            case .asyncTokens: orders.bulk(Samples.flight, to: Self.stream(tokens))
            }
        var seen = 0
        for try await outcome in bulk {
            #expect(outcome.push.deviceToken == tokens[outcome.index] && outcome.attempts == 1)
            #expect(try outcome.result.get().isAccepted)
            if form == .pushes || form == .asyncPushes { #expect(outcome.push.context as? Int == outcome.index) }
            seen += 1
        }
        #expect(seen == 500 && stage.apple.ledger.snapshot.accepted == 501)
        #expect(stage.apple.ledger.records.dropFirst().map(\.deviceToken) == tokens.map(\.hex))
        await stage.end()
    }

    /// Pushes that carry every second number.
    private final class EvenNumbers: NumberedPushes {
        private let latest = Locked(0)

        func next(most: Int) -> (push: Push, number: Int)? {
            let number = latest.withLock { latest in
                latest += 2
                return latest
            }
            return number > 1_000 ? nil : (Push(Samples.flight, to: Samples.token(number)), number)
        }

        func beforeWaiting(_ offer: @escaping () -> Void) {}
    }

    /// Three pushes; it waits before the third, and offers the others first.
    private final class WaitingNumbers: NumberedPushes, @unchecked Sendable {
        // Sendable: `offer` and `latest` belong to the reader.
        let signal = DispatchSemaphore(value: 0)
        private var offer: () -> Void = {}
        private var latest = 0

        func beforeWaiting(_ offer: @escaping () -> Void) { self.offer = offer }

        func next(most: Int) -> (push: Push, number: Int)? {
            if latest == 2 {
                offer()
                signal.wait()
            }
            latest += 1
            return latest > 3 ? nil : (Push(Samples.flight, to: Samples.token(latest)), latest - 1)
        }
    }

    @Test func whatASourceReturnedIsPushedBeforeItWaits() async throws {
        let stage = try await Rehearsal.withLink()
        let source = WaitingNumbers()
        let bulk = try stage.runtime.connection(named: "orders").bulk(numbered: source)
        let task = Task { await bulk.tally() }
        #expect(await stage.apple.ledger.wait { $0.accepted == 1 + 2 })
        source.signal.signal()
        let tally = await task.value
        #expect(tally.isComplete(3) && tally.summary == ["accepted": 3] && tally.error == nil)
        await stage.end()
    }

    @Test func theOutcomeOfANumberedPushHasItsNumber() async throws {
        let stage = try await Rehearsal.withLink()
        var numbers: [Int] = []
        try await stage.runtime.connection(named: "orders").bulk(numbered: EvenNumbers()).forEachBatch { outcomes in
            while let outcome = outcomes.atHand() {
                #expect(outcome.deviceToken == Samples.token(outcome.index))
                #expect((try? outcome.result.get())?.isAccepted == true)
                numbers.append(outcome.index)
            }
        }
        #expect(numbers.sorted() == Array(stride(from: 2, through: 1_000, by: 2)))
        await stage.end()
    }

    @Test("parity: P9 – the connection's counters add up to a bulk's outcomes, whatever ends its pushes")
    func theCountersAddUpToTheOutcomes() async throws {
        let stage = try await Rehearsal.withLink()
        stage.apple.faults.add(FaultRule(.everyOverallPush(10), .resetStream(code: 2)))
        stage.apple.faults.add(FaultRule(.everyOverallPush(15), .resetStream(code: 7)))
        let source = CountedSource(Self.number) { number in
            Push(Samples.flight, to: number % 7 == 0 ? Samples.unregistered(number) : Samples.token(number))
        }
        let tally = try await stage.orders.bulk(source).tally()
        #expect(tally.isComplete(Self.number) && tally.error == nil)
        let counters = try stage.runtime.connection(named: "orders").status.counters
        #expect(tally.summary["accepted"] == counters.accepted - 1 && tally.summary["rejected"] == counters.rejected)
        #expect(tally.summary["stream_reset unknown"] == counters.unknown && counters.ended == Self.number + 1)
        #expect(tally.attempts == Self.number + counters.resent)
        // With REFUSED_STREAM a push was not processed, and went out again; with another code it was.
        #expect(stage.apple.ledger.snapshot.pushes == Self.number + 1)
        #expect(counters.rejected > 300 && counters.unknown > 200 && counters.resent > 50)
        await stage.end()
    }

    @Test(arguments: [1, 7, 100, 999])
    func underGoAwayEveryFewPushesEachElementHasOneOutcome(every: Int) async throws {
        // A push is returned unprocessed twenty times at most: no more are in flight than a link serves.
        let stage = try await Rehearsal.withLink(inFlight: every)
        let number = every == 1 ? 30 : Self.number
        stage.apple.faults.add(FaultRule(.everyOverallPush(every), .goAway(GoAway()), name: "goAway"))
        let source = CountedSource(number)
        let task = Task { try await stage.orders.bulk(source).tally() }
        // A link that serves one push has not proved useful when it says goodbye: the next attempts wait.
        let tally = try await stage.pump(while: task, upTo: every == 1 ? .seconds(11) : .seconds(1))
        #expect(tally.error == nil)
        #expect(tally.summary == ["accepted": number])
        #expect(tally.isComplete(number))
        #expect(stage.apple.ledger.snapshot.accepted == number + 1)
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        #expect(stage.apple.faults.count(named: "goAway") >= number / every / 2)
        await stage.end()
    }

    @Test func brokenLinksMakeSomeUnknownAndLoseNone() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 100)
        stage.apple.faults.add(FaultRule(.everyOverallPush(500), .cut(.reset), name: "cut"))
        let source = CountedSource(Self.number)
        let tally = try await stage.pump(
            while: Task { try await stage.orders.bulk(source).tally() })
        #expect(tally.isComplete(Self.number) && tally.error == nil)
        let unknown = tally.summary["connection_lost unknown"] ?? 0
        #expect(
            unknown > 0 && tally.summary == ["accepted": Self.number - unknown, "connection_lost unknown": unknown])
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        #expect(stage.apple.ledger.snapshot.accepted - 1 >= Self.number - unknown)
        #expect(stage.apple.faults.count(named: "cut") >= 5)
        await stage.end()
    }

    @Test func aKilledProcessEndsWhatItHadWrittenAndTheBulkGoesOn() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 40)
        stage.apple.holdAnswers()
        let source = CountedSource(Self.number)
        let task = Task { try await stage.orders.bulk(source).tally() }
        #expect(await stage.apple.ledger.wait { $0.pushes == 41 })
        let pid = try #require(stage.runtime.pid(of: "orders"))
        stage.runtime.kill(pid)
        await until { stage.runtime.pid(of: "orders") != pid }
        stage.apple.releaseAnswers()
        let tally = try await stage.pump(while: task)
        #expect(tally.isComplete(Self.number) && tally.error == nil)
        #expect(tally.summary["accepted"] == Self.number - 40 && tally.summary.count == 2)
        #expect(tally.summary.keys.contains { $0.hasSuffix(" unknown") })
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        await stage.end()
    }

    @Test func aBulkByPidEndsWithItsProcess() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 40)
        stage.apple.holdAnswers()
        let pid = try #require(stage.runtime.pid(of: "orders"))
        let source = CountedSource(Self.number)
        let task = Task { try await stage.runtime.connection(pid).bulk(source).tally() }
        #expect(await stage.apple.ledger.wait { $0.pushes == 41 })
        try await stage.isLoaded(inFlight: 40, waiting: 256)
        stage.runtime.kill(pid)
        await until { stage.runtime.pid(of: "orders") != pid }
        stage.apple.releaseAnswers()
        let tally = try await stage.pump(while: task)
        // What waited passed on to the successor, as it does for everybody.
        #expect(tally.isComplete(source.read) && (tally.error as? PushError)?.code == .noProcess)
        #expect(source.read == 296 && tally.summary["accepted"] == 256)
        await stage.end()
    }

    @Test func aPushThatCannotBeSentIsAnOutcomeAndStopsNothing() async throws {
        let stage = try await Rehearsal.withLink()
        let large = try PushNotification.raw(
            Array(#"{"aps":{"alert":"\#(String(repeating: "x", count: 5_000))"}}"#.utf8))
        let source = CountedSource(1_000) { number in
            Push(number % 3 == 0 ? large : Samples.flight, to: Samples.token(number))
        }
        let tally = try await stage.orders.bulk(source).tally()
        #expect(tally.isComplete(1_000) && tally.error == nil)
        #expect(tally.summary == ["payload_too_large not_sent": 334, "accepted": 666] && tally.attempts == 666)
        await stage.end()
    }

    @Test func anOutcomeNamesItsPushAsItsLateAnswerDoes() async throws {
        let owner = Mailbox<LifecycleMessage>()
        let stage = try await Rehearsal.withLink(owner: owner)
        stage.apple.holdAnswers()
        let source = CountedSource(2)
        let options = BulkOptions(push: PushOptions(timeout: .seconds(1)))
        var outcomes = try stage.orders.bulk(source, options: options)
            .makeAsyncIterator()
        async let isWritten = stage.apple.ledger.wait { $0.pushes == 3 }
        async let timedOut: Void = {
            #expect(await stage.apple.ledger.wait { $0.pushes == 3 })
            try await stage.isLoaded(inFlight: 2, waiting: 0)
            stage.time?.advance(by: .seconds(1))
        }()
        var streams: [PushID: PushStreamID] = [:]
        while let outcome = try await outcomes.next() {
            guard case .failure(let error) = outcome.result, error.code == .timedOut else {
                Issue.record("\(outcome.result)")
                continue
            }
            #expect(outcome.apnsID != nil && error.pushID == outcome.pushID)
            streams[outcome.pushID] = error.streamID
        }
        #expect(await isWritten && streams.count == 2)
        try await timedOut
        stage.apple.releaseAnswers()
        for _ in 0..<2 {
            let message = await owner.receive(timeout: .seconds(120)) {
                if case .lateResponse = $0 { true } else { false }
            }
            guard case .lateResponse(let late)? = message, case .answered(let answer) = late.outcome else {
                Issue.record("no late answer")
                break
            }
            #expect(answer.isAccepted && streams.removeValue(forKey: late.pushID) == late.streamID)
        }
        #expect(streams.isEmpty)
        await stage.end()
    }

    @Test func oneInFlightPerDeviceIfAskedFor() async throws {
        let stage = try await Rehearsal.withLink()
        let source = CountedSource(300) { Push(Samples.flight, to: Samples.token($0 % 3)) }
        let options = BulkOptions(push: PushOptions(ordered: .perDevice))
        let tally = try await stage.orders.bulk(source, options: options).tally()
        #expect(tally.isComplete(300) && tally.summary == ["accepted": 300])
        for device in 0..<3 {
            let own = tally.indices.filter { $0 % 3 == device }
            #expect(own == own.sorted())
        }
        await stage.end()
    }

    private static func stream<Element: Sendable>(_ elements: [Element]) -> AsyncStream<Element> {
        AsyncStream { continuation in
            for element in elements { continuation.yield(element) }
            continuation.finish()
        }
    }
}
