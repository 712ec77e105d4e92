import PushProtocol
import Testing

@Suite struct FeedbackEventTests {
    private static let hex = "a1b2c3d4e5f60718293a4b5c6d7e8f90"
    private static let answeredAt: Int64 = 1_800_000_000_999
    private let id = APNSID(high: 3, low: 4)

    private func event(
        _ status: Int, _ body: String, callerID: APNSID? = nil, sentID: APNSID? = nil, context: (any Sendable)? = nil
    ) throws -> FeedbackEvent? {
        FeedbackEvent.from(
            PushResponse(status: status, body: Array(body.utf8)), connectionName: "orders",
            deviceToken: try DeviceToken(Self.hex), callerID: callerID, sentID: sentID, answeredAt: Self.answeredAt,
            context: context)
    }

    @Test(
        "parity: E13 – 410 gives APNs' time in seconds and in milliseconds",
        arguments: ["Unregistered", "ExpiredToken"])
    func aTimeByAPNsIsReported(reason: String) throws {
        let event = try #require(try event(410, #"{"reason":"\#(reason)","timestamp":1700000000999}"#))
        #expect(event.reason.rawValue == reason)
        #expect(event.invalidatedAt == Date(unixSeconds: 1_700_000_000))
        #expect(event.invalidatedAtMilliseconds == 1_700_000_000_999)
        #expect(event.basis == .reported)
        #expect(event.connectionName == "orders")
        #expect(event.deviceToken.hex == Self.hex)
        #expect(!event.suspectsEnvironment)
    }

    @Test(
        "parity: E13 – without a time it is the time of the answer",
        arguments: [
            (410, "Unregistered"), (410, "ExpiredToken"), (400, "BadDeviceToken"),
        ])
    func withoutATimeTheAnswerIsTheBasis(status: Int, reason: String) throws {
        let event = try #require(try event(status, #"{"reason":"\#(reason)"}"#))
        #expect(event.invalidatedAt == Date(unixSeconds: 1_800_000_000))
        #expect(event.invalidatedAtMilliseconds == nil)
        #expect(event.basis == .observed)
    }

    @Test(
        "parity: E13 – only for an invalid token",
        arguments: [
            (200, #"{"reason":"Unregistered"}"#), (410, "{}"), (410, ""), (410, #"{"reason":"BadDeviceToken"}"#),
            (400, #"{"reason":"Unregistered"}"#), (400, #"{"reason":"DeviceTokenNotForTopic"}"#),
            (403, #"{"reason":"ExpiredProviderToken"}"#), (500, #"{"reason":"InternalServerError"}"#),
        ])
    func otherAnswersAreNoFeedback(status: Int, body: String) throws {
        #expect(try event(status, body) == nil)
    }

    @Test("parity: E13 – the subject is the caller's apns-id, else the device token")
    func theSubjectIsTheCallersIDOrTheToken() throws {
        let body = #"{"reason":"Unregistered","timestamp":1}"#
        let given = try #require(try event(410, body, callerID: id, sentID: id))
        #expect(given.subject == id.description)
        #expect(given.apnsID == id)
        let made = try #require(try event(410, body, sentID: id))
        #expect(made.subject == Self.hex)
        #expect(made.apnsID == id)
        #expect(try #require(try event(410, body)).apnsID == nil)
    }

    @Test("parity: G10 – what the caller gave along comes back")
    func theContextComesBack() throws {
        let event = try #require(try event(400, #"{"reason":"BadDeviceToken"}"#, context: 4711))
        #expect(event.context as? Int == 4711)
        let push = Push(.alert(body: "b"), to: try DeviceToken(Self.hex), context: "order 5")
        #expect(push.context as? String == "order 5")
    }

    @Test("parity: E13, F10 – a device token goes only if it was registered before it became invalid")
    func aNewerRegistrationStays() throws {
        let unregistered = try #require(try event(410, #"{"reason":"Unregistered","timestamp":1700000000900}"#))
        #expect(unregistered.invalidates(registeredAt: Date(unixSeconds: 1_699_999_999)))
        // Within the same second nobody knows.
        #expect(!unregistered.invalidates(registeredAt: Date(unixSeconds: 1_700_000_000)))
        #expect(!unregistered.invalidates(registeredAt: Date(unixSeconds: 1_700_000_001)))
        #expect(!unregistered.invalidates(registeredAt: nil), "a token that nobody knows needs no removal")
        // In the wrong environment every token is bad.
        let suspect = FeedbackEvent(
            deviceToken: try DeviceToken(Self.hex), invalidatedAt: Date(unixSeconds: 1_700_000_000),
            suspectsEnvironment: true)
        #expect(!suspect.invalidates(registeredAt: Date(unixSeconds: 0)))
    }

    @Test("parity: F10 – BadDeviceToken invalidates nothing before the environment is proven")
    func anUnprovenEnvironmentIsSuspect() throws {
        let token = try DeviceToken(Self.hex)
        let (earlier, now) = (Date(unixSeconds: 1_600_000_000), Date(unixSeconds: 1_700_000_000))
        for reason in [RejectionReason.badDeviceToken, .unregistered, .expiredToken] {
            let made = FeedbackEvent(deviceToken: token, reason: reason, invalidatedAt: now)
            #expect(made.suspectsEnvironment == (reason == .badDeviceToken))
            #expect(made.invalidates(registeredAt: earlier) == (reason != .badDeviceToken))
        }
        let proven = FeedbackEvent(
            deviceToken: token, reason: .badDeviceToken, invalidatedAt: now, suspectsEnvironment: false)
        #expect(proven.invalidates(registeredAt: earlier) && !proven.invalidates(registeredAt: now))
    }

    @Test func noDescriptionShowsTheTokenOrTheContext() throws {
        let event = try #require(try event(400, #"{"reason":"BadDeviceToken"}"#, context: "private"))
        let push = Push(.alert(body: "secret"), to: event.deviceToken, context: "private")
        var text = "\(event) \(String(reflecting: event)) \(push) \(String(reflecting: push))"
        dump(event, to: &text)
        dump(push, to: &text)
        #expect(!text.contains(Self.hex.prefix(12)))
        #expect(!text.contains("private"))
        #expect(!text.contains("secret"))
        #expect(text.contains("a1b2…8f90"))
    }
}
