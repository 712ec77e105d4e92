import PushCampaign
import PushTerminal
import SupervisedPush
import Testing

@testable import pushctl

@Suite struct RunEndTests {
    /// A run of which everything is wrong; each test takes away what comes first.
    private func worst() -> RunEnd {
        var end = RunEnd()
        end.signal = .interrupt
        end.error = .usage("u")
        end.credentialWasRefused = true
        end.attempted = 3
        end.outageExceeded = true
        end.rowsWereLost = true
        end.tally.count(.unknown)
        end.tally.count(.rejected)
        end.tally.count(.failed)
        return end
    }

    @Test func signalsComeFirst() {
        var end = worst()
        #expect(end.status.rawValue == 130)
        end.signal = .terminate
        #expect(end.status.rawValue == 143)
        end.signal = .hangUp
        #expect(end.status.rawValue == 129)
    }

    @Test func thenErrorsOfUsageInputAndConfiguration() {
        var end = worst()
        end.signal = nil
        #expect(end.status.rawValue == 64)
        end.error = .input("i")
        #expect(end.status.rawValue == 66)
        end.error = .configuration("c")
        #expect(end.status.rawValue == 78)
    }

    @Test func thenARefusedCredentialIfNothingWasAccepted() {
        var end = worst()
        end.signal = nil
        end.error = nil
        #expect(end.status.rawValue == 77)
        end.tally.count(.delivered)
        #expect(end.status.rawValue == 69)
    }

    @Test func aServiceThatWasRefusedEndsWithItWhateverItDelivered() {
        var end = RunEnd()
        end.isService = true
        end.error = CommandError(.refused, "The server refuses the credential.")
        end.tally.count(.delivered)
        #expect(end.status.rawValue == 77)
        end.signal = .terminate
        #expect(end.status.rawValue == 143)
    }

    @Test func thenALinkThatNeverCameUpOrWasAwayTooLong() {
        var end = worst()
        end.signal = nil
        end.error = nil
        end.credentialWasRefused = false
        #expect(end.status.rawValue == 69)
        end.outageExceeded = false
        #expect(end.status.rawValue == 69)
        end.linkEverUp = true
        #expect(end.status.rawValue == 2)
    }

    @Test func thenAnyUnknownThenAnyRejectedOrFailed() {
        var end = RunEnd()
        end.linkEverUp = true
        end.attempted = 2
        end.tally.count(.delivered)
        #expect(end.status.rawValue == 0)
        end.tally.count(.rejected)
        #expect(end.status.rawValue == 1)
        end.tally.count(.unknown)
        #expect(end.status.rawValue == 2)

        var failed = RunEnd()
        failed.tally.count(.failed, reason: "invalid_input")
        #expect(failed.status.rawValue == 1)
    }

    @Test func whatCannotBePrintedIsTheErrorOfARunWithoutAnother() {
        let lost = CommandError(.unknown, "cannot write standard output")
        for (earlier, code) in [(nil, 2), (.input("gone"), 66)] as [(CommandError?, Int32)] {
            var (end, said) = (RunEnd(), [String]())
            end.error = earlier
            end.print(say: { said.append($0.text) }) { () throws(CommandError) in throw lost }
            #expect(end.status.rawValue == code && said == [lost.line])
        }
        var outage = RunEnd()
        outage.attempted = 1
        outage.print(say: { _ in }) { () throws(CommandError) in throw lost }
        #expect(outage.status == .unavailable)
    }

    @Test func earlierRunsCountForTheCampaignAndNotForTheCredential() {
        var end = RunEnd()
        end.linkEverUp = true
        end.attempted = 1
        end.tally.count(.delivered)
        end.earlier.count(.failed, reason: "expired")
        #expect(end.status.rawValue == 1)
        end.earlier.count(.unknown, reason: "interrupted")
        #expect(end.status.rawValue == 2)

        var refused = RunEnd()
        refused.credentialWasRefused = true
        refused.earlier.count(.delivered)
        #expect(refused.status == .refused)
    }

    @Test func recordsThatWereNeverPushedNeedNoLink() {
        var end = RunEnd()
        end.tally.count(.failed, reason: "invalid_input", times: 5)
        #expect(!end.linkEverUp)
        #expect(end.status == .rejectedOrFailed)
    }

    @Test func rowsThatWereLostAreUnknownToWhoeverReadsThem() {
        var end = RunEnd()
        end.linkEverUp = true
        end.tally.count(.delivered)
        end.rowsWereLost = true
        #expect(end.status == .unknown)
    }

    @Test func anErrorAlwaysShows() {
        let ofSignals = StopSignal.allCases.map(\.status)
        for status in ExitStatus.allCases where status != .success && !ofSignals.contains(status) {
            var end = RunEnd()
            end.error = CommandError(status, "m")
            #expect(end.status == status)
        }
    }
}
