import HTTP2Session
import Testing

@testable import SupervisedPush

/// 429, 500 and 503 are answered by pushing again where that was asked for.
@Suite("parity: F16 – status-aware retry with budget and breaker") struct StatusRetryTests {
    private func policy(_ retries: Int, _ statuses: StatusRetryPolicy.Statuses = .all) -> PushPolicy {
        PushPolicy(statusRetry: StatusRetryPolicy(retries: retries, statuses: statuses))
    }

    @Test func withoutThePolicyEveryStatusIsTheAnswer() {
        var harness = MachineHarness.up()
        _ = harness.push(1)
        #expect(harness.answer(1, status: 503) == ["finish 1: 503"])
    }

    @Test func thePauseDoublesAndTheLastAnswerIsTheAnswer() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: policy(2))
        #expect(harness.answer(1, status: 503) == [])
        #expect(harness.machine.waitingCount == 1 && harness.machine.inFlight == 0)
        #expect(harness.advance(by: .milliseconds(499)) == [])
        #expect(harness.advance(by: .milliseconds(501)) == ["submit 1 on 1/3 again"])
        #expect(harness.answer(1, status: 500) == [])
        #expect(harness.advance(by: .milliseconds(999)) == [])
        #expect(harness.advance(by: .milliseconds(1_001)) == ["submit 1 on 1/5 again"])
        #expect(harness.answer(1, status: 503) == ["finish 1: 503"])
    }

    @Test(arguments: [200, 400, 403, 404, 405, 410, 413, 501, 502, 504])
    func otherStatusesAreNeverRetried(status: Int) {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: policy(3))
        #expect(harness.answer(1, status: status) == ["finish 1: \(status)"])
    }

    @Test func tooManyProviderTokenUpdatesIsNotRetried() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: policy(3))
        // Once, over a fresh link, as every push: that is no retry.
        #expect(harness.answer(1, status: 429, .tooManyProviderTokenUpdates) == ["draining 1", "close 1", "dial 2"])
        _ = harness.feed(.linkUp(MachineHarness.link(2), maxStreams: 1))
        #expect(harness.answer(1, link: 2, status: 429, .tooManyProviderTokenUpdates) == ["finish 1: 429"])
        #expect(harness.machine.throttle.isEmpty)
    }

    @Test func onlySoManyPauseAndTheOthersEndWithTheirAnswer() {
        var settings = ConnectionSettings()
        settings.maxDeferred = 2
        var harness = MachineHarness.up(settings)
        _ = harness.push(1, 2, 3, 4, policy: policy(3), devices: true)
        for number in UInt64(1)...2 { #expect(harness.answer(number, status: 503) == []) }
        #expect(harness.answer(3, status: 503) == ["finish 3: 503"])
        #expect(harness.machine.waitingCount == 2)
        _ = harness.advance(by: .seconds(1))
        #expect(harness.answer(4, status: 503) == [])
    }

    @Test func aPauseBeyondAllMeasureIsStoredAsTheLongest() {
        let endless = Duration.seconds(Int64.max)
        let stored = PushPolicy(
            statusRetry: StatusRetryPolicy(retries: 1, firstDelay: endless, longestDelay: .seconds(Int64.min))
        ).statusRetry
        #expect(stored.firstDelay == .milliseconds(Int64(UInt32.max)) && stored.longestDelay == .zero)
    }

    @Test func theStatusesCanBeChosen() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2, policy: policy(3, [.internalServerError]))
        #expect(harness.answer(1, status: 503) == ["finish 1: 503"])
        #expect(harness.answer(2, status: 500) == [])
    }

    @Test func aPauseThatOutlastsThePushsTimeIsNotBegun() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: policy(3), timeout: .milliseconds(400))
        #expect(harness.answer(1, status: 503) == ["finish 1: 503"])
    }

    @Test func whateverComesAfterItThePushEndsWithItsLastAnswer() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2, 3, policy: policy(3), timeout: .seconds(5))
        let second = harness.machine.table[harness.slots[2] ?? -1]?.record
        for number in UInt64(1)...3 { _ = harness.answer(number, status: 503) }
        #expect(second.map { harness.feed(.cancel($0)) } == ["finish 2: 503"])
        #expect(harness.advance(by: .seconds(1)).count == 2)
        // One is lost on the wire, one is still in flight when its time is over.
        #expect(harness.close(1, .internalError) == ["finish 1: 503"])
        #expect(harness.advance(by: .seconds(4)) == ["finish 3: 503"])
        #expect(harness.answer(3) == ["late 3: 200"])
    }

    @Test func closingEndsItWithItsAnswer() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: policy(3))
        _ = harness.answer(1, status: 503)
        #expect(harness.feed(.close(deadline: harness.now)) == ["finish 1: 503", "close 1", "stop"])
    }

    @Test func whileItClosesARetryMustBeDoneByTheDeadline() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: policy(3))
        _ = harness.feed(.close(deadline: harness.now.advanced(by: .milliseconds(400))))
        #expect(harness.answer(1, status: 503) == ["finish 1: 503", "close 1", "stop"])
    }

    @Test func aFailedProcessPassesTheAnswerOn() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: policy(1))
        _ = harness.answer(1, status: 503)
        var actions: [ConnectionAction] = []
        let passedOn = harness.machine.surrender([], harness.now, &actions)
        var successor = MachineHarness.up()
        #expect(successor.feed(.inherit(passedOn)) == ["submit 1 on 1/1 again"])
        #expect(successor.answer(1, status: 500) == ["finish 1: 500"])
    }

    @Test func theBudgetEndsRetriesWhenManyFail() {
        var harness = MachineHarness.up()
        _ = harness.feed(
            .pushes(
                (UInt64(1)...100).map { harness.record($0, policy: policy(1), device: Int($0)) }))
        var retried = 0
        for number in UInt64(1)...100 {
            // Every third is accepted, so that the breaker stays closed.
            let lines = harness.answer(number, status: number % 3 == 0 ? 200 : 503)
            if lines.isEmpty { retried += 1 }
        }
        // Ten, and a tenth of the pushes so far.
        #expect(retried == 20)
    }

    @Test func theBreakerEndsRetriesAlsoThoseGrantedBefore() {
        var harness = MachineHarness.up()
        _ = harness.feed(
            .pushes((UInt64(1)...22).map { harness.record($0, policy: policy(1), device: Int($0)) }))
        #expect(harness.answer(1, status: 503) == [])
        for number in UInt64(2)...20 { _ = harness.answer(number, status: 503) }
        #expect(harness.answer(21, status: 503) == ["finish 21: 503"])
        let lines = harness.advance(by: .seconds(1))
        #expect(lines.count == 11 && lines.allSatisfy { $0.hasSuffix(": 503") })
        // An accepted push closes it.
        #expect(harness.answer(22) == ["finish 22: 200"])
        _ = harness.push(23, policy: policy(1))
        #expect(harness.answer(23, status: 503) == [])
    }
}

@Suite struct RetryPartsTests {
    private let start = MonotonicInstant(nanoseconds: 0)

    @Test func theBudgetHasTenAndATenthOfThePushesAndOneASecond() {
        var budget = RetryBudget()
        func taken(_ now: MonotonicInstant) -> Int {
            var count = 0
            while budget.take(now) { count += 1 }
            return count
        }
        #expect(taken(start) == 10)
        for _ in 0..<35 { budget.payIn() }
        #expect(taken(start) == 3)
        #expect(taken(start.advanced(by: .milliseconds(450))) == 0)
        #expect(taken(start.advanced(by: .milliseconds(500))) == 1)
        #expect(taken(start.advanced(by: .milliseconds(2_500))) == 2)
        #expect(taken(start.advanced(by: .seconds(86_400))) == 100)
        for _ in 0..<100_000 { budget.payIn() }
        #expect(taken(start.advanced(by: .seconds(86_400))) == 100)
    }

    @Test func askingOftenLosesNoPartOfASecond() {
        var budget = RetryBudget()
        while budget.take(start) {}
        var count = 0
        for step in 1...300 where budget.take(start.advanced(by: .milliseconds(10 * step))) { count += 1 }
        #expect(count == 3)
    }

    @Test func theBreakerOpensAfterTwentyInARowAndClosesWithAnyOtherAnswer() {
        var breaker = RetryBreaker()
        for _ in 0..<19 { breaker.note(status: 503, start) }
        #expect(!breaker.isOpen(start))
        breaker.note(status: 410, start)
        for _ in 0..<19 { breaker.note(status: 500, start) }
        #expect(!breaker.isOpen(start))
        breaker.note(status: 500, start)
        #expect(breaker.isOpen(start))
        breaker.note(status: 200, start)
        #expect(!breaker.isOpen(start))
    }

    @Test func anOpenBreakerLetsGoAfterThirtySecondsAndOneMoreFailureOpensItAgain() {
        var breaker = RetryBreaker()
        for _ in 0..<40 { breaker.note(status: 503, start) }
        #expect(breaker.isOpen(start.advanced(by: .milliseconds(29_999))))
        let later = start.advanced(by: .seconds(30))
        #expect(!breaker.isOpen(later))
        breaker.note(status: 503, later)
        #expect(breaker.isOpen(later.advanced(by: .milliseconds(29_999))))
    }

    @Test func thePauseDoublesToItsBoundAndIsShortenedByHalfAtMost() {
        var retries = StatusRetries(seed: 7)
        let policy = StatusRetryPolicy(retries: 5, firstDelay: .seconds(2), longestDelay: .seconds(11))
        for (number, whole) in [(1, 2), (2, 4), (3, 8), (4, 11), (19, 11)] {
            var seen = Set<Duration>()
            for _ in 0..<200 {
                let pause = retries.pause(policy, number: number)
                #expect(pause <= .seconds(whole) && pause >= .seconds(whole) / 2)
                seen.insert(pause)
            }
            #expect(seen.count > 190)
        }
    }

    @Test func thePolicyIsPackedIntoTwelveBytesWithoutLoss() {
        #expect(MemoryLayout<PushPolicy>.size <= 12)
        let retry = StatusRetryPolicy(
            retries: 19, statuses: [.serviceUnavailable], firstDelay: .milliseconds(250), longestDelay: .seconds(86_400)
        )
        #expect(PushPolicy(statusRetry: retry).statusRetry == retry)
        #expect(PushPolicy(statusRetry: .never).retries == 0)
        let own = PushPolicy(resend: .never, ordered: .perDevice, statusRetry: retry)
        #expect(PushPolicy(own, PushOptions()) == own)
        let other = PushPolicy(own, PushOptions(resend: .resendUnknown, statusRetry: .never, ordered: .byCall))
        #expect(other.resend == .resendUnknown && other.retries == 0 && !other.mayStandInLine)
    }

    @Test func valuesOutOfRangeAreNamed() {
        #expect(StatusRetryPolicy(retries: 20).problem?.contains("retries is 20") == true)
        #expect(StatusRetryPolicy(retries: 1, firstDelay: .zero).problem?.contains("firstDelay") == true)
        #expect(
            StatusRetryPolicy(retries: 1, firstDelay: .seconds(5), longestDelay: .seconds(4)).problem?
                .contains("longestDelay") == true)
        #expect(StatusRetryPolicy.never.problem == nil)
    }
}
