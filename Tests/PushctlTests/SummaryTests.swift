import SupervisedPush
import Testing

@testable import PushCampaign
@testable import pushctl

@Suite struct SummaryTests {
    private var tally: Tally {
        var tally = Tally()
        tally.count(.delivered, times: 99_000)
        tally.count(.rejected, reason: "Unregistered", times: 800)
        tally.count(.rejected, reason: "BadDeviceToken", times: 100)
        tally.count(.failed, reason: "invalid_input", times: 80)
        tally.count(.unknown, reason: "timed_out", times: 20)
        return tally
    }

    @Test func theTableAddsUp() {
        #expect(tally.total == 100_000)
        #expect(
            Summary(tally, seconds: 4.2).text == """
                records    100,000  in 4.2 s (23,810/s)
                delivered   99,000
                rejected       900  Unregistered 800, BadDeviceToken 100
                failed          80  invalid_input 80
                unknown         20  timed_out 20
                """)
    }

    @Test func whatWasNotRetriedIsSaidWithItsReason() {
        var tally = Tally()
        for number in 0..<3_000 {
            let why: NotRetried? = number < 2_000 ? .breaker : number < 2_100 ? .budget : nil
            let outcome = PushOutcome(.rejected, status: 503, reason: "ServiceUnavailable", attempts: 1)
            tally.count(OutcomeRow(line: number, token: "aa", outcome, notRetried: why))
        }
        let summary = Summary(tally, seconds: 1)
        #expect(
            summary.text.hasSuffix(
                """
                rejected   3,000  ServiceUnavailable 3,000
                failed         0
                unknown        0
                2,000 not retried: APNs failed too often, so retries stopped for 30 s.
                100 not retried: the retry budget, a tenth of the pushes, was used up.
                """))
        #expect(
            String(decoding: summary.json, as: UTF8.self).contains(#""not_retried":{"breaker":2000,"budget":100}"#))
    }

    @Test func theSummaryAsJSONIsOneLine() {
        #expect(
            String(decoding: Summary(tally, seconds: 4.25).json, as: UTF8.self)
                == #"{"records":100000,"delivered":99000,"rejected":900,"failed":80,"unknown":20,"#
                + #""rejected_reasons":{"Unregistered":800,"BadDeviceToken":100},"failed_reasons":{"invalid_input":80},"#
                + #""unknown_reasons":{"timed_out":20},"seconds":4.250}"# + "\n")
    }

    @Test func aServerThatInventsReasonsFillsNoMemory() {
        var tally = Tally()
        for number in 0..<1_000 { tally.count(.rejected, reason: "r\(number)") }
        let reasons = tally.reasons(of: .rejected)
        #expect(reasons.count == Tally.mostReasons + 1)
        #expect(reasons.first?.reason == "other")
        #expect(reasons.map(\.count).reduce(0, +) == 1_000)
    }
}
