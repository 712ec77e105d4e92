import ProcessRuntime
import PushHTTP2
import PushTransport
import Testing

@testable import SupervisedPush

@Suite("parity: F6 – a topic that is new to its link gets a fresh one")
struct TopicRefusalTests {
    private static let app: Topic = "com.example.app"
    private static let new: Topic = "com.example.new"

    private static func head(_ topic: Topic, token: BearerToken? = nil) -> RequestHead {
        var notification = PushNotification.alert(title: "A", body: "B")
        notification.topic = topic
        notification.authorization = token
        return RequestHead(notification, to: MachineSamples.token, defaults: RequestDefaults(), apnsID: nil)
    }

    private static func push(
        _ number: UInt64, to topic: Topic, token: BearerToken? = nil, _ harness: inout MachineHarness
    ) -> [String] {
        harness.offer([harness.record(number, head: head(topic, token: token))])
    }

    /// A link that has carried a push to the app.
    private static func old(_ settings: ConnectionSettings = ConnectionSettings()) -> MachineHarness {
        var harness = MachineHarness.up(settings)
        _ = push(1, to: app, &harness)
        _ = harness.answer(1)
        return harness
    }

    private static func refuse(_ number: UInt64, link: UInt32 = 1, _ harness: inout MachineHarness) -> [String] {
        harness.answer(number, link: link, status: 400, .topicDisallowed)
    }

    @Test func itsPushGoesOutOnceMoreAndTheOthersFinishOnTheOldLink() {
        var harness = Self.old()
        _ = Self.push(2, to: Self.new, &harness)
        _ = Self.push(3, to: Self.app, &harness)
        #expect(Self.refuse(2, &harness) == ["draining 1", "dial 2"])
        #expect(harness.answer(3) == ["finish 3: 200", "close 1"])
        #expect(harness.comeUp(link: 2) == ["up 2", "submit 2 on 2/1 again"])
        #expect(harness.answer(2, link: 2) == ["finish 2: 200"])
        #expect(harness.tokensAskedFor == 0 && harness.outcomes[2] == ["200"])
    }

    @Test func allOfThemInFlightGoOutOnceMoreOverTheOneFreshLink() {
        var harness = Self.old()
        for number in UInt64(2)...4 { _ = Self.push(number, to: Self.new, &harness) }
        #expect(Self.refuse(3, &harness) == ["draining 1", "dial 2"])
        #expect(Self.refuse(2, &harness) == [])
        #expect(Self.refuse(4, &harness) == ["close 1"])
        #expect(
            harness.comeUp(link: 2) == [
                "up 2", "submit 2 on 2/1 again", "submit 3 on 2/3 again", "submit 4 on 2/5 again",
            ])
    }

    @Test func refusedAgainItIsTheOutcomeForAsLongAsTheLinkLives() {
        var harness = Self.old()
        _ = Self.push(2, to: Self.new, &harness)
        _ = Self.refuse(2, &harness)
        _ = harness.comeUp(link: 2)
        #expect(Self.refuse(2, link: 2, &harness) == ["finish 2: 400"])
        harness.now = harness.now.advanced(by: .seconds(3_600))
        _ = Self.push(3, to: Self.app, &harness)
        _ = harness.answer(3, link: 2)
        _ = Self.push(4, to: Self.new, &harness)
        #expect(Self.refuse(4, link: 2, &harness) == ["finish 4: 400"])
        #expect(harness.machine.phase == .up && harness.machine.current?.id == MachineHarness.link(2))
    }

    @Test func refusedBehindAnotherPushOnTheFreshLinkItIsTheOutcomeToo() {
        var harness = Self.old()
        _ = Self.push(2, to: Self.app, &harness)
        _ = Self.push(3, to: Self.new, &harness)
        _ = Self.refuse(3, &harness)
        _ = harness.close(2, .refusedStream)
        #expect(harness.comeUp(link: 2, limit: 1) == ["up 2", "submit 2 on 2/1 again"])
        #expect(harness.answer(2, link: 2) == ["finish 2: 200", "submit 3 on 2/3 again"])
        harness.now = harness.now.advanced(by: .seconds(5))
        #expect(Self.refuse(3, link: 2, &harness) == ["finish 3: 400"])
        harness.now = harness.now.advanced(by: .seconds(60))
        _ = Self.push(4, to: Self.new, &harness)
        #expect(Self.refuse(4, link: 2, &harness) == ["finish 4: 400"])
    }

    @Test func amongTheFirstPushesOfALinkTheRefusalIsTheOutcome() {
        var harness = MachineHarness.up()
        _ = Self.push(1, to: Self.new, &harness)
        #expect(Self.refuse(1, &harness) == ["finish 1: 400"])
        _ = Self.push(2, to: Self.new, &harness)
        #expect(Self.refuse(2, &harness) == ["finish 2: 400"])

        var other = MachineHarness.up()
        _ = Self.push(1, to: Self.app, &other)
        _ = Self.push(2, to: Self.new, &other)
        #expect(other.answer(1) == ["finish 1: 200"])
        #expect(Self.refuse(2, &other) == ["finish 2: 400"])
    }

    @Test(arguments: [200, 410]) func onceTheLinkHasCarriedItARefusalIsTheOutcome(_ status: Int) {
        var harness = Self.old()
        _ = Self.push(2, to: Self.new, &harness)
        _ = harness.answer(2, status: status, status == 200 ? nil : .unregistered)
        _ = Self.push(3, to: Self.new, &harness)
        #expect(Self.refuse(3, &harness) == ["finish 3: 400"])
    }

    @Test func aLinkIsReplacedForItOnceAMinute() {
        var harness = Self.old()
        _ = Self.push(2, to: Self.new, &harness)
        _ = Self.refuse(2, &harness)
        _ = harness.comeUp(link: 2)
        #expect(harness.answer(2, link: 2) == ["finish 2: 200"])
        _ = Self.push(3, to: "com.example.newer", &harness)
        #expect(Self.refuse(3, link: 2, &harness) == ["finish 3: 400"])
        harness.now = harness.now.advanced(by: .seconds(60))
        _ = Self.push(4, to: "com.example.newer", &harness)
        #expect(Self.refuse(4, link: 2, &harness) == ["draining 2", "close 2", "dial 3"])
        #expect(harness.comeUp(link: 3) == ["up 3", "submit 4 on 3/1 again"])
        #expect(harness.answer(4, link: 3) == ["finish 4: 200"])
    }

    @Test func onALinkThatDrainsAnywayItGoesOverTheSuccessor() {
        var harness = Self.old()
        _ = Self.push(2, to: Self.new, &harness)
        _ = harness.goAway()
        #expect(Self.refuse(2, &harness) == ["close 1"])
        #expect(harness.comeUp(link: 2) == ["up 2", "submit 2 on 2/1 again"])
        // That was no replacement for a topic.
        #expect(harness.answer(2, link: 2) == ["finish 2: 200"])
        _ = Self.push(3, to: "com.example.newer", &harness)
        #expect(Self.refuse(3, link: 2, &harness) == ["draining 2", "close 2", "dial 3"])
    }

    @Test func withACertificateOrATokenOfItsOwnTheRefusalIsTheOutcome() throws {
        var settings = ConnectionSettings()
        settings.usesCertificate = true
        var harness = Self.old(settings)
        _ = Self.push(2, to: Self.new, &harness)
        #expect(Self.refuse(2, &harness) == ["finish 2: 400"])

        var other = Self.old()
        _ = Self.push(2, to: Self.new, token: try BearerToken("e30.e30.c2ln"), &other)
        #expect(Self.refuse(2, &other) == ["finish 2: 400"])
    }

    @Test func aPushThatMustNotBeResentIsAnsweredAndTheLinkIsReplacedAllTheSame() {
        var harness = Self.old()
        _ = harness.offer([harness.record(2, policy: PushPolicy(resend: .never), head: Self.head(Self.new))])
        #expect(Self.refuse(2, &harness) == ["draining 1", "close 1", "dial 2", "finish 2: 400"])
    }

    @Test func aLateRefusalReplacesTheLinkToo() {
        var harness = Self.old()
        _ = Self.push(2, to: Self.new, &harness)
        #expect(harness.advance(by: .seconds(10)) == ["finish 2: timed_out unknown"])
        #expect(Self.refuse(2, &harness) == ["late 2: 400", "draining 1", "close 1", "dial 2"])
    }

    @Test func aPushThatTimesOutBeforeTheFreshLinkIsUpWasNotProcessed() {
        var harness = Self.old()
        _ = Self.push(2, to: Self.new, &harness)
        _ = Self.refuse(2, &harness)
        #expect(harness.advance(by: .seconds(10)) == ["finish 2: timed_out unprocessed"])
    }

    @Test func oneOfVeryManyTopicsThatIsRefusedIsRememberedAllTheSame() {
        var topics = LinkTopics()
        for number in 0..<LinkTopics.most {
            topics.wrote(Self.head(Topic("com.example.app\(number)")).template, isEarly: number == 0)
            topics.carried(Topic("com.example.app\(number)"))
        }
        #expect(!topics.awaitsProof)
        topics.wrote(Self.head(Self.new).template, isEarly: false)
        #expect(!topics.awaitsProof)
        let answers = [false, true, false].map { topics.refused(Self.new, isAgain: $0) }
        #expect(answers == [true, false, false] && !topics.awaitsProof)
    }

    @Test func answersAreNotedUntilEachTopicHasOne() {
        var topics = LinkTopics()
        topics.wrote(Self.head(Self.app).template, isEarly: true)
        topics.wrote(Self.head(Self.new).template, isEarly: false)
        topics.carried(Self.app)
        #expect(topics.awaitsProof)
        topics.carried(Self.new)
        #expect(!topics.awaitsProof)
        topics.wrote(Self.head(Self.app).template, isEarly: false)
        #expect(!topics.awaitsProof)
    }
}
