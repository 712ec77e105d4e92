import PushHTTP2
import PushTransport
import Testing

@testable import SupervisedPush

@Suite("What arrives together is heard as one") struct BurstTests {
    private static let link = MachineHarness.link(1)

    private func burst(_ news: [LinkNews], _ harness: inout MachineHarness) -> [String] {
        harness.feed(.burst(Self.link, news, hasBytes: true))
    }

    @Test func answersBehindAPongCountBeforeIt() {
        for isAnswered in [true, false] {
            var settings = ConnectionSettings()
            settings.liveness = PushConnection.Configuration.Liveness(
                pingTimeout: .seconds(5), unanswered: .seconds(2), stall: .seconds(4))
            var harness = MachineHarness.up(settings)
            _ = harness.push(1)
            #expect(harness.advance(by: .seconds(2)) == ["ping 1/1"])
            #expect(harness.advance(by: .seconds(3)) == [])
            // The PING's answer shows that the link lives, and for 5 s no push was answered – but for the one in this burst.
            let answer = LinkNews.answered(slot: harness.slots[1] ?? -1, PushResponse(status: 200))
            let lines = burst([.pong(1)] + (isAnswered ? [answer] : []), &harness)
            #expect(lines == (isAnswered ? ["finish 1: 200"] : ["draining 1", "reconnecting 1 in 1 s"]))
        }
    }

    @Test func aLinkThatSaysGoodbyeWithItsFirstSettingsNeverWasUp() {
        var harness = MachineHarness()
        #expect(harness.feed(.start) == ["dial 1"])
        _ = harness.push(1)
        let lines = burst([.settings(maxStreams: 100), .goAway(reason: nil)], &harness)
        #expect(lines == ["abandon 1", "reconnecting 1 in 1 s"])
    }

    @Test func whatAnAnswerMakesRoomForWaitsForTheSuccessorOfALinkThatSaysGoodbye() {
        var harness = MachineHarness.up(limit: 1)
        #expect(harness.push(1, 2) == ["submit 1 on 1/1"])
        let answer = LinkNews.answered(slot: harness.slots[1] ?? -1, PushResponse(status: 200))
        let lines = burst([.settings(maxStreams: 10), answer, .goAway(reason: nil)], &harness)
        #expect(lines == ["finish 1: 200", "draining 1", "close 1", "dial 2"])
        #expect(harness.comeUp(link: 2) == ["up 2", "submit 2 on 2/1"])
    }

    @Test func whatAGoodbyeRefusesInItsBurstGoesToTheSuccessorAtOnce() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2, 3, 4)
        _ = harness.answer(4)
        let refused = [2, 3].map {
            LinkNews.streamClosed(slot: harness.slots[$0] ?? -1, .reset(.refusedStream), .written)
        }
        let answer = LinkNews.answered(slot: harness.slots[1] ?? -1, PushResponse(status: 200))
        #expect(
            burst([.goAway(reason: nil)] + refused + [answer], &harness) == [
                "draining 1", "dial 2", "finish 1: 200", "close 1",
            ])
        #expect(harness.comeUp(link: 2) == ["up 2", "submit 2 on 2/1 again", "submit 3 on 2/3 again"])
    }

    @Test func aBurstOfRefusalsSuspendsOnce() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2, 3, 4)
        let refusal = MachineHarness.response(403, .invalidProviderToken)
        let news = (1...4).map { LinkNews.answered(slot: harness.slots[$0] ?? -1, refusal) }
        #expect(
            burst(news, &harness) == [
                "finish 1: 403", "finish 2: 403", "finish 3: 403", "finish 4: 403",
                "suspended 1 s: InvalidProviderToken", "close 1",
            ])
    }

    @Test func acceptedPushesBetweenRefusalsOfABurstAreCounted() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2, 3, 4, 5, 6)
        let refusal = MachineHarness.response(403, .invalidProviderToken)
        let accepted = PushResponse(status: 200)
        let news = (1...6).map { number in
            LinkNews.answered(slot: harness.slots[number] ?? -1, number == 3 ? accepted : refusal)
        }
        let lines = burst(Array(news.prefix(5)), &harness)
        #expect(lines == ["finish 1: 403", "finish 2: 403", "finish 3: 200", "finish 4: 403", "finish 5: 403"])
        #expect(harness.machine.phase == .up)
        #expect(burst([news[5]], &harness).first == "finish 6: 403")
        #expect(harness.machine.phase == .suspended)
    }

    @Test func aWithdrawnPushWhoseStatusIsThereIsAnswered() {
        var harness = MachineHarness.up()
        harness.partialAnswers = [1: PushResponse(status: 200, isComplete: false)]
        _ = harness.push(1, 2)
        #expect(
            harness.advance(by: .seconds(10)) == ["reset 1/1", "finish 1: 200", "finish 2: timed_out unknown"])
        #expect(harness.machine.current?.open == 1)
    }

    @Test func onlyAnAttemptThatTriesARefusedCredentialLoadsItAnew() {
        var harness = MachineHarness.up(room: RoomSettings(probePause: .seconds(1)))
        #expect(harness.refreshes == [false])
        _ = harness.goAway("BadCertificateEnvironment")
        _ = harness.advance(by: .seconds(1))
        #expect(harness.push(1) == ["dial 2"])
        #expect(harness.refreshes == [false, true])
    }

    // MARK: The credential

    /// A machine whose probe is in flight on link 2.
    private func probing() -> MachineHarness {
        var harness = MachineHarness.up(room: RoomSettings(probePause: .seconds(1)))
        _ = harness.goAway("BadCertificateEnvironment")
        _ = harness.advance(by: .seconds(1))
        #expect(harness.push(1) == ["dial 2"])
        #expect(harness.comeUp(link: 2) == ["submit 1 on 2/1"])
        return harness
    }

    @Test func aProbeThatAGoodbyeRefusesEndsWithIt() {
        var harness = probing()
        let news: [LinkNews] = [
            .goAway(reason: "BadCertificateEnvironment"),
            .streamClosed(slot: harness.slots[1] ?? -1, .reset(.refusedStream), .written),
        ]
        let lines = harness.feed(.burst(MachineHarness.link(2), news, hasBytes: true))
        #expect(
            lines.sorted() == [
                "close 2", "finish 1: credential_refused unprocessed", "suspended 2 s: BadCertificateEnvironment",
            ])
        #expect(harness.room.table.count == 0 && harness.machine.phase == .suspended)
        #expect(harness.advance(by: .seconds(2)) == [] && harness.push(2) == ["dial 3"])
    }

    @Test func anAnswerAndAGoodbyeThatRefuseAProbeLengthenThePauseOnce() {
        var harness = probing()
        let news: [LinkNews] = [
            .answered(slot: harness.slots[1] ?? -1, MachineHarness.response(403, .invalidProviderToken)),
            .goAway(reason: "InvalidProviderToken"),
        ]
        let lines = harness.feed(.burst(MachineHarness.link(2), news, hasBytes: true))
        #expect(lines == ["finish 1: 403", "suspended 2 s: InvalidProviderToken", "close 2"])
    }

    @Test func refusalsAndAGoodbyeInOneBurstAreToldOnce() {
        var harness = MachineHarness.up()
        _ = harness.push(1, 2, 3)
        let refusal = MachineHarness.response(403, .invalidProviderToken)
        let news = [1, 2, 3].map { LinkNews.answered(slot: harness.slots[$0] ?? -1, refusal) }
        #expect(
            burst(news + [.goAway(reason: "InvalidProviderToken")], &harness) == [
                "finish 1: 403", "finish 2: 403", "finish 3: 403", "suspended 1 s: InvalidProviderToken", "close 1",
            ])
    }

    @Test func aSecondGoodbyeOfALinkThatIsGoneRefusesNothing() {
        var harness = MachineHarness.up()
        _ = harness.feed(.credentialOffered(CredentialOffer(isCertificate: true)))
        let news: [LinkNews] = [.goAway(reason: "BadCertificate"), .goAway(reason: "BadCertificate")]
        let lines = harness.feed(.burst(MachineHarness.link(2), news, hasBytes: true))
        #expect(lines.first == "abandon 2" && !lines.contains { $0.hasPrefix("suspended") })
        #expect(harness.machine.phase == .up && harness.push(1) == ["submit 1 on 1/1"])
    }

    @Test func aForeignTokensLastAnswerAndAGoodbyeOfItsLinkRefuseNothing() throws {
        var harness = MachineHarness.up()
        var notification = MachineSamples.push.notification
        notification.authorization = try BearerToken("e30.e30.c2ln")
        let head = RequestHead(
            notification, to: MachineSamples.token, defaults: RequestDefaults(topic: "com.example.app"), apnsID: nil)
        _ = harness.offer([harness.record(1, head: head)])
        _ = harness.goAway()
        _ = harness.comeUp(link: 2)
        let news: [LinkNews] = [
            .answered(slot: harness.slots[1] ?? -1, MachineHarness.response(403, .invalidProviderToken)),
            .goAway(reason: "InvalidProviderToken"),
        ]
        // The answer shows that the link was useful, so the pause is over.
        #expect(burst(news, &harness) == ["dial 2", "finish 1: 403", "close 1"])
        #expect(harness.machine.credential.refusal == nil && harness.room.health.refusal == nil)
    }
}
