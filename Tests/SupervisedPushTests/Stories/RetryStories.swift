import Logging
import ProcessRuntime
import PushSimulator
import SupervisedPush
import TestSupport
import Testing

/// What goes again because it was asked for, and in which order: the simulator's ledger says what was processed.
@Suite(.timeLimit(.minutes(5))) struct RetryStories {
    private func stage(
        _ change: (inout SimulatedAPNs.Configuration) -> Void = { _ in },
        config: (inout PushConnection.Configuration) -> Void
    ) async throws -> (Rehearsal, OutcomeBook) {
        let stage = try Rehearsal.inMemory(change)
        try stage.runtime.connect(name: "orders", config: stage.config.with(config))
        // The first push raises the limit from 1, and makes the link a useful one.
        _ = try await stage.runtime.push(name: "orders", Samples.flight, to: Samples.token(9_999))
        return (stage, OutcomeBook())
    }

    private func push(
        _ numbers: Range<Int>, _ stage: Rehearsal, _ book: OutcomeBook, to token: (Int) -> DeviceToken = Samples.token,
        options: PushOptions = PushOptions()
    ) {
        for number in numbers {
            stage.runtime.push(
                name: "orders", Samples.flight, to: token(number), options: options,
                completion: book.completion(number))
        }
    }

    private func pass(_ time: Duration, _ stage: Rehearsal) async {
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: time))
        stage.time?.advance(by: time)
    }

    @Test("parity: F16 – a burst of which a twentieth is answered 503 twice is delivered whole")
    func aBurstWithATwentiethRefusedTwiceIsDelivered() async throws {
        let (stage, book) = try await stage { $0.retry.statusRetry = StatusRetryPolicy(retries: 5) }
        stage.apple.faults.add(FaultRule(.pushTo(Samples.doubtful), .refuse(.serviceUnavailable), times: 300))
        push(0..<3_000, stage, book, to: { $0 % 20 == 0 ? Samples.doubtful($0) : Samples.token($0) })
        await book.wait(for: 2_850)
        try await isAnswered(stage)
        // The first pause lasts a second at most, and the second one two.
        await pass(.seconds(1), stage)
        #expect(await stage.apple.ledger.wait { $0.refusals[.serviceUnavailable] == 300 })
        try await isAnswered(stage, resent: 150)
        await pass(.seconds(2), stage)
        await book.wait(for: 3_000)
        #expect(book.summary == ["accepted": 3_000] && book.endedOnceEach)
        let counters = try stage.runtime.connection(named: "orders").status.counters
        #expect(counters.heldBackByBudget == 0 && counters.heldBackByBreaker == 0)
        await stage.end()
    }

    @Test func whatBudgetAndBreakerHoldBackIsSaid() async throws {
        let log = CapturedLog()
        let observer = RecordingObserver()
        let (stage, book) = try await stage {
            $0.retry.statusRetry = StatusRetryPolicy(retries: 5)
            $0.watching.logger = log.logger(.warning)
            $0.watching.observer = observer
        }
        stage.apple.faults.add(FaultRule(.push, .refuse(.serviceUnavailable)))
        push(0..<1_000, stage, book)
        // Ten and a tenth of those written may be retried. By then they have failed altogether.
        await book.wait(for: 890)
        try await isAnswered(stage)
        await pass(.seconds(1), stage)
        await book.wait(for: 1_000)
        #expect(book.summary == ["rejected": 1_000])
        let counters = try stage.runtime.connection(named: "orders").status.counters
        #expect(counters.heldBackByBudget == 890 && counters.heldBackByBreaker == 110)
        let reasons = (0..<1_000).flatMap(book.outcomes).compactMap { try? $0.get().retryHeldBack }
        #expect(reasons.count { $0 == .budget } == 890 && reasons.count { $0 == .breaker } == 110)
        #expect(await observer.facts(through: "retries stopped").last == "retries stopped 1000 of 1001")
        #expect(log.lines.contains { $0.contains("retries stopped: APNs fails too often") })
        await stage.end()
    }

    @Test(arguments: [true, false])
    func retryAfterOfTheServerIsWaitedFor(isDate: Bool) async throws {
        let (stage, book) = try await stage { $0.retry.statusRetry = StatusRetryPolicy(retries: 1) }
        // The wall clock began at midnight.
        let value = isDate ? "Thu, 01 Jan 2026 00:00:04 GMT" : "4"
        stage.apple.faults.add(FaultRule(.push, .refuse(.tooManyRequests), times: 1))
        stage.apple.faults.add(FaultRule(.push, .retryAfter(value), times: 1))
        push(0..<1, stage, book)
        #expect(await stage.apple.ledger.wait { $0.refusals[.tooManyRequests] == 1 })
        // Four seconds, and a pause of one at most.
        await stage.time?.waitUntilArmed(by: stage.runtime.now.advanced(by: .seconds(5)))
        stage.time?.advance(by: .milliseconds(3_999))
        #expect(stage.apple.ledger.snapshot.pushes == 2 && book.count == 0)
        await pass(.milliseconds(1_001), stage)
        await book.wait(for: 1)
        #expect(book.summary == ["accepted": 1])
        await stage.end()
    }

    /// This many pushes were written again, and every one that was written is answered: what has not ended pauses.
    private func isAnswered(_ stage: Rehearsal, resent: Int = 0) async throws {
        try await until { try stage.runtime.connection(named: "orders").status.counters.resent >= resent }
        try await until { try stage.runtime.connection(named: "orders").status.openStreams == 0 }
    }

    @Test func timesBeyondAllMeasureAreRefusedOrHold() async throws {
        let (stage, _) = try await stage { _ in }
        let endless = Duration.seconds(Int64.max)
        let error = await #expect(throws: PushError.self) {
            try await stage.runtime.push(
                name: "orders", Samples.flight, to: Samples.token(),
                options: PushOptions(
                    statusRetry: StatusRetryPolicy(retries: 1, firstDelay: endless, longestDelay: endless)))
        }
        #expect(error?.code == .invalidRequest && error?.certainty == .notSent)
        var push = Samples.flight
        push.expiration = Expiration(unixSeconds: .max)
        push.waived = .expiration
        push.timeout = endless
        #expect(try await stage.runtime.push(name: "orders", push, to: Samples.token()).isAccepted)
        await stage.end()
    }

    @Test("parity: P3, P10 – what may have been processed goes again on request, with the same apns-id")
    func unknownIsResentWhereAskedForAndNowhereElse() async throws {
        let (stage, book) = try await stage { $0.defaults.apnsID = .byServer }
        stage.apple.holdAnswers()
        push(0..<20, stage, book, options: PushOptions(resend: .resendUnknown))
        push(20..<30, stage, book)
        #expect(await stage.apple.ledger.wait { $0.pushes == 31 })
        await stage.apple.cutConnections()
        await book.wait(for: 10)
        #expect(book.summary == ["connection_lost unknown": 10])
        stage.apple.releaseAnswers()
        await pass(.seconds(1), stage)
        await book.wait(for: 30)
        #expect(book.summary == ["connection_lost unknown": 10, "accepted": 20] && book.endedOnceEach)
        // Twice processed, as asked for: each time under one id, in call order. The other ten were not repeated.
        #expect(stage.apple.ledger.repeatedDeviceTokens == 20 && stage.apple.ledger.repeatedAPNSIDs == 20)
        let again = stage.apple.ledger.records.suffix(20).map(\.deviceToken)
        #expect(again == (0..<20).map { Samples.token($0).hex })
        await stage.end()
    }

    @Test("parity: P10 – what goes again keeps its collapse id, so that the device shows it once")
    func theCollapseIDIsKept() async throws {
        let (stage, book) = try await stage { $0.retry.resend = .resendUnknown }
        stage.apple.holdAnswers()
        let shipped = try Samples.flight.collapsing("order-4711-shipped")
        stage.runtime.push(name: "orders", shipped, to: Samples.token(1), completion: book.completion(0))
        #expect(await stage.apple.ledger.wait { $0.pushes == 2 })
        await stage.apple.cutConnections()
        stage.apple.releaseAnswers()
        await pass(.seconds(1), stage)
        await book.wait(for: 1)
        #expect(book.summary == ["accepted": 1])
        let records = stage.apple.ledger.records.suffix(2)
        #expect(records.map(\.collapseID) == ["order-4711-shipped", "order-4711-shipped"])
        #expect(Set(records.map(\.apnsID)).count == 1)
        await stage.end()
    }

    @Test("parity: F16 – a status is retried on request, after a pause, and no caller hears of it")
    func aHiccupIsRetried() async throws {
        let (stage, book) = try await stage { $0.retry.statusRetry = StatusRetryPolicy(retries: 2) }
        stage.apple.faults.add(FaultRule(.push, .refuse(.serviceUnavailable), times: 5))
        push(0..<5, stage, book)
        push(5..<6, stage, book, options: PushOptions(statusRetry: .never))
        #expect(await stage.apple.ledger.wait { $0.pushes == 7 })
        await book.wait(for: 1)
        await pass(.seconds(1), stage)
        await book.wait(for: 6)
        #expect(book.summary == ["accepted": 6])
        let snapshot = stage.apple.ledger.snapshot
        #expect(snapshot.pushes == 12 && snapshot.refusals == [.serviceUnavailable: 5])
        #expect(stage.apple.ledger.repeatedDeviceTokens == 0)
        await stage.end()
    }

    @Test("parity: F9 – a limit lowered after rejections is seen, followed and left again; nothing is lost")
    func aThrottledLinkQueuesAndRecovers() async throws {
        let (stage, book) = try await stage(
            { $0.strictness = Strictness(lowersLimitAfterRefusal: true) }, config: { _ in })
        #expect(try stage.runtime.connection(named: "orders").status.isThrottled == false)
        let bad = try DeviceToken("baadf00d" + String(repeating: "0", count: 56))
        let answer = try await stage.runtime.push(name: "orders", Samples.flight, to: bad)
        #expect(answer.reason == .badDeviceToken)
        try await until { try stage.runtime.connection(named: "orders").status.isThrottled }
        #expect(try stage.runtime.connection(named: "orders").status.streamLimit == 1)
        stage.apple.holdAnswers()
        push(0..<100, stage, book)
        #expect(await stage.apple.ledger.wait { $0.pushes >= 3 })
        let status = try stage.runtime.connection(named: "orders").status
        #expect(status.isThrottled || status.streamLimit > 1)
        stage.apple.releaseAnswers()
        await book.wait(for: 100)
        #expect(book.summary == ["accepted": 100] && stage.apple.ledger.repeatedDeviceTokens == 0)
        try await until { try !stage.runtime.connection(named: "orders").status.isThrottled }
        await stage.end()
    }

    @Test("parity: F15 – one in flight per device, in call order, across a cut link")
    func aDevicesPushesKeepTheirOrder() async throws {
        let (stage, book) = try await stage {
            $0.ordered = .perDevice
            $0.retry.resend = .resendUnknown
        }
        stage.apple.holdAnswers()
        // Fifty pushes to five devices, ten each.
        push(0..<50, stage, book, to: { Samples.token($0 % 5) })
        #expect(await stage.apple.ledger.wait { $0.pushes == 6 })
        await stage.apple.cutConnections()
        stage.apple.releaseAnswers()
        await pass(.seconds(1), stage)
        await book.wait(for: 50)
        #expect(book.summary == ["accepted": 50] && book.endedOnceEach)
        #expect(stage.apple.ledger.snapshot.pushes == 1 + 5 + 50)
        for device in 0..<5 {
            let ended = book.order.filter { $0 % 5 == device }
            #expect(ended == Array(stride(from: device, to: 50, by: 5)))
        }
        await stage.end()
    }
}
