import Foundation
import SupervisedPush
import Testing

/// What a user's test of its own handlers makes by hand.
@Suite struct HandMadeValuesTests {
    private let device: DeviceToken

    init() throws { device = try DeviceToken("beef") }

    @Test func whatHandlersAreGiven() throws {
        let now = Date.now
        let event = FeedbackEvent(deviceToken: device, invalidatedAt: now)
        #expect(event.subject == "beef" && event.reason == .unregistered)
        #expect(event.invalidates(registeredAt: now - 60) && !event.invalidates(registeredAt: now + 60))

        let late = LateResponse(.answered(PushResponse(status: 200)), to: device, context: 7)
        #expect(late.deviceToken == device && late.context as? Int == 7 && late.streamID.process == late.pid)

        let push = Push(.background(), to: device)
        let broadcast = Broadcast(try .liveActivity(.update(["a": 1])), to: try ChannelID("dHN0"))
        let handBack = HandBack(
            notSent: [push], unknown: [push, push], broadcasts: [.init(broadcast: broadcast, certainty: .unknown)])
        #expect(handBack.count == 4 && handBack.unprocessed.isEmpty)
        #expect(LifecycleMessage.handedBack(pid: ProcessID(), name: "orders", handBack).weight == 4)
    }

    @Test func whyThereIsNoLink() {
        let outage = Outage(
            cause: LinkFailure(.resolve, "The name could not be resolved."), attempt: 2, nextAttempt: .distantPast)
        #expect("\(outage)".hasPrefix("The name could not be resolved. Attempt 2 to connect begins at "))
        let refusal = CredentialRefusal(.invalidProviderToken, description: "The key is not the team's.")
        #expect(refusal.layer == .apns && "\(refusal)" == "The key is not the team's.")
        #expect(
            "\(ConnectError(.configuration))" == "configuration" && ConnectError.Code.nameTaken.name == "name_taken")
    }

    @Test func aWordIsTheSameInATextAsInJSONAndMetrics() {
        #expect(Certainty.allCases.map { "\($0)" } == ["not_sent", "unprocessed", "unknown", "answered"])
        #expect("\(PushError.Deadline.expiration)" == "expiration")
    }

    @Test func aBroadcastIsStored() throws {
        let broadcast = Broadcast(
            try .liveActivity(.update(["a": 1])), to: try ChannelID("dHN0"), bundleID: "com.example.app", context: 1)
        let again = try JSONDecoder().decode(Broadcast.self, from: JSONEncoder().encode(broadcast))
        #expect(again == broadcast && again.context == nil)
    }

    @Test func aHandBackGoesToAQueueAndComesBack() throws {
        let handBack = HandBack(notSent: (0..<3).map { Push(.alert(title: "\($0)"), to: device) })
        let again = try JSONDecoder().decode([Push].self, from: JSONEncoder().encode(handBack.notSent))
        #expect(again == handBack.notSent)
    }
}
