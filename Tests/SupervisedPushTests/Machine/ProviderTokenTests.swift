import ProcessRuntime
import PushHTTP2
import PushTransport
import Testing

@testable import SupervisedPush

@Suite("parity: F6 – bounded resend after ExpiredProviderToken and TooManyProviderTokenUpdates")
struct ProviderTokenTests {
    private static let link = MachineHarness.link

    @Test func anExpiredTokenIsRenewedAndThePushGoesOutOnceMore() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2)
        #expect(harness.answer(1, status: 403, .expiredProviderToken) == ["draining 1", "dial 2"])
        #expect(harness.tokensAskedFor == 1)
        #expect(harness.push(3) == [])
        #expect(harness.answer(2) == ["finish 2: 200", "close 1"])
        #expect(
            harness.feed(.settings(Self.link(2), maxStreams: 1_000)) == [
                "up 2", "submit 1 on 2/1 again", "submit 3 on 2/3",
            ])
        #expect(harness.answer(1, link: 2) == ["finish 1: 200"])
    }

    @Test func aFreshTokenThatIsRefusedIsReportedAndChangesNoLink() {
        var harness = MachineHarness.up()
        harness.renewals = [true, false]
        _ = harness.push(1, 2)
        _ = harness.answer(1, status: 403, .expiredProviderToken)
        _ = harness.answer(2)
        _ = harness.feed(.settings(Self.link(2), maxStreams: 1_000))
        #expect(harness.answer(1, link: 2, status: 403, .expiredProviderToken) == ["finish 1: 403"])
        #expect(harness.machine.phase == .up && harness.machine.current?.id == Self.link(2))
    }

    @Test func aPushGoesOutAgainForItsTokenOnce() {
        var harness = MachineHarness.up()
        _ = harness.push(1)
        #expect(harness.answer(1, status: 403, .expiredProviderToken) == ["draining 1", "close 1", "dial 2"])
        _ = harness.feed(.settings(Self.link(2), maxStreams: 1_000))
        // A newer token is there again, so that the link is replaced; this push has had its second chance.
        #expect(
            harness.answer(1, link: 2, status: 403, .expiredProviderToken) == [
                "draining 2", "close 2", "dial 3", "finish 1: 403",
            ])
    }

    @Test func aThousandInFlightMakeOneSuccessorAndGoOutInCallOrderOnce() {
        var harness = MachineHarness.up()
        _ = harness.offer((UInt64(1)...1_000).map { harness.record($0) })
        var lines: [String] = []
        // Answers come in any order.
        for number in (UInt64(1)...1_000).map({ ($0 * 7) % 1_000 + 1 }) {
            lines += harness.answer(number, status: 403, .expiredProviderToken)
        }
        #expect(lines == ["draining 1", "dial 2", "close 1"])
        #expect(harness.machine.inFlight == 0 && harness.room.table.count == 1_000)
        // In token mode the new link starts at 1: the oldest push is the probe.
        #expect(harness.feed(.settings(Self.link(2), maxStreams: 1)) == ["up 2", "submit 1 on 2/1 again"])
        #expect(harness.answer(1, link: 2) == ["finish 1: 200", "submit 2 on 2/3 again"])
        let resent = harness.feed(.settings(Self.link(2), maxStreams: 1_000))
        #expect(resent == (3...1_000).map { "submit \($0) on 2/\($0 * 2 - 1) again" })
        for number in UInt64(2)...1_000 { _ = harness.answer(number, link: 2) }
        #expect(harness.outcomes.count == 1_000 && harness.outcomes.values.allSatisfy { $0 == ["200"] })
    }

    @Test func tooManyUpdatesMakesAFreshLinkAndNoToken() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2, 3)
        #expect(harness.answer(2, status: 429, .tooManyProviderTokenUpdates) == ["draining 1", "dial 2"])
        // One that was on the old link, too, goes the same way.
        #expect(harness.answer(1, status: 429, .tooManyProviderTokenUpdates) == [])
        #expect(harness.answer(3) == ["finish 3: 200", "close 1"])
        #expect(harness.tokensAskedFor == 0)
        #expect(
            harness.feed(.settings(Self.link(2), maxStreams: 1_000)) == [
                "up 2", "submit 1 on 2/1 again", "submit 2 on 2/3 again",
            ])
        // Said again, it is the answer; and for a minute no link is replaced for it.
        #expect(harness.answer(1, link: 2, status: 429, .tooManyProviderTokenUpdates) == ["finish 1: 429"])
        _ = harness.push(4)
        #expect(harness.answer(4, link: 2, status: 429, .tooManyProviderTokenUpdates) == ["finish 4: 429"])
        harness.now = harness.now.advanced(by: .seconds(60))
        _ = harness.push(5)
        #expect(harness.answer(5, link: 2, status: 429, .tooManyProviderTokenUpdates) == ["draining 2", "dial 3"])
    }

    @Test func anUnrelatedKeyMakesAFreshLinkToo() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2)
        #expect(harness.answer(1, status: 403, .unrelatedKeyIDInToken) == ["draining 1", "dial 2"])
        #expect(harness.answer(2) == ["finish 2: 200", "close 1"])
        #expect(harness.comeUp(link: 2) == ["up 2", "submit 1 on 2/1 again"])
        // Said again, it is the answer; and for a minute no link is replaced for it, or for the other reason.
        #expect(harness.answer(1, link: 2, status: 403, .unrelatedKeyIDInToken) == ["finish 1: 403"])
        _ = harness.push(3, 4)
        #expect(harness.answer(3, link: 2, status: 403, .unrelatedKeyIDInToken) == ["finish 3: 403"])
        #expect(harness.answer(4, link: 2, status: 429, .tooManyProviderTokenUpdates) == ["finish 4: 429"])
        harness.now = harness.now.advanced(by: .seconds(60))
        _ = harness.push(5)
        #expect(harness.answer(5, link: 2, status: 403, .unrelatedKeyIDInToken) == ["draining 2", "close 2", "dial 3"])
        #expect(harness.tokensAskedFor == 0 && harness.machine.credential.refusal == nil)
    }

    @Test func withACertificateTheseAreAnswersLikeAnyOther() {
        var settings = ConnectionSettings()
        settings.usesCertificate = true
        var harness = MachineHarness.up(settings)
        _ = harness.push(1, 2)
        #expect(harness.answer(1, status: 403, .expiredProviderToken) == ["finish 1: 403"])
        #expect(harness.answer(2, status: 429, .tooManyProviderTokenUpdates) == ["finish 2: 429"])
    }

    @Test func aCallersOwnTokenIsTheCallersToRenew() throws {
        let token = try BearerToken("e30.e30.c2ln")
        var notification = PushNotification.alert(title: "A", body: "B")
        notification.authorization = token
        let head = RequestHead(
            notification, to: MachineSamples.token, defaults: RequestDefaults(topic: "com.example.app"), apnsID: nil)
        var harness = MachineHarness.up()
        _ = harness.offer([harness.record(1, head: head)])
        #expect(harness.answer(1, status: 403, .expiredProviderToken) == ["finish 1: 403"])
        #expect(harness.tokensAskedFor == 0)
    }

    @Test func aPushThatMustNotBeResentIsAnsweredAndTheTokenIsRenewedAllTheSame() {
        var harness = MachineHarness.up()
        let own = harness.record(1)
        let once = PushRecord(
            id: own.id, own.notification, head: own.head, times: own.times, policy: PushPolicy(resend: .never))
        _ = harness.offer([once])
        #expect(
            harness.answer(1, status: 403, .expiredProviderToken) == [
                "draining 1", "close 1", "dial 2", "finish 1: 403",
            ])
    }

    @Test func aLateAnswerRenewsTheTokenToo() {
        var harness = MachineHarness.up()
        _ = harness.push(1)
        #expect(harness.advance(by: .seconds(10)) == ["finish 1: timed_out unknown"])
        #expect(
            harness.answer(1, status: 403, .expiredProviderToken) == ["late 1: 403", "draining 1", "close 1", "dial 2"])
    }

    @Test func aPushThatTimesOutAfterItsTokenWasRefusedWasNotProcessed() {
        var harness = MachineHarness.up()
        _ = harness.push(1)
        _ = harness.answer(1, status: 403, .expiredProviderToken)
        #expect(harness.advance(by: .seconds(10)) == ["finish 1: timed_out unprocessed"])
    }

    @Test func aTokenThatExpiresUnderAProbeIsRenewedAndTheProbeGoesOn() {
        var harness = MachineHarness.up()
        _ = harness.feed(.goAway(Self.link(1), reason: "InvalidProviderToken"))
        _ = harness.advance(by: .seconds(60))
        _ = harness.push(1)
        _ = harness.feed(.settings(Self.link(2), maxStreams: 1))
        #expect(harness.answer(1, link: 2, status: 403, .expiredProviderToken) == ["close 2", "dial 3"])
        #expect(harness.feed(.settings(Self.link(3), maxStreams: 1)) == ["submit 1 on 3/1 again"])
        #expect(harness.answer(1, link: 3) == ["finish 1: 200", "up 3"])
    }
}
