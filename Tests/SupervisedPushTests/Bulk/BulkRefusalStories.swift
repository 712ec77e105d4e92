import Dispatch
import ProcessRuntime
import PushSimulator
import TestSupport
import Testing

@testable import SupervisedPush

/// APNs refuses the sender, or does not serve, for some seconds: that costs no delivery.
@Suite(.timeLimit(.minutes(5))) struct BulkRefusalStories {
    static let reasons: [Refusal] = [
        .tooManyProviderTokenUpdates, .serviceUnavailable, .internalServerError, .expiredProviderToken, .badTopic,
        .topicDisallowed,
    ]

    /// What a bulk says of its pauses.
    private final class Pauses: Sendable {
        private let list = Recorder<String>()
        var said: [String] { list.all }

        func note(_ pause: PushPause?) {
            list.record(pause.map { "\($0.judges) \($0.nextProbe / .seconds(1))" } ?? "goes on")
        }

        func wait(for count: Int) async { await list.wait(for: count) }
    }

    /// From now on, pushes are refused for six seconds.
    private func trouble(_ stage: Rehearsal, _ reason: Refusal, for time: Duration = .seconds(6)) throws {
        let now = try #require(stage.time).now
        let since = MonotonicInstant(nanoseconds: 0).duration(to: now)
        stage.apple.faults.add(FaultRule(.push, .refuse(reason), between: .zero..<(since + time)))
    }

    @Test(arguments: reasons) func sixSecondsOfRefusalsCostNoDelivery(_ reason: Refusal) async throws {
        let stage = try await Rehearsal.withLink(inFlight: 100)
        let pauses = Pauses()
        try trouble(stage, reason)
        let task = Task {
            let options = BulkOptions(onPause: { pauses.note($0) })
            return try await stage.orders.bulk(CountedSource(3_000), options: options).tally()
        }
        let tally = try await stage.pump(while: task, upTo: .seconds(10))
        #expect(tally.isComplete(3_000) && tally.summary == ["accepted": 3_000] && tally.error == nil)
        #expect(stage.apple.ledger.snapshot.accepted == 3_001)
        let subject = RejectionReason(rawValue: reason.rawValue).judges ?? .push
        #expect(pauses.said.last == "goes on" && pauses.said.first == "\(subject) 1.0")
        #expect(pauses.said.count { $0 == "goes on" } == 1)
        // A window of them, and a few probes: not all.
        #expect(stage.apple.ledger.snapshot.refusals[reason, default: 0] < 2 * 356 + 10)
        await stage.end()
    }

    @Test func anAppThatIsNewerThanTheLinkPausesNothing() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 100)
        let pauses = Pauses()
        stage.apple.addTopic("com.example.new")
        let source = CountedSource(1_000) { number in
            var notification = Samples.flight
            notification.topic = "com.example.new"
            return Push(notification, to: Samples.token(number))
        }
        let options = BulkOptions(onPause: { pauses.note($0) })
        let tally = try await stage.orders.bulk(source, options: options).tally()
        #expect(tally.isComplete(1_000) && tally.summary == ["accepted": 1_000] && tally.error == nil)
        let snapshot = stage.apple.ledger.snapshot
        #expect(pauses.said.isEmpty && snapshot.connections == 2)
        #expect((1...100).contains(snapshot.refusals[.topicDisallowed, default: 0]))
        await stage.end()
    }

    /// The policy retries a 503, APNs accepts the retry, and the link is lost before the answer.
    @Test func aRetryWithoutAnAnswerIsUnknownAndGoesNoThirdTime() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 100) { $0.retry.statusRetry = StatusRetryPolicy(retries: 2) }
        stage.apple.faults.add(FaultRule(.push, .refuse(.serviceUnavailable), times: 1))
        let task = Task { try await stage.orders.bulk(CountedSource(1)).tally() }
        #expect(await stage.apple.ledger.wait { $0.refusals[.serviceUnavailable] == 1 })
        stage.apple.holdAnswers()
        let pump = Task { try await stage.pump(while: task) }
        #expect(await stage.apple.ledger.wait { $0.accepted == 2 })
        await stage.apple.cutConnections(.reset)
        stage.apple.releaseAnswers()
        let tally = try await pump.value
        #expect(tally.isComplete(1) && tally.summary == ["connection_lost unknown": 1])
        #expect(stage.apple.ledger.snapshot.accepted == 2)
        await stage.end()
    }

    @Test func refusalsNowAndThenPauseNothing() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 100)
        let pauses = Pauses()
        stage.apple.faults.add(FaultRule(.everyOverallPush(100), .refuse(.internalServerError)))
        let task = Task {
            let options = BulkOptions(onPause: { pauses.note($0) })
            return try await stage.orders.bulk(CountedSource(3_000), options: options).tally()
        }
        let tally = try await stage.pump(while: task, upTo: .seconds(10))
        #expect(tally.isComplete(3_000) && tally.summary == ["accepted": 3_000])
        #expect(tally.attempts > 3_000 && stage.apple.ledger.snapshot.accepted == 3_001)
        await stage.end()
    }

    @Test(arguments: [
        (Refusal.badTopic, PushError.Code.credentialRefused), (.serviceUnavailable, .timedOut),
    ])
    func whatLastsTooLongEndsTheBulkWithItsCause(_ reason: Refusal, _ code: PushError.Code) async throws {
        let stage = try await Rehearsal.withLink(inFlight: 10)
        stage.apple.faults.add(FaultRule(.push, .refuse(reason)))
        let source = CountedSource(5_000)
        let task = Task {
            let options = BulkOptions(maxOutage: .seconds(20))
            return try await stage.orders.bulk(source, options: options).tally()
        }
        let tally = try await stage.pump(while: task, upTo: .seconds(30))
        #expect(tally.isComplete(source.read) && source.read < 300)
        // Those that were read as the pause began were never sent. A probe may be on its way when the time is over.
        let others = tally.summary.filter { $0.key != "rejected" && !$0.key.hasSuffix(" not_sent") }
        let isRejected = tally.summary["rejected", default: 0] > 0
        #expect(isRejected && tally.summary["accepted"] == nil && others.values.reduce(0, +) <= 1, "\(tally.summary)")
        let error = try #require(tally.error as? PushError)
        #expect(error.code == code && error.layer == .apns && error.description.contains(reason.rawValue))
        await stage.end()
    }

    @Test func anAnswerThatComesAsTheTimeIsOverEndsTheBulk() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 10)
        let time = try #require(stage.time)
        stage.apple.faults.add(FaultRule(.push, .refuse(.serviceUnavailable)))
        let pauses = Pauses()
        let options = BulkOptions(maxOutage: .seconds(20), onPause: { pauses.note($0) })
        let bulk = try stage.orders.bulk(CountedSource(5_000), options: options)
        let task = Task { () throws in await bulk.tally() }
        await pauses.wait(for: 1)
        try await stage.isLoaded(inFlight: 0, waiting: 0)
        let end = time.now.advanced(by: .seconds(20))
        stage.apple.holdAnswers()
        time.advance(by: .seconds(1))
        // The probe. Its answer is faster than the timer.
        try await stage.isLoaded(inFlight: 1, waiting: 0)
        let timers = try stage.orders.destination.outbox.delivery.timerQueue
        timers.suspend()
        let passing = Task { try await onAThread { time.advance(by: .seconds(19)) } }
        await until { time.now == end }
        stage.apple.releaseAnswers()
        try await stage.isLoaded(inFlight: 0, waiting: 0)
        timers.resume()
        try await passing.value
        let tally = try await task.value
        // Those that were read as the pause began were never sent.
        let (rejected, unsent) = (tally.summary["rejected"] ?? 0, tally.summary["timed_out not_sent"] ?? 0)
        #expect(tally.count > 1 && rejected > 0 && rejected + unsent == tally.count, "\(tally.summary)")
        #expect((tally.error as? PushError)?.code == .timedOut)
        await stage.end()
    }

    @Test func aTopicOfItsOwnJudgesThePush() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 100)
        stage.apple.faults.add(FaultRule(.push, .refuse(.badTopic)))
        let source = CountedSource(500) { index in
            var notification = Samples.flight
            notification.topic = "com.example.other"
            return Push(notification, to: Samples.token(index))
        }
        let tally = try await stage.orders.bulk(source).tally()
        #expect(tally.summary == ["rejected": 500] && tally.error == nil)
        await stage.end()
    }

    @Test func whoIsStoppedInAPauseHasEachOutcome() async throws {
        let stage = try await Rehearsal.withLink(inFlight: 10)
        stage.apple.faults.add(FaultRule(.push, .refuse(.serviceUnavailable)))
        let source = CountedSource(5_000)
        let pauses = Pauses()
        let bulk = try stage.orders.bulk(
            source, options: BulkOptions(onPause: { pauses.note($0) }))
        let task = Task { () throws in await bulk.tally() }
        await pauses.wait(for: 1)
        bulk.stop(within: .seconds(2))
        let tally = try await stage.pump(while: task, upTo: .seconds(30))
        #expect(tally.isComplete(source.read) && tally.error == nil)
        #expect(tally.summary["rejected", default: 0] > 0 && tally.summary["accepted"] == nil)
        await stage.end()
    }
}
