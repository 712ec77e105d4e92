import InMemoryTracing
import ProcessRuntime
import PushLocking
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// A push that timed out in flight is reported twice to a caller of many: when its time is over, and when its late end is
/// known. Both come on one road, so the end is never heard of first.
@Suite(.timeLimit(.minutes(5))) struct LateEndStories {
    private final class Numbers: NumberedPushes {
        private let next: Locked<Int>
        private let count: Int

        init(_ count: Int) { (self.next, self.count) = (Locked(0), count) }

        func next(most: Int) -> (push: Push, number: Int)? {
            let number = next.withLock { next in
                defer { next += 1 }
                return next
            }
            return number < count ? (Push(Samples.flight, to: Samples.token(number)), number) : nil
        }

        func beforeWaiting(_ offer: @escaping () -> Void) {}
    }

    private static func describe(_ result: BulkResult) -> String {
        switch (result.late, result.result) {
        case (.answered(let answer)?, _): "late \(answer.status)"
        case (.noAnswer?, _): "no answer"
        case (_?, _): "unprocessed"
        case (nil, .success(let answer)): "\(answer.status)"
        case (nil, .failure(let error)): "\(error.code) \(result.isFinal ? "for good" : "so far")"
        }
    }

    @Test func aNumberedBulkTellsEachTimeoutAndThenItsLateEnd() async throws {
        let stage = try await Rehearsal.withLink()
        stage.apple.holdAnswers()
        let options = BulkOptions(window: 20, push: PushOptions(timeout: .seconds(1)))
        let bulk = try stage.orders.bulk(numbered: Numbers(40), options: options)
        async let conducted: Void = {
            #expect(await stage.apple.ledger.wait { $0.pushes == 21 })
            try await stage.isLoaded(inFlight: 20, waiting: 0)
            stage.time?.advance(by: .seconds(1))
            // The timeouts are taken, so the next twenty are read.
            #expect(await stage.apple.ledger.wait { $0.pushes == 41 })
            stage.apple.releaseAnswers()
        }()
        var told: [Int: [String]] = [:]
        try await bulk.forEachBatch { results in
            while let result = results.atHand() { told[result.index, default: []].append(Self.describe(result)) }
        }
        try await conducted
        #expect(told.count == 40)
        #expect((0..<20).allSatisfy { told[$0] == ["timed_out so far", "late 200"] })
        #expect((20..<40).allSatisfy { told[$0] == ["200"] })
        await stage.end()
    }

    @Test(arguments: [false, true])
    func aBatchHearsOfEachTimeoutBeforeItsLateEnd(endsByAnswer: Bool) async throws {
        let tracer = InMemoryTracer()
        let stage = try await Rehearsal.withLink { $0.watching.tracing = .tracer(tracer) }
        stage.apple.holdAnswers()
        let heard = Recorder<String>()
        let batches = PushBatches(
            over: BatchTarget(try stage.orders),
            whenEnded: {
                for push in $0 { heard.record("\(push.ticket) ended \(push.isFinal ? "for good" : "so far")") }
            },
            whenLate: { late in
                for push in late {
                    if case .answered = push.end {
                        heard.record("\(push.ticket) answered")
                    } else {
                        heard.record("\(push.ticket) lost")
                    }
                }
            })
        let pushes = (0..<100).map { BatchedPush(Push(Samples.flight, to: Samples.token($0)), ticket: $0) }
        #expect(batches.offer(pushes, options: PushOptions(timeout: .seconds(1))).count == 100)
        #expect(await stage.apple.ledger.wait { $0.pushes == 101 })
        try await stage.isLoaded(inFlight: 100, waiting: 0)
        stage.time?.advance(by: .seconds(1))
        if endsByAnswer { stage.apple.releaseAnswers() } else { await stage.apple.cutConnections() }
        await heard.wait(for: 200)
        let end = endsByAnswer ? "answered" : "lost"
        for ticket in 0..<100 {
            let own = heard.all.filter { $0.hasPrefix("\(ticket) ") }
            #expect(own == ["\(ticket) ended so far", "\(ticket) \(end)"])
        }
        let spans = tracer.finishedSpans.filter { $0.operationName.hasPrefix("send") }
        #expect(spans.count >= 100 && tracer.activeSpans.isEmpty)
        await stage.end()
    }
}
