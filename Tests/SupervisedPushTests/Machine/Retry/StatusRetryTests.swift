import ProcessRuntime
import PushHTTP2
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
        #expect(harness.room.table.count == 1 && harness.machine.inFlight == 0)
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
        _ = harness.feed(.settings(MachineHarness.link(2), maxStreams: 1))
        #expect(harness.answer(1, link: 2, status: 429, .tooManyProviderTokenUpdates) == ["finish 1: 429"])
        #expect(harness.room.throttle.isEmpty)
    }

    @Test func onlySoManyPauseAndTheOthersEndWithTheirAnswer() {
        var harness = MachineHarness.up(room: RoomSettings(maxWaiting: 2))
        _ = harness.push(1, 2, policy: policy(3), devices: true)
        _ = harness.push(3, 4, policy: policy(3), devices: true)
        for number in UInt64(1)...2 { #expect(harness.answer(number, status: 503) == []) }
        #expect(harness.answer(3, status: 503) == ["finish 3: 503, not retried: waiting"])
        #expect(harness.room.table.count == 2)
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
        #expect(harness.answer(1, status: 503) == ["finish 1: 503, not retried: time"])
    }

    /// With its 503, its caller would push it again, and could deliver it twice.
    @Test func whatMayHaveBeenProcessedAfterItsAnswerEndsUnknown() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2, 3, policy: policy(3), timeout: .seconds(5))
        let second = harness.machine.table[harness.slots[2] ?? -1]?.record
        for number in UInt64(1)...3 { _ = harness.answer(number, status: 503) }
        #expect(second.map { harness.feed(.cancel($0)) } == ["finish 2: 503"])
        #expect(harness.advance(by: .seconds(1)).count == 2)
        // One is lost on the wire, one is still in flight when its time is over.
        #expect(harness.close(1, .internalError) == ["finish 1: stream_reset unknown"])
        #expect(harness.advance(by: .seconds(4)) == ["finish 3: timed_out unknown"])
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
        #expect(harness.answer(1, status: 503) == ["finish 1: 503, not retried: time", "close 1", "stop"])
    }

    @Test func aFailedProcessPassesTheAnswerOn() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: policy(1))
        _ = harness.answer(1, status: 503)
        #expect(harness.fail() == [])
        _ = harness.feed(.start)
        _ = harness.comeUp(link: 1)
        #expect(harness.advance(by: .seconds(1)) == ["submit 1 on 1/1 again"])
        #expect(harness.answer(1, status: 500) == ["finish 1: 500"])
    }

    /// How a burst's answers may arrive.
    enum Order: CaseIterable { case rejectionsFirst, rejectionsLast, mixed }

    /// The statuses of a thousand answers, `failing` of which are this one.
    private func answers(_ failing: Int, _ status: Int, _ order: Order) -> [Int] {
        let ok = Array(repeating: 200, count: 1_000 - failing)
        let bad = Array(repeating: status, count: failing)
        switch order {
        case .rejectionsFirst: return bad + ok
        case .rejectionsLast: return ok + bad
        case .mixed: return (0..<1_000).map { $0 * failing / 1_000 != ($0 + 1) * failing / 1_000 ? status : 200 }
        }
    }

    /// A thousand pushes are written and answered at one instant; returns how many of those that failed were retried.
    private func retried(_ failing: Int, _ status: Int, _ order: Order) -> (granted: Int, sent: Int, ended: [String]) {
        var harness = MachineHarness.up()
        _ = harness.offer((UInt64(1)...1_000).map { harness.record($0, policy: policy(1), device: Int($0)) })
        var granted = 0
        var ended: [String] = []
        for (index, status) in answers(failing, status, order).enumerated() {
            let lines = harness.answer(UInt64(index + 1), status: status)
            if lines.isEmpty { granted += 1 } else if status != 200 { ended += lines }
        }
        let later = harness.advance(by: .seconds(1))
        let sent = later.count { $0.hasPrefix("submit") }
        return (granted, sent, ended + later.filter { !$0.hasPrefix("submit") })
    }

    @Test(arguments: Order.allCases)
    func theOrderOfABurstsAnswersDoesNotDecide(order: Order) {
        // Ten, and a tenth of the thousand that were written.
        #expect(retried(50, 503, order).sent == 50)
        #expect(retried(110, 500, order).sent == 110)
        let many = retried(200, 503, order)
        #expect(many.sent == 110)
        #expect(many.ended.count == 90 && many.ended.allSatisfy { $0.hasSuffix(": 503, not retried: budget") })
        #expect(retried(200, 429, order).sent == 110)
        // Half of them failed: the breaker ends those, too, that the budget would have let go.
        let most = retried(500, 503, order)
        #expect(most.granted == 110 && most.sent == 0)
        #expect(most.ended.count { $0.hasSuffix(": 503, not retried: breaker") } == 110)
        #expect(most.ended.count { $0 == "retries stopped: 500 of 1000" } == 1)
        #expect(retried(499, 503, order).sent == 110)
    }

    @Test func theBreakerEndsRetriesAlsoThoseGrantedBefore() {
        var harness = MachineHarness.up()
        _ = harness.offer((UInt64(1)...40).map { harness.record($0, policy: policy(1), device: Int($0)) })
        for number in UInt64(1)...13 { #expect(harness.answer(number, status: 503) == []) }
        // Ten, and four tenths of ten: what comes now is over the budget.
        #expect(harness.answer(14, status: 503) == [])
        for number in UInt64(15)...20 {
            #expect(harness.answer(number, status: 503) == ["finish \(number): 503, not retried: budget"])
        }
        let lines = harness.advance(by: .seconds(1))
        #expect(lines.first == "retries stopped: 20 of 20")
        #expect(lines.count == 15 && lines.dropFirst().allSatisfy { $0.hasSuffix(": 503, not retried: breaker") })
        #expect(harness.answer(21, status: 503) == ["finish 21: 503, not retried: breaker"])
        // It closes when fewer than half of the last ten seconds' answers are failures: here 21 of 43.
        for number in UInt64(22)...40 { _ = harness.answer(number) }
        _ = harness.push(41, 42, 43, 44, 45, policy: policy(1), devices: true)
        for number in UInt64(41)...44 { _ = harness.answer(number) }
        #expect(harness.answer(45, status: 503) == [])
        #expect(harness.advance(by: .seconds(1)) == ["submit 45 on 1/91 again"])
    }

    @Test func retryAfterIsWaitedForBeforeThePause() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: policy(1))
        #expect(harness.answer(1, status: 503, retryAfter: .seconds(7)) == [])
        #expect(harness.advance(by: .milliseconds(7_499)) == [])
        #expect(harness.advance(by: .milliseconds(501)) == ["submit 1 on 1/3 again"])
    }

    @Test func retryAfterCountsForFiveMinutesAtMost() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: policy(1), timeout: .seconds(1_000))
        #expect(harness.answer(1, status: 429, retryAfter: .seconds(86_400)) == [])
        #expect(harness.advance(by: .seconds(300)) == [])
        #expect(harness.advance(by: .seconds(1)) == ["submit 1 on 1/3 again"])
    }

    @Test func aPushWhoseTimeIsOverBeforeRetryAfterEndsWithItsAnswer() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: policy(1), timeout: .seconds(5))
        #expect(harness.answer(1, status: 503, retryAfter: .seconds(5)) == ["finish 1: 503, not retried: time"])
    }

    @Test func retryAfterHoldsThePushesToTheDeviceBackToo() {
        var harness = MachineHarness.up()
        _ = harness.push(1, policy: policy(1), timeout: .seconds(2))
        #expect(harness.answer(1, status: 429, retryAfter: .seconds(4)) == ["finish 1: 429, not retried: time"])
        #expect(harness.push(2, policy: policy(1)) == [])
        #expect(harness.advance(by: .milliseconds(3_999)) == [])
        #expect(harness.advance(by: .milliseconds(1)) == ["submit 2 on 1/3"])
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
        #expect(taken(start.advanced(by: .seconds(86_400))) == 1_000)
    }

    @Test func askingOftenLosesNoPartOfASecond() {
        var budget = RetryBudget()
        while budget.take(start) {}
        var count = 0
        for step in 1...300 where budget.take(start.advanced(by: .milliseconds(10 * step))) { count += 1 }
        #expect(count == 3)
    }

    private func breaker(failed: Int, of answers: Int, at now: MonotonicInstant) -> RetryBreaker {
        var breaker = RetryBreaker()
        for number in 0..<answers { breaker.count(status: number < failed ? 503 : 200, now) }
        return breaker
    }

    @Test(arguments: [(19, 19, false), (20, 20, true), (20, 40, true), (20, 41, false), (500, 1_001, false)])
    func theBreakerOpensForTwentyFailuresThatAreHalfOfTheAnswers(_ failed: Int, _ answers: Int, _ opens: Bool) {
        var breaker = breaker(failed: failed, of: answers, at: start)
        #expect(!breaker.isOpen(start))
        #expect(breaker.judge(start) == (opens ? .init(failures: failed, answers: answers) : nil))
        #expect(breaker.isOpen(start) == opens)
    }

    @Test func whatIsTenSecondsOldDoesNotCount() {
        var early = breaker(failed: 20, of: 20, at: start)
        #expect(early.judge(start.advanced(by: .milliseconds(10_000))) == nil)
        var late = breaker(failed: 20, of: 20, at: start)
        #expect(late.judge(start.advanced(by: .milliseconds(9_999))) != nil)
    }

    @Test func anOpenBreakerLetsGoAfterThirtySecondsAndIsJudgedAgain() {
        var breaker = breaker(failed: 40, of: 40, at: start)
        _ = breaker.judge(start)
        #expect(breaker.isOpen(start.advanced(by: .milliseconds(29_999))))
        let later = start.advanced(by: .seconds(30))
        #expect(!breaker.isOpen(later))
        #expect(breaker.judge(later) == nil)
        for _ in 0..<20 { breaker.count(status: 500, later) }
        #expect(breaker.judge(later) == .init(failures: 20, answers: 20))
        #expect(breaker.isOpen(later.advanced(by: .milliseconds(29_999))))
    }

    @Test func anOpenBreakerClosesWhenFewerThanHalfFail() {
        var breaker = breaker(failed: 20, of: 20, at: start)
        _ = breaker.judge(start)
        for _ in 0..<20 { breaker.count(status: 410, start) }
        #expect(breaker.isOpen(start))
        breaker.count(status: 200, start)
        #expect(!breaker.isOpen(start))
        #expect(breaker.judge(start) == nil)
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

    @Test func thePolicyIsPackedIntoSixteenBytesWithoutLoss() {
        #expect(MemoryLayout<PushPolicy>.size <= 16)
        let retry = StatusRetryPolicy(
            retries: 19, statuses: [.serviceUnavailable], firstDelay: .milliseconds(250), longestDelay: .seconds(86_400)
        )
        #expect(PushPolicy(statusRetry: retry).statusRetry == retry)
        #expect(PushPolicy(statusRetry: .never).retries == 0)
        let own = PushPolicy(resend: .never, ordered: .perDevice, statusRetry: retry)
        #expect(PushPolicy(own, options: PushOptions()) == own)
        let other = PushPolicy(own, options: PushOptions(resend: .resendUnknown, statusRetry: .never, ordered: .byCall))
        #expect(other.resend == .resendUnknown && other.retries == 0 && !other.mayQueueForDevice)
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
