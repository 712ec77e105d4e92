import ProcessRuntime
import PushHTTP2
import PushTransport
import Testing

@testable import SupervisedPush

@Suite("parity: P7 – a refused credential ends or suspends the connection, and everyone is told")
struct SuspensionTests {
    private static let link = MachineHarness.link
    private static let givesUp = RoomSettings(probePause: .seconds(60), givesUpOnRefusal: true)
    private static let aMinute = RoomSettings(probePause: .seconds(60))
    private let alert = LinkFailure(.tls, "Our certificate was refused.", refusesCertificate: true)

    private var withCertificate: ConnectionSettings {
        var settings = ConnectionSettings()
        settings.usesCertificate = true
        return settings
    }

    /// A machine whose link was refused by GOAWAY after pushes had been accepted.
    private func suspended() -> MachineHarness {
        var harness = MachineHarness.up(room: Self.aMinute)
        _ = harness.feed(.goAway(Self.link(1), reason: "BadCertificateEnvironment"))
        return harness
    }

    // MARK: Before the first accepted push

    @Test func beforeTheFirstAcceptedPushARefusingGoAwayEndsTheProcess() {
        var harness = MachineHarness.up(limit: 1, room: Self.givesUp, wasAccepted: false)
        _ = harness.push(1, 2)
        #expect(
            harness.feed(.goAway(Self.link(1), reason: "BadCertificateEnvironment")) == [
                "finish 2: credential_refused not_sent", "refused: BadCertificateEnvironment",
            ])
        // What came too late is answered, what is in flight may still be.
        #expect(harness.push(3) == ["finish 3: credential_refused not_sent"])
        #expect(
            harness.close(1, .refusedStream) == [
                "close 1", "stop, BadCertificateEnvironment", "finish 1: credential_refused unprocessed",
            ])
    }

    @Test func aRefusingGoAwayWithNothingInFlightEndsAtOnce() {
        var harness = MachineHarness(room: Self.givesUp, wasAccepted: false)
        _ = harness.feed(.start)
        _ = harness.push(1)
        #expect(
            harness.feed(.goAway(Self.link(1), reason: "BadCertificate")) == [
                "finish 1: credential_refused not_sent", "refused: BadCertificate", "abandon 1", "stop, BadCertificate",
            ])
        #expect(harness.push(2) == ["finish 2: credential_refused not_sent"])
    }

    @Test func aPushThatIsNeverAnsweredHoldsTheEndUpForAMinuteAtMost() {
        var harness = MachineHarness.up(room: Self.givesUp, wasAccepted: false)
        let times = PushTimes(timeout: .seconds(300), timeoutFromCall: nil, deadline: nil, expiration: nil)
        _ = harness.push(1, times: times)
        _ = harness.feed(.goAway(Self.link(1), reason: "BadCertificate"))
        #expect(harness.advance(by: .seconds(59)) == [])
        #expect(
            harness.advance(by: .seconds(1)) == [
                "close 1", "finish 1: connection_lost unknown", "stop, BadCertificate",
            ])
    }

    @Test func theTLSAlertForACertificateEndsTheProcess() {
        var harness = MachineHarness(withCertificate, room: Self.givesUp, wasAccepted: false)
        _ = harness.feed(.start)
        _ = harness.push(1)
        #expect(
            harness.feed(.linkLost(Self.link(1), alert, [])) == [
                "finish 1: credential_refused not_sent", "refused: tls", "stop, refused",
            ])
    }

    @Test func withoutACertificateTheSameAlertIsAFailedAttempt() {
        var harness = MachineHarness(room: Self.givesUp, wasAccepted: false)
        _ = harness.feed(.start)
        #expect(harness.feed(.linkLost(Self.link(1), alert, [])) == ["reconnecting 1 in 1 s"])
    }

    @Test func theThird403InARowEndsTheProcessAndTheOthersAreNotSent() {
        var harness = MachineHarness.up(limit: 1, room: Self.givesUp, wasAccepted: false)
        _ = harness.push(1, 2, 3, 4, 5)
        #expect(harness.answer(1, status: 403, .invalidProviderToken) == ["finish 1: 403", "submit 2 on 1/3"])
        #expect(harness.answer(2, status: 403, .invalidProviderToken) == ["finish 2: 403", "submit 3 on 1/5"])
        #expect(
            harness.answer(3, status: 403, .invalidProviderToken) == [
                "finish 3: 403", "finish 4: credential_refused not_sent", "finish 5: credential_refused not_sent",
                "refused: InvalidProviderToken", "close 1", "stop, InvalidProviderToken",
            ])
    }

    @Test func theFirstAcceptedPushIsRemembered() {
        var harness = MachineHarness.up(room: Self.givesUp, wasAccepted: false)
        _ = harness.push(1, 2)
        #expect(harness.answer(1) == ["finish 1: 200"])
        #expect(harness.room.health.hasBeenAccepted && harness.machine.credential.isHealthy)
        #expect(harness.answer(2) == ["finish 2: 200"])
        #expect(
            harness.feed(.goAway(Self.link(1), reason: "BadCertificate")) == [
                "suspended 60 s: BadCertificate", "close 1",
            ])
    }

    @Test func pushesWithATokenOfTheirOwnSayNothingOfTheCredential() throws {
        let token = try BearerToken("e30.e30.c2ln")
        var notification = PushNotification.alert(title: "A", body: "B")
        notification.authorization = token
        let head = RequestHead(
            notification, to: MachineSamples.token, defaults: RequestDefaults(topic: "com.example.app"), apnsID: nil)
        var harness = MachineHarness.up(room: Self.givesUp, wasAccepted: false)
        for number in UInt64(1)...6 {
            _ = harness.offer([harness.record(number, head: head)])
            let status = number < 6 ? 403 : 200
            #expect(
                harness.answer(number, status: status, status == 403 ? .invalidProviderToken : nil) == [
                    "finish \(number): \(status)"
                ])
        }
        // Nor does the GOAWAY that follows from them; it is one like any other.
        #expect(
            harness.feed(.goAway(Self.link(1), reason: "InvalidProviderToken")) == ["draining 1", "close 1", "dial 2"])
    }

    // MARK: After it

    @Test func afterItWhatWaitsIsAnsweredAndTheLinkDrains() {
        var harness = MachineHarness.up(limit: 2, room: Self.aMinute)
        _ = harness.push(1, 2, 3, 4)
        #expect(
            harness.feed(.goAway(Self.link(1), reason: "BadCertificateEnvironment")) == [
                "finish 3: credential_refused not_sent", "finish 4: credential_refused not_sent",
                "suspended 60 s: BadCertificateEnvironment",
            ])
        #expect(harness.machine.phase == .suspended)
        #expect(harness.push(5) == ["finish 5: credential_refused not_sent"])
        #expect(harness.answer(1) == ["finish 1: 200"])
        #expect(harness.close(2, .refusedStream) == ["close 1", "finish 2: credential_refused unprocessed"])
        #expect(harness.machine.phase == .suspended)
    }

    @Test func aSecondGoAwayInARowChangesNothing() {
        var harness = MachineHarness.up(room: Self.aMinute)
        _ = harness.push(1)
        #expect(harness.feed(.goAway(Self.link(1), reason: "BadCertificate")) == ["suspended 60 s: BadCertificate"])
        #expect(harness.feed(.goAway(Self.link(1), reason: "BadCertificate")) == [])
        #expect(harness.answer(1) == ["finish 1: 200", "close 1"])
    }

    @Test func theReasonMayComeWithTheSecondGoAwayOnly() {
        var harness = MachineHarness.up(room: Self.aMinute)
        _ = harness.push(1, 2)
        _ = harness.answer(1)
        #expect(harness.feed(.goAway(Self.link(1), reason: nil)) == ["draining 1", "dial 2"])
        #expect(
            harness.feed(.goAway(Self.link(1), reason: "BadCertificate")) == [
                "suspended 60 s: BadCertificate", "abandon 2",
            ])
    }

    @Test func theTLSAlertSuspendsAConnectionThatWorked() {
        var harness = MachineHarness.up(withCertificate, room: Self.aMinute)
        _ = harness.push(1)
        _ = harness.answer(1)
        #expect(harness.lose() == ["reconnecting 1 in 1 s"])
        _ = harness.advance(by: .seconds(1))
        _ = harness.push(2)
        #expect(
            harness.feed(.linkLost(Self.link(2), alert, [])) == [
                "finish 2: credential_refused not_sent", "suspended 60 s: tls",
            ])
    }

    @Test func oneInAWhileIsTheProbeAndASuccessEndsIt() {
        var harness = suspended()
        #expect(harness.advance(by: .seconds(59)) == [])
        #expect(harness.push(1) == ["finish 1: credential_refused not_sent"])
        #expect(harness.advance(by: .seconds(1)) == [])
        // Of those that come together the first one tries it.
        #expect(harness.push(2, 3) == ["dial 2", "finish 3: credential_refused not_sent"])
        #expect(harness.push(4) == ["finish 4: credential_refused not_sent"])
        #expect(harness.feed(.settings(Self.link(2), maxStreams: 1)) == ["submit 2 on 2/1"])
        #expect(harness.push(5) == ["finish 5: credential_refused not_sent"])
        #expect(harness.answer(2, link: 2) == ["finish 2: 200", "up 2"])
        #expect(harness.push(6) == ["submit 6 on 2/3"])
    }

    @Test func aRefusedProbeDoublesThePause() {
        var harness = suspended()
        var pause = 60
        for (number, next) in [(UInt64(1), 120), (2, 240), (3, 480), (4, 900), (5, 900)] {
            _ = harness.advance(by: .seconds(pause - 1))
            #expect(harness.push(number * 100) == ["finish \(number * 100): credential_refused not_sent"])
            _ = harness.advance(by: .seconds(1))
            let link = UInt32(number) + 1
            #expect(harness.push(number) == ["dial \(link)"])
            #expect(harness.feed(.settings(Self.link(link), maxStreams: 1)) == ["submit \(number) on \(link)/1"])
            #expect(
                harness.answer(number, link: link, status: 403, .badCertificate) == [
                    "finish \(number): 403", "suspended \(next) s: BadCertificate", "close \(link)",
                ])
            pause = next
        }
    }

    @Test func aProbeRefusedByGoAwayIsAnsweredAsUnprocessed() {
        var harness = suspended()
        _ = harness.advance(by: .seconds(60))
        _ = harness.push(1)
        _ = harness.feed(.settings(Self.link(2), maxStreams: 1))
        #expect(
            harness.feed(.goAway(Self.link(2), reason: "BadCertificateEnvironment")) == [
                "suspended 120 s: BadCertificateEnvironment"
            ])
        #expect(harness.close(1, link: 2, .refusedStream) == ["close 2", "finish 1: credential_refused unprocessed"])
        #expect(harness.advance(by: .seconds(119)) == [])
        #expect(harness.push(2) == ["finish 2: credential_refused not_sent"])
        _ = harness.advance(by: .seconds(1))
        #expect(harness.push(3) == ["dial 3"])
    }

    @Test func aProbeThatFindsNoLinkIsAnsweredAndThePauseStays() {
        var harness = suspended()
        _ = harness.advance(by: .seconds(60))
        #expect(harness.push(1) == ["dial 2"])
        #expect(harness.lose(link: 2) == ["finish 1: credential_refused not_sent"])
        #expect(harness.machine.phase == .suspended)
        _ = harness.advance(by: .seconds(59))
        #expect(harness.push(2) == ["finish 2: credential_refused not_sent"])
        _ = harness.advance(by: .seconds(1))
        #expect(harness.push(3) == ["dial 3"])
    }

    @Test func aProbeThatTimesOutWaitingTakesItsDialAlong() {
        var harness = suspended()
        _ = harness.advance(by: .seconds(60))
        _ = harness.push(1)
        #expect(harness.advance(by: .seconds(10)) == ["finish 1: timed_out not_sent", "abandon 2"])
        #expect(harness.machine.phase == .suspended)
    }

    @Test func aProbeThatTimesOutInFlightLeavesItsLinkDraining() {
        var harness = suspended()
        _ = harness.advance(by: .seconds(60))
        _ = harness.push(1)
        _ = harness.feed(.settings(Self.link(2), maxStreams: 1))
        #expect(harness.advance(by: .seconds(10)) == ["finish 1: timed_out unknown"])
        #expect(harness.machine.phase == .suspended && harness.machine.current == nil)
        #expect(harness.push(2) == ["finish 2: credential_refused not_sent"])
        #expect(harness.answer(1, link: 2) == ["late 1: 200", "close 2"])
    }

    @Test func aProbeThatIsCancelledIsNoProbeAnyMore() {
        var harness = suspended()
        _ = harness.advance(by: .seconds(60))
        let probe = harness.record(1)
        _ = harness.offer([probe])
        #expect(harness.feed(.cancel(probe)) == ["finish 1: cancelled not_sent", "abandon 2"])
        _ = harness.advance(by: .seconds(60))
        #expect(harness.push(2) == ["dial 3"])
    }

    @Test func aProbeThatIsReturnedUnprocessedGoesOutAgain() {
        var harness = suspended()
        _ = harness.advance(by: .seconds(60))
        _ = harness.push(1)
        _ = harness.feed(.settings(Self.link(2), maxStreams: 1))
        #expect(harness.close(1, link: 2, .refusedStream) == ["submit 1 on 2/3 again"])
        #expect(harness.answer(1, link: 2) == ["finish 1: 200", "up 2"])
    }

    @Test func aProbeThatComesBackFromALinkThatSaysGoodbyeEndsAndTheNextOneDials() {
        var harness = suspended()
        _ = harness.advance(by: .seconds(60))
        // Without a timeout it would wait for a link that no other push may ask for.
        let times = PushTimes(timeout: .seconds(10), timeoutFromCall: nil, deadline: nil, expiration: nil)
        _ = harness.push(1, times: times)
        _ = harness.feed(.settings(Self.link(2), maxStreams: 1))
        #expect(harness.goAway(link: 2) == [])
        #expect(harness.close(1, link: 2, .refusedStream) == ["close 2", "finish 1: credential_refused unprocessed"])
        #expect(harness.room.table.count == 0 && !harness.room.health.isProbing)
        _ = harness.advance(by: .seconds(60))
        #expect(harness.push(2) == ["dial 3"])
    }

    @Test func aProbeOverALinkWithANewerCredentialEndsTheSuspension() {
        var harness = suspended()
        // The connection has another credential in use; the room does not know that.
        _ = harness.feed(.credentialOffered(CredentialOffer(isCertificate: false, isProven: true)))
        _ = harness.comeUp(link: 2)
        #expect(harness.push(1) == ["finish 1: credential_refused not_sent"])
        _ = harness.advance(by: .seconds(60))
        #expect(harness.push(2) == ["submit 2 on 2/1"])
        #expect(harness.answer(2, link: 2) == ["finish 2: 200"])
        #expect(harness.room.health.refusal == nil)
        #expect(harness.push(3) == ["submit 3 on 2/3"])
    }

    @Test func aProbeThatIsLostOnALinkWithANewerCredentialIsFollowedByAnother() {
        var harness = suspended()
        _ = harness.feed(.credentialOffered(CredentialOffer(isCertificate: false, isProven: true)))
        _ = harness.comeUp(link: 2)
        _ = harness.advance(by: .seconds(60))
        _ = harness.push(1)
        #expect(harness.advance(by: .seconds(10)) == ["finish 1: timed_out unknown"])
        #expect(!harness.room.health.isProbing && harness.machine.phase == .up)
        _ = harness.advance(by: .seconds(60))
        #expect(harness.push(2) == ["submit 2 on 2/3"])
    }

    @Test func aProbeAnsweredOnALinkThatSaysGoodbyeEndsTheSuspension() {
        var harness = suspended()
        _ = harness.advance(by: .seconds(60))
        _ = harness.push(1)
        _ = harness.feed(.settings(Self.link(2), maxStreams: 1))
        #expect(harness.feed(.goAway(Self.link(2), reason: "Shutdown")) == [])
        #expect(harness.answer(1, link: 2) == ["finish 1: 200", "close 2", "dial 3"])
        #expect(harness.push(2) == [])
        #expect(harness.feed(.settings(Self.link(3), maxStreams: 1)) == ["up 3", "submit 2 on 3/1"])
    }

    @Test func aSuspendedConnectionClosesAtOnceAndAProbingOneByItsDeadline() {
        var harness = suspended()
        #expect(harness.feed(.close(deadline: harness.now.advanced(by: .seconds(5)))) == ["stop"])

        var probing = suspended()
        _ = probing.advance(by: .seconds(60))
        _ = probing.push(1)
        #expect(probing.feed(.close(deadline: probing.now.advanced(by: .seconds(5)))) == [])
        #expect(probing.advance(by: .seconds(5)) == ["finish 1: closed not_sent", "close 2", "stop"])
    }

    @Test func aProbeThatDiesWithItsProcessIsFollowedByAnother() {
        var harness = suspended()
        _ = harness.advance(by: .seconds(60))
        _ = harness.push(1)
        _ = harness.feed(.settings(Self.link(2), maxStreams: 1))
        let stream = LostStream(slot: harness.slots[1] ?? -1, fate: .written, answer: nil)
        #expect(
            harness.fail([LostLink(id: Self.link(2), streams: [stream])]) == ["finish 1: connection_lost unknown"])
        _ = harness.feed(.start)
        _ = harness.advance(by: .seconds(60))
        #expect(harness.push(2) == ["dial 1"])
    }
}
