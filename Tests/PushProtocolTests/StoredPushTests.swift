import Foundation
import PushProtocol
import Testing

/// Pushes and what belongs to them as JSON, as a job queue keeps them.
@Suite struct StoredPushTests {
    private static let token = "a1b2c3d4e5f60718293a4b5c6d7e8f90"

    private struct Order: Codable {
        var order = 4711
    }

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func decoded<Value: Decodable>(_ json: String, as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(json.utf8))
    }

    private func stored<Value: Codable>(_ value: Value) throws -> Value { try decoded(try json(value)) }

    private static var kinds: [PushNotification] {
        get throws {
            [
                .alert(title: "Flight A998", body: "Ünïcode \"quoted\" / \u{1F6EB}"), try .alert("Boarding"),
                try .alert(title: "t", content: ["n": 1.5, "null": nil, "list": [true]]),
                try .alert(APS(alert: Alert(title: .localized("K_%@", "x")), sound: .critical()), content: Order()),
                .background(), try .background(content: Order()), try .voip(Order()), try .pushToTalk(Order()),
                .accessory(encryptedData: [1], sessionIdentifier: "s", keyID: [2], messageIndex: 3),
                try .complication(Order()), .fileProvider(domain: "d"), .location(), .widgets(), .controls(),
                .mdm(pushMagic: "magic"), .wallet(), .safari(title: "t", body: "b", urlArguments: []),
                try .liveActivity(
                    .start("A", attributes: Order(), contentState: Order(), input: .token), alert: "On its way"),
                try .liveActivity(.update(Order(), staleDate: .now + 600), sound: "chime.aiff", relevanceScore: 7),
                try .liveActivity(.end(dismissalDate: .now)), try .raw(json: #" {"aps": {"alert": null}, "a":1} "#),
                try .raw(json: "{}", pushType: PushType(rawValue: "tomorrow")),
                PushNotification(payload: Payload(unchecked: [0xff, 0x00, 0x7b])),
                PushNotification(payload: Payload(unchecked: Array(#"{"aps":{"content-available":1}}"#.utf8))),
            ]
        }
    }

    @Test func everyKindOfNotificationComesBackAsItWas() throws {
        for notification in try Self.kinds {
            let again = try stored(notification)
            #expect(again == notification)
            #expect(again.payload.bytes == notification.payload.bytes)
        }
    }

    @Test func everythingThatIsSetComesBack() throws {
        var notification = PushNotification(
            payload: Payload(title: "Flight A998"), pushType: .alert, topic: "com.example.app", priority: .conserving,
            expiration: .at(Date(timeIntervalSince1970: 1_900_000_000.7)), collapseID: try CollapseID("A998"),
            apnsID: .fixed(APNSID(high: 1, low: 2)), timeout: .milliseconds(2_100))
        notification.waived = [.priority, .content]
        notification.headers = ["apns-tomorrow": "1", "empty": ""]
        #expect(
            try json(notification) == """
                {"apnsID":"00000000-0000-0001-0000-000000000002","collapseID":"A998","expiration":1900000000,\
                "headers":[{"name":"apns-tomorrow","value":"1"},{"name":"empty","value":""}],\
                "payload":"{\\"aps\\":{\\"alert\\":{\\"title\\":\\"Flight A998\\"}}}","priority":5,"pushType":"alert",\
                "timeoutSeconds":2.1,"topic":"com.example.app","waived":["priority","content"]}
                """)
        #expect(try stored(notification) == notification)
        for timeout: Duration in [.zero, .milliseconds(100), .nanoseconds(1), .seconds(86_400) + .nanoseconds(7)] {
            notification.timeout = timeout
            #expect(try stored(notification).timeout == timeout)
        }
        for policy: APNSIDPolicy in [.generated, .byServer] {
            notification.apnsID = policy
            #expect(try stored(notification) == notification)
        }
        for expiration: Expiration in [.byServer, .immediately, .init(unixSeconds: .max), .init(unixSeconds: -1)] {
            notification.expiration = expiration
            #expect(try stored(notification) == notification)
        }
        for rules: PushRules in [.all, .payloadSize] {
            notification.waived = rules
            #expect(try stored(notification).waived == rules)
        }
    }

    @Test func aPushIsItsDeviceAndItsNotification() throws {
        let push = Push(.background(), to: try DeviceToken(Self.token), context: "order 5")
        #expect(
            try json(push) == """
                {"deviceToken":"\(Self.token)","notification":\
                {"payload":"{\\"aps\\":{\\"content-available\\":1}}","pushType":"background"}}
                """)
        let again = try stored(push)
        #expect(again == push && again.hashValue == push.hashValue)
        #expect(again.context == nil)
        #expect(again != Push(.wallet(), to: push.deviceToken))
    }

    @Test func aProviderTokenOfItsOwnIsNotStored() throws {
        var notification = PushNotification.alert(body: "b")
        notification.authorization = try BearerToken("aaaaaa.bbbbbb.cccccc")
        let error = #expect(throws: EncodingError.self) { try json(notification) }
        #expect("\(String(describing: error))".contains("set authorization to nil"))
        #expect(!"\(String(describing: error))".contains("bbbbbb"))
    }

    @Test func valuesAreTextsAndNumbers() throws {
        struct Row: Codable, Equatable {
            var token: DeviceToken
            var id: APNSID
            var topic: Topic
            var channel: ChannelID
            var reason: RejectionReason
            var priority: PushPriority
        }
        let row = Row(
            token: try DeviceToken("AbCd"), id: APNSID(high: 0, low: 255), topic: "com.example.app",
            channel: try ChannelID("dHN0LXNyY2gtY2hubA=="), reason: .unregistered, priority: .immediate)
        #expect(
            try json(row) == """
                {"channel":"dHN0LXNyY2gtY2hubA==","id":"00000000-0000-0000-0000-0000000000ff","priority":10,\
                "reason":"Unregistered","token":"AbCd","topic":"com.example.app"}
                """)
        #expect(try stored(row) == row)
        #expect(try stored(row).token.hex == "AbCd")
        let long = try CollapseID(String(repeating: "x", count: 100), maxBytes: 512)
        #expect(try stored(long) == long)
    }

    @Test func feedbackComesBackWithItsExactTime() throws {
        let event = FeedbackEvent(
            deviceToken: try DeviceToken(Self.token), reason: .expiredToken,
            invalidatedAt: Date(timeIntervalSince1970: 1_700_000_000.123), connectionName: "orders",
            apnsID: APNSID(high: 0, low: 1), context: "private")
        #expect(
            try json(event) == """
                {"apnsID":"00000000-0000-0000-0000-000000000001","basis":"reported","connectionName":"orders",\
                "deviceToken":"\(Self.token)","invalidatedAtMilliseconds":1700000000123,"reason":"ExpiredToken",\
                "subject":"\(Self.token)","suspectsEnvironment":false}
                """)
        let again = try stored(event)
        #expect(again.invalidatedAtMilliseconds == 1_700_000_000_123 && again.basis == .reported)
        #expect(again.invalidatedAt == Date(timeIntervalSince1970: 1_700_000_000))
        #expect(try json(again) == json(event) && again.context == nil)
        let observed = FeedbackEvent(deviceToken: event.deviceToken, invalidatedAt: .now, basis: .observed)
        #expect(try stored(observed).invalidatedAtMilliseconds == nil)
    }

    @Test(arguments: [
        (#"{"deviceToken":"beef123z","notification":{"payload":"{}"}}"#, "offset 7"),
        (#"{"deviceToken":"beef123","notification":{"payload":"{}"}}"#, "7 digits"),
        (#"{"deviceToken":"beef1234","notification":{"payload":"[beef]"}}"#, "not JSON"),
        (#"{"deviceToken":"beef1234","notification":{"payload":{"unchecked":"beef!"}}}"#, "not base64"),
        (#"{"deviceToken":"beef1234","notification":{"payload":"{}","apnsID":"beef"}}"#, "8-4-4-4-12"),
        (#"{"deviceToken":"beef1234","notification":{"payload":"{}","collapseID":" beef"}}"#, "collapse id"),
        (#"{"deviceToken":"beef1234","notification":{"payload":"{}","waived":["beef"]}}"#, "no rule"),
        (#"{"deviceToken":"beef1234","notification":{"payload":"{}","timeoutSeconds":1e300}}"#, "timeout"),
    ])
    func whatIsNotValidIsRefused(json: String, what: String) throws {
        let error = #expect(throws: DecodingError.self) { try decoded(json, as: Push.self) }
        let text = "\(String(describing: error))"
        #expect(text.contains(what))
        #expect(!text.contains("beef"))
    }

    @Test func namesOfLaterVersionsAreIgnored() throws {
        let push = try decoded(
            #"{"deviceToken":"beef","notification":{"payload":"{}","mood":1},"more":[]}"#, as: Push.self)
        #expect(push.notification.payload.bytes == Array("{}".utf8))
    }
}
