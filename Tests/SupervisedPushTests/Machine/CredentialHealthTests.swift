import ProcessRuntime
import Testing

@testable import SupervisedPush

@Suite struct CredentialHealthTests {
    private let accepted = PushResponse(status: 200)
    private let refused = MachineHarness.response(403, .invalidProviderToken)
    private let start = MonotonicInstant(nanoseconds: 0)

    private func health(wasAccepted: Bool = true) -> CredentialHealth {
        var health = CredentialHealth(RoomSettings())
        if wasAccepted { _ = health.judge(accepted, isProbe: false) }
        return health
    }

    private func after(_ seconds: Int) -> MonotonicInstant { start.advanced(by: .seconds(seconds)) }

    @Test func threeRefusalsInARowAreFinal() throws {
        var health = health()
        #expect(health.judge(refused, isProbe: false) == .nothing)
        #expect(health.judge(refused, isProbe: false) == .nothing)
        let refusal = try #require(CredentialRefusal(refused))
        #expect(health.judge(refused, isProbe: false) == .refused(refusal))
        #expect(refusal.reason == .invalidProviderToken && refusal.layer == .apns)
    }

    @Test func anAcceptedPushBetweenThemBeginsTheRowAnew() {
        var health = health()
        for _ in 0..<5 {
            #expect(health.judge(refused, isProbe: false) == .nothing)
            #expect(health.judge(refused, isProbe: false) == .nothing)
            #expect(!health.isHealthy)
            #expect(health.judge(accepted, isProbe: false) == .nothing)
            #expect(health.isHealthy)
        }
    }

    @Test func aRejectionThatIsAboutThePushNeitherCountsNorBreaksTheRow() throws {
        var health = health()
        for (status, reason) in [
            (400, RejectionReason.badDeviceToken), (400, .topicDisallowed), (410, .unregistered),
            (429, .tooManyRequests),
            (403, .expiredProviderToken), (403, .unrelatedKeyIDInToken), (403, .topicMismatch), (503, .shutdown),
        ] {
            for _ in 0..<4 {
                #expect(health.judge(MachineHarness.response(status, reason), isProbe: false) == .nothing)
            }
        }
        #expect(health.isHealthy)
        _ = health.judge(refused, isProbe: false)
        _ = health.judge(refused, isProbe: false)
        _ = health.judge(MachineHarness.response(410, .unregistered), isProbe: false)
        let refusal = try #require(CredentialRefusal(refused))
        #expect(health.judge(refused, isProbe: false) == .refused(refusal))
    }

    @Test func theFirstAcceptedPushIsToldOnce() {
        var health = health(wasAccepted: false)
        #expect(health.judge(accepted, isProbe: false) == .firstAcceptance)
        #expect(health.judge(accepted, isProbe: false) == .nothing)
        #expect(health.isHealthy)
    }

    @Test func thePausesBetweenProbesDoubleFromOneSecondToFifteenMinutes() throws {
        var health = health()
        let refusal = try #require(CredentialRefusal(refused))
        for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
            let pause = health.suspend(refusal, start)
            #expect(pause == .seconds(seconds))
            #expect(!health.mayProbe(MonotonicInstant(nanoseconds: Int64(seconds) * 1_000_000_000 - 1)))
            #expect(health.mayProbe(after(seconds)))
            health.beginProbe()
            #expect(!health.mayProbe(after(seconds)))
        }
        health.recover()
        let pause = health.suspend(refusal, start)
        #expect(pause == .seconds(1))
    }

    @Test func aProbeThatProvesNothingCostsThePauseAgain() throws {
        var health = health()
        _ = health.suspend(try #require(CredentialRefusal(refused)), start)
        health.beginProbe()
        health.probeEnded(MonotonicInstant(nanoseconds: 70_000_000_000))
        #expect(!health.mayProbe(MonotonicInstant(nanoseconds: 70_999_999_999)))
        #expect(health.mayProbe(after(71)))
    }

    @Test(arguments: [
        (200, nil, true), (410, RejectionReason.unregistered, true), (400, .badDeviceToken, true),
        (503, .serviceUnavailable, false), (429, .tooManyRequests, false), (400, .badTopic, false), (500, nil, false),
    ]) func whatTheAnswerToAProbeProves(status: Int, reason: RejectionReason?, proves: Bool) throws {
        var health = health()
        _ = health.suspend(try #require(CredentialRefusal(refused)), start)
        let verdict = health.judge(MachineHarness.response(status, reason), isProbe: true)
        #expect(verdict == (proves ? .proven : .nothing))
    }

    @Test func oneRefusalOfTheProbeIsEnough() throws {
        var health = health()
        let refusal = try #require(CredentialRefusal(refused))
        _ = health.suspend(refusal, start)
        #expect(health.judge(refused, isProbe: true) == .refused(refusal))
        // What still comes in on links that drain proves nothing, either way.
        #expect(health.judge(refused, isProbe: false) == .nothing)
        #expect(health.judge(accepted, isProbe: false) == .nothing)
        #expect(health.refusal == refusal)
    }

    @Test func aHopelessCredentialHasNoProbe() throws {
        var health = health(wasAccepted: false)
        health.giveUp(try #require(CredentialRefusal(refused)))
        #expect(health.isRejectedForGood && !health.mayProbe(after(100_000)))
    }

    @Test func whatAGoAwaySaysOfTheCredential() {
        func refusal(_ text: String?, foreign: Bool = false) -> RejectionReason? {
            CredentialRefusal(goAway: text, carriesForeignTokens: foreign)?.reason
        }
        #expect(refusal("BadCertificateEnvironment", foreign: true) == .badCertificateEnvironment)
        #expect(refusal("BadCertificate") == .badCertificate)
        #expect(refusal("InvalidProviderToken") == .invalidProviderToken)
        #expect(refusal("InvalidProviderToken", foreign: true) == nil)
        #expect(refusal("Shutdown") == nil && refusal(nil) == nil && refusal("ExpiredProviderToken") == nil)
    }

    @Test func aLinkIsReplacedForTooManyTokenUpdatesOnceAMinute() {
        var credential = ShownCredential()
        let answers = [0, 59, 60].map { credential.tokenReplacements.mayBegin(after($0)) }
        #expect(answers == [true, false, true])
    }
}
