import ProcessRuntime
import PushTransport
import Testing

@testable import SupervisedPush

@Suite("parity: F12 – another credential takes the place of the one in use, while pushes flow")
struct RotationTests {
    private static let link = MachineHarness.link
    private static let key = CredentialOffer(isCertificate: false)
    private static let certificate = CredentialOffer(isCertificate: true)

    /// Two pushes in flight, and a link being dialled with the other credential.
    private func offered(_ offer: CredentialOffer = key) -> MachineHarness {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2)
        #expect(harness.feed(.credentialOffered(offer)) == ["dial 2"])
        #expect(harness.machine.phase == .up)
        return harness
    }

    @Test func theOldLinkServesUntilTheOtherCredentialHasOne() {
        var harness = offered()
        #expect(harness.push(3) == ["submit 3 on 1/5"])
        #expect(harness.comeUp(link: 2) == ["accept offer", "draining 1", "up 2"])
        #expect(harness.push(4) == ["submit 4 on 2/1"])
        for number in UInt64(1)...2 { #expect(harness.answer(number) == ["finish \(number): 200"]) }
        #expect(harness.answer(3) == ["finish 3: 200", "close 1"])
    }

    @Test func aCredentialWithWhichNoLinkComesUpIsGivenBack() {
        var harness = offered()
        #expect(harness.lose(link: 2) == ["replacement failed 1 in 0.0 seconds", "decline offer, socket"])
        #expect(harness.machine.phase == .up && harness.push(3) == ["submit 3 on 1/5"])
        // Nothing is tried again.
        #expect(harness.advance(by: .seconds(60)).allSatisfy { !$0.hasPrefix("dial") })
    }

    @Test func aCertificateThatIsRefusedInTheHandshakeIsGivenBackAndNothingSuspended() {
        var harness = offered(Self.certificate)
        let alert = LinkFailure(.tls, "Our certificate was refused.", refusesCertificate: true)
        #expect(
            harness.feed(.linkLost(Self.link(2), alert, [])) == [
                "replacement failed 1 in 0.0 seconds", "decline offer, tls",
            ])
        #expect(harness.machine.phase == .up && !harness.machine.settings.usesCertificate)
    }

    @Test func aGoAwayThatRefusesTheOfferSaysNothingOfTheOldOne() {
        var harness = offered(Self.certificate)
        #expect(
            harness.goAway(link: 2, "BadCertificateEnvironment") == [
                "abandon 2", "replacement failed 1 in 0.0 seconds", "decline offer, http2",
            ])
        #expect(harness.answer(1) == ["finish 1: 200"])
    }

    @Test func anOfferThatDoesNotComeUpInTimeIsGivenBack() {
        var harness = offered()
        _ = harness.answer(1)
        _ = harness.answer(2)
        #expect(
            harness.advance(by: .seconds(15)) == [
                "abandon 2", "replacement failed 1 in 0.0 seconds", "decline offer, connect",
            ])
    }

    @Test func whereTheOldLinkIsLostTheOtherCredentialIsTaken() {
        var harness = offered()
        #expect(
            harness.lose([(1, .unprocessed), (2, .written)]) == [
                "finish 2: connection_lost unknown", "accept offer", "abandon 2", "reconnecting 1 in 1 s",
            ])
        #expect(harness.advance(by: .seconds(1)) == ["dial 3"])
        #expect(harness.comeUp(link: 3) == ["up 2", "submit 1 on 3/1 again"])
    }

    @Test func aGoAwayOnTheOldLinkLetsTheOtherOneGoOn() {
        var harness = offered()
        #expect(harness.goAway() == ["accept offer", "draining 1"])
        #expect(harness.push(3) == [] && harness.machine.phase == .dialing)
        #expect(harness.comeUp(link: 2) == ["up 2", "submit 3 on 2/1"])
    }

    @Test func withoutALinkItIsTakenAtOnce() {
        var harness = MachineHarness()
        #expect(harness.feed(.start) == ["dial 1"])
        _ = harness.push(1)
        #expect(harness.feed(.credentialOffered(Self.key)) == ["abandon 1", "accept offer", "dial 2"])
        #expect(harness.lose(link: 2) == ["reconnecting 1 in 1 s"])
        #expect(harness.feed(.credentialOffered(Self.key)) == ["accept offer", "dial 3"])
        #expect(harness.comeUp(link: 3) == ["up 1", "submit 1 on 3/1"])
    }

    @Test func itEndsASuspension() {
        var harness = MachineHarness.up()
        _ = harness.feed(.goAway(Self.link(1), reason: "BadCertificateEnvironment"))
        #expect(harness.machine.phase == .suspended)
        #expect(harness.feed(.credentialOffered(Self.key)) == ["accept offer", "dial 2"])
        #expect(harness.push(1) == [])
        #expect(harness.comeUp(link: 2) == ["up 2", "submit 1 on 2/1"])
    }

    // MARK: Loading

    private let notLoaded = LinkFailure(.credential, "The key could not be loaded from vault.")

    @Test func aLoadThatFailsIsAnOutageAndPushesWait() {
        var harness = MachineHarness(wasAccepted: false)
        _ = harness.feed(.start)
        #expect(harness.push(1) == [])
        #expect(harness.feed(.dialReached(Self.link(1), .loading)) == [])
        #expect(harness.feed(.linkLost(Self.link(1), notLoaded, [])) == ["reconnecting 1 in 1 s"])
        #expect(harness.cause == notLoaded)
        #expect(harness.push(2) == [])
        #expect(harness.advance(by: .seconds(1)) == ["dial 2"])
        #expect(harness.feed(.dialReached(Self.link(2), .loading)) == [])
        #expect(harness.feed(.linkLost(Self.link(2), notLoaded, [])) == ["reconnecting 2 in 3 s"])
        #expect(harness.advance(by: .seconds(3)) == ["dial 3"])
        #expect(
            harness.feed(.dialReached(Self.link(3), .loading)) + harness.feed(.dialReached(Self.link(3), .connecting))
                == [])
        #expect(harness.comeUp(link: 3) == ["up 1", "submit 1 on 3/1", "submit 2 on 3/3"])
        #expect(harness.answer(1, link: 3) == ["finish 1: 200"])
    }

    @Test(arguments: [true, false]) func aLoadThatHangsIsNamedAsTheCause(isLoading: Bool) {
        var harness = MachineHarness()
        _ = harness.feed(.start)
        _ = harness.feed(.dialReached(Self.link(1), .loading))
        if !isLoading { _ = harness.feed(.dialReached(Self.link(1), .connecting)) }
        #expect(harness.advance(by: .seconds(15)) == ["abandon 1", "reconnecting 1 in 1 s"])
        #expect(harness.cause?.layer == (isLoading ? .credential : .connect))
    }

    @Test func aLoadThatFailsForTheProbeEndsItAsAnyFailedAttempt() {
        var harness = MachineHarness.up()
        _ = harness.feed(.goAway(Self.link(1), reason: "BadCertificateEnvironment"))
        _ = harness.advance(by: harness.room.settings.probePause)
        #expect(harness.push(1) == ["dial 2"])
        _ = harness.feed(.dialReached(Self.link(2), .loading))
        #expect(harness.feed(.linkLost(Self.link(2), notLoaded, [])) == ["finish 1: credential_refused not_sent"])
        #expect(harness.machine.phase == .suspended)
    }

    @Test func anOfferThatCannotBeLoadedIsGivenBack() {
        var harness = offered()
        _ = harness.feed(.dialReached(Self.link(2), .loading))
        #expect(
            harness.feed(.linkLost(Self.link(2), notLoaded, [])) == [
                "replacement failed 1 in 0.0 seconds", "decline offer, credential",
            ])
        #expect(harness.machine.phase == .up)
    }

    @Test func aProbeHoldsItsDevicesLineWhenTheRefusalEnds() {
        var harness = MachineHarness.up(room: RoomSettings(probePause: .zero))
        _ = harness.feed(.goAway(Self.link(1), reason: "BadCertificateEnvironment"))
        let ordered = PushPolicy(resend: .unprocessed, ordered: .perDevice, statusRetry: .never)
        #expect(harness.push(1, policy: ordered) == ["dial 2"])
        #expect(harness.feed(.credentialOffered(Self.key)) == ["abandon 2", "accept offer", "dial 3"])
        #expect(harness.push(2, policy: ordered) == [])
        #expect(harness.comeUp(link: 3) == ["up 2", "submit 1 on 3/1"])
        #expect(harness.answer(1, link: 3) == ["finish 1: 200", "submit 2 on 3/3"])
    }

    @Test func aProbeThatOutlivesTheRefusalSuspendsNothing() {
        var harness = MachineHarness.up(room: RoomSettings(probePause: .zero))
        _ = harness.feed(.goAway(Self.link(1), reason: "BadCertificateEnvironment"))
        #expect(harness.push(1) == ["dial 2"])
        _ = harness.feed(.credentialOffered(Self.key))
        #expect(harness.comeUp(link: 3) == ["up 2", "submit 1 on 3/1"])
        #expect(harness.advance(by: .seconds(10)) == ["finish 1: timed_out unknown"])
        #expect(harness.machine.phase == .up)
        #expect(harness.push(2) == ["submit 2 on 3/3"])
    }

    @Test func refusalsOnLinksOfTheOldOneSayNothingOfTheNewOne() {
        var harness = offered()
        _ = harness.push(3)
        _ = harness.comeUp(link: 2)
        for number in UInt64(1)...3 { _ = harness.answer(number, status: 403, .invalidProviderToken) }
        #expect(harness.machine.phase == .up && harness.machine.credential.refusal == nil)
        _ = harness.push(4, 5, 6)
        for number in UInt64(4)...6 { _ = harness.answer(number, link: 2, status: 403, .invalidProviderToken) }
        #expect(harness.machine.phase == .suspended)
    }

    @Test func theOldOneRefusedMeanwhileIsNoSuspension() {
        var harness = offered()
        #expect(harness.goAway("BadCertificateEnvironment") == ["accept offer", "draining 1"])
        #expect(harness.comeUp(link: 2) == ["up 2"])
    }

    @Test func aProvenOneIsTakenAndTriedAgainUntilALinkIsUp() {
        var harness = MachineHarness.up()
        _ = harness.push(1)
        let offer = CredentialOffer(isCertificate: false, isProven: true)
        #expect(harness.feed(.credentialOffered(offer)) == ["dial 2"])
        #expect(harness.lose(link: 2) == ["replacement failed 1 in 1 s"])
        #expect(harness.advance(by: .seconds(1)) == ["dial 3"])
        #expect(harness.comeUp(link: 3) == ["draining 1", "up 2"])
    }

    @Test func anotherOfferTakesThePlaceOfTheFirst() {
        var harness = offered()
        #expect(
            harness.feed(.credentialOffered(Self.certificate)) == ["decline offer, superseded", "abandon 2", "dial 3"])
        #expect(harness.comeUp(link: 3) == ["accept offer", "draining 1", "up 2"])
        #expect(harness.machine.settings.usesCertificate)
    }

    @Test func whatAnotherConnectionCameUpWithTakesThePlaceOfAnOffer() {
        var harness = offered()
        let proven = CredentialOffer(isCertificate: true, isProven: true)
        #expect(harness.feed(.credentialOffered(proven)) == ["decline offer, superseded", "abandon 2", "dial 3"])
        #expect(harness.comeUp(link: 3) == ["draining 1", "up 2"])
    }

    @Test func aConnectionThatClosesGivesItBack() {
        var harness = offered()
        _ = harness.feed(.close(deadline: harness.now.advanced(by: .seconds(5))))
        #expect(harness.feed(.credentialOffered(Self.key)) == ["decline offer"])
        _ = harness.answer(1)
        let last = harness.answer(2)
        #expect(last == ["finish 2: 200", "close 1", "close 2", "decline offer", "stop"])
    }
}
