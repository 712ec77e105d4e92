import Foundation
import PushProtocol
import Testing

@Suite("parity: R8 – Live Activities") struct LiveActivityTests {
    private struct Delivery: Codable, Equatable {
        var driver: String
        var arrives: Date
        var code: Data
    }

    private func decoded(_ notification: PushNotification) throws -> NSDictionary {
        try #require(JSONSerialization.jsonObject(with: Data(notification.payload.bytes)) as? NSDictionary)
    }

    private func sample(_ json: String) throws -> NSDictionary {
        try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? NSDictionary)
    }

    @Test("start: attributes-type, attributes, content-state, timestamp, stale-date, input-push-channel")
    func start() throws {
        let start = try PushNotification.liveActivity(
            .start(
                "DeliveryAttributes", attributes: ["order": 4711], contentState: ["minutes": 12],
                timestamp: Date(unixSeconds: 1_700_000_000), staleDate: Date(unixSeconds: 1_700_000_600),
                input: .channel("dHN0LXNyY2gtY2hubA==")),
            alert: Alert(title: "On its way", body: .localized("ARRIVES_IN_%@", "12")), sound: "chime.aiff")
        #expect(
            try decoded(start)
                == sample(
                    """
                    {"aps":{"timestamp":1700000000,"event":"start","content-state":{"minutes":12},"stale-date":1700000600,
                    "attributes-type":"DeliveryAttributes","attributes":{"order":4711},
                    "input-push-channel":"dHN0LXNyY2gtY2hubA==",
                    "alert":{"title":"On its way","body":{"loc-key":"ARRIVES_IN_%@","loc-args":["12"]},"sound":"chime.aiff"}}}
                    """))
        #expect(start.pushType == .liveActivity)
        try start.validate(defaults: .init(topic: "com.example.app"))
    }

    @Test("input-push-token is 1")
    func startWithATokenOfItsOwn() throws {
        let start = try LiveActivity.start(
            "A", attributes: [String: Int](), contentState: ["a": 1], timestamp: Date(unixSeconds: 1), input: .token)
        let aps = try #require(try decoded(.liveActivity(start, alert: "a"))["aps"] as? NSDictionary)
        #expect(aps["input-push-token"] as? Int == 1)
        #expect(aps["attributes"] as? NSDictionary == [:])
    }

    @Test func aStartWithoutAnAlertIsNotMade() throws {
        let start = try LiveActivity.start("A", attributes: ["a": 1], contentState: ["a": 1])
        #expect(throws: InvalidPush(.keyMissing, type: .liveActivity, key: "alert")) {
            try PushNotification.liveActivity(start)
        }
        var aps = APS()
        aps.liveActivity = start
        let waived = PushNotification(payload: try Payload(aps), pushType: .liveActivity).waiving(.content)
        try waived.validate(defaults: .init(topic: "com.example.app"))
    }

    @Test func update() throws {
        let update = try PushNotification.liveActivity(
            .update(
                ["minutes": 4], timestamp: Date(unixSeconds: 1_700_000_100), staleDate: Date(unixSeconds: 1_700_000_700)
            ))
        #expect(
            try decoded(update)
                == sample(
                    """
                    {"aps":{"timestamp":1700000100,"event":"update","content-state":{"minutes":4},"stale-date":1700000700}}
                    """))
    }

    @Test("end: dismissal-date; the last state may be left out")
    func end() throws {
        #expect(
            try decoded(
                .liveActivity(
                    .end(["minutes": 0], timestamp: Date(unixSeconds: 5), dismissalDate: Date(unixSeconds: 6))))
                == sample(#"{"aps":{"timestamp":5,"event":"end","content-state":{"minutes":0},"dismissal-date":6}}"#))
        #expect(
            try decoded(.liveActivity(.end(timestamp: Date(unixSeconds: 5))))
                == sample(#"{"aps":{"timestamp":5,"event":"end"}}"#))
    }

    @Test func anEventThatIsNotKnownGoesThrough() throws {
        let pause = PushNotification.self
        let notification = try pause.liveActivity(
            LiveActivity(event: .init(rawValue: "pause"), timestamp: Date(unixSeconds: 9)))
        #expect(try decoded(notification) == sample(#"{"aps":{"timestamp":9,"event":"pause"}}"#))
        try notification.validate(defaults: .init(topic: "com.example.app"))
    }

    @Test("the content state is written as ActivityKit's decoder reads it: dates since 2001, data in base64")
    func contentStateOfAnOwnType() throws {
        let state = Delivery(
            driver: "Anna \"A.\" / 👩‍👩‍👧", arrives: Date(timeIntervalSinceReferenceDate: 12_345.5), code: Data([0, 255]))
        let notification = try PushNotification.liveActivity(.update(state, timestamp: Date(unixSeconds: 1)))
        let aps = try #require(try decoded(notification)["aps"] as? NSDictionary)
        let written = try #require(aps["content-state"] as? [String: Any])
        #expect(written["arrives"] as? Double == 12_345.5)
        #expect(written["code"] as? String == "AP8=")
        let data = try JSONSerialization.data(withJSONObject: written)
        #expect(try JSONDecoder().decode(Delivery.self, from: data) == state)
    }

    @Test func aContentStateThatIsNullIsNone() throws {
        let nothing = Delivery?.none
        for update in [
            try LiveActivity.update(nothing, timestamp: Date(unixSeconds: 1)),
            try LiveActivity.update(JSONValue.null, timestamp: Date(unixSeconds: 1)),
            try LiveActivity.update(EncodedJSON(json: Array(" null ".utf8)), timestamp: Date(unixSeconds: 1)),
        ] {
            let push = try PushNotification.liveActivity(update)
            let error = #expect(throws: InvalidPush.self) {
                try push.validate(defaults: .init(topic: "com.example.app"))
            }
            #expect(error?.key == "content-state")
            #expect(try Payload(json: push.payload.bytes) == push.payload)
        }
    }

    @Test func whatCannotBeEncodedNamesThePlaceAndNotTheValue() {
        let error = #expect(throws: InvalidPush.self) {
            try LiveActivity.update(["secret": ["depth": Double.nan]], timestamp: Date(unixSeconds: 1))
        }
        #expect(error?.code == .contentNotEncodable)
        #expect(error?.key == "secret.depth")
        #expect(throws: InvalidPush(.customValueNotFinite)) {
            try LiveActivity.update(["x": .double(.infinity)] as JSONValue, timestamp: Date(unixSeconds: 1))
        }
    }

    @Test(
        "a start, an update and a timestamp are checked before sending",
        arguments: [
            (#"{"aps":{"event":"update","content-state":{}}}"#, "timestamp"),
            (#"{"aps":{"timestamp":1,"content-state":{}}}"#, "event"),
            (#"{"aps":{"timestamp":1,"event":"update"}}"#, "content-state"),
            (#"{"aps":{"timestamp":1,"event":"start"}}"#, "content-state"),
            (#"{"aps":{"timestamp":1,"event":"start","content-state":{}}}"#, "attributes-type"),
            (#"{"aps":{"timestamp":1,"event":"start","content-state":{},"attributes-type":"A"}}"#, "attributes"),
            (
                #"{"aps":{"timestamp":1,"event":"start","content-state":{},"attributes-type":"A","attributes":{}}}"#,
                "alert"
            ),
        ])
    func whatIsMissingIsNamed(json: String, key: String) throws {
        let push = try PushNotification.raw(json: json, pushType: .liveActivity)
        let error = #expect(throws: InvalidPush.self) { try push.validate(defaults: .init(topic: "com.example.app")) }
        #expect(error?.code == .keyMissing)
        #expect(error?.key == key)
        #expect(error?.description.contains("needs \(key) in aps") == true)
        try push.waiving(.content).validate(defaults: .init(topic: "com.example.app"))
    }

    @Test(
        "parity: R8 – a date in milliseconds is refused before sending, and named",
        arguments: [
            (#"{"aps":{"timestamp":1700000000000,"event":"update","content-state":{}}}"#, "timestamp"),
            (#"{"aps":{"timestamp":1,"event":"update","content-state":{},"stale-date":1700000000000}}"#, "stale-date"),
            (#"{"aps":{"timestamp":1,"event":"end","dismissal-date":1.7e12}}"#, "dismissal-date"),
        ])
    func aDateInMillisecondsIsNamed(json: String, key: String) throws {
        try refuses(.raw(json: json, pushType: .liveActivity), .dateInMilliseconds, key)
    }

    @Test func typedDatesAreCheckedAsWell() throws {
        let state = ["a": 1]
        let late = Date(unixSeconds: 1_700_000_000_000)
        for (activity, key) in try [
            (LiveActivity.update(state, timestamp: late), "timestamp"),
            (.update(state, timestamp: Date(unixSeconds: 1), staleDate: late), "stale-date"),
            (.end(state, timestamp: Date(unixSeconds: 1), dismissalDate: late), "dismissal-date"),
        ] { try refuses(.liveActivity(activity), .dateInMilliseconds, key) }
        var update = try LiveActivity.update(state, timestamp: Date(unixSeconds: 1))
        update.dismissalDate = Date(unixSeconds: 2)
        try refuses(.liveActivity(update), .dateMisplaced, "dismissal-date")
        // Far ahead, and yet seconds.
        let far = try LiveActivity.update(
            state, timestamp: Date(unixSeconds: 4_000_000_000), staleDate: Date(unixSeconds: 99_999_999_999))
        try PushNotification.liveActivity(far).validate(defaults: Self.defaults)
    }

    @Test(
        "parity: R8 – a dismissal date of an activity that goes on is refused before sending",
        arguments: ["start", "update"])
    func aDismissalDateGoesWithTheEnd(event: String) throws {
        let json = #"{"aps":{"timestamp":1,"event":"\#(event)","content-state":{},"dismissal-date":2}}"#
        try refuses(.raw(json: json, pushType: .liveActivity), .dateMisplaced, "dismissal-date")
        let end = #"{"aps":{"timestamp":1,"event":"end","dismissal-date":0,"stale-date":null}}"#
        try PushNotification.raw(json: end, pushType: .liveActivity).validate(defaults: Self.defaults)
    }

    @Test func theDatesOfABroadcastAndOfNoOtherPushAreChecked() throws {
        let json = #"{"aps":{"timestamp":1700000000000,"event":"update","content-state":{},"alert":"a"}}"#
        let route = RequestRoute.broadcast(try ChannelID("AAAA"), bundleID: "com.example.app")
        let update = try PushNotification.raw(json: json)
        let head = RequestHead(HeadTemplate(update, for: route), apnsID: nil)
        let error = #expect(throws: InvalidPush.self) {
            try head.check(payloadBytes: update.payload.count, requiresTopic: true)
        }
        #expect(error?.code == .dateInMilliseconds)
        try PushNotification.raw(json: json, pushType: .alert).validate(defaults: Self.defaults)
    }

    private static let defaults = RequestDefaults(topic: "com.example.app")

    /// It is refused for this reason, the error names key and rule, and the rule can be waived.
    private func refuses(_ push: PushNotification, _ code: InvalidPush.Code, _ key: String) throws {
        let error = #expect(throws: InvalidPush.self) { try push.validate(defaults: Self.defaults) }
        #expect(error?.code == code && error?.key == key && error?.rule == .content)
        #expect(error?.description.contains(key) == true)
        #expect(error?.description.contains("waive the rule content") == true)
        try push.waiving(.content).validate(defaults: Self.defaults)
    }
}
