import PushProtocol
import Testing

/// Keeps what it is handed.
private struct RecordingSink: FieldSink {
    struct Field: Equatable {
        var name: String
        var value: String
        var indexing: TableUse
    }

    var fields: [Field] = []

    mutating func field(_ name: StaticString, _ value: UnsafeRawBufferPointer, indexing: TableUse) {
        fields.append(Field(name: "\(name)", value: String(decoding: value, as: UTF8.self), indexing: indexing))
    }

    mutating func field(_ field: RequestHeaders.Field, indexing: TableUse) {
        fields.append(Field(name: field.name, value: field.value, indexing: indexing))
    }

    subscript(name: String) -> Field? { fields.first { $0.name == name } }
}

@Suite struct RequestHeadTests {
    private let hex = "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e9f00"
    private let id = APNSID(high: 0x0123_4567_89ab_4def, low: 0x8edc_ba98_7654_3210)

    private func visited(
        _ notification: PushNotification, _ defaults: RequestDefaults = .init(), apnsID: APNSID? = nil
    ) throws -> RecordingSink {
        var sink = RecordingSink()
        let head = RequestHead(notification, to: try DeviceToken(hex), defaults: defaults, apnsID: apnsID)
        head.visit(&sink)
        return sink
    }

    @Test("parity: X3 – expiration 0, priority 10, topic, id, collapse id, timeout 10 s")
    func everyHeaderComesInWireOrder() throws {
        var notification = PushNotification.alert(body: "b")
        notification.topic = "com.example.app"
        notification.priority = .immediate
        notification.expiration = .immediately
        notification.collapseID = try CollapseID("score")
        notification.apnsID = .fixed(id)
        notification.timeout = .seconds(10)
        let resolved = RequestHead.apnsID(for: notification, defaults: .init()) { APNSID() }
        #expect(
            try visited(notification, apnsID: resolved).fields == [
                .init(name: ":path", value: "/3/device/" + hex, indexing: .never),
                .init(name: "apns-topic", value: "com.example.app", indexing: .incremental),
                .init(name: "apns-push-type", value: "alert", indexing: .incremental),
                .init(name: "apns-priority", value: "10", indexing: .incremental),
                .init(name: "apns-expiration", value: "0", indexing: .incremental),
                .init(name: "apns-collapse-id", value: "score", indexing: .firstOnly),
                .init(name: "apns-id", value: "01234567-89ab-4def-8edc-ba9876543210", indexing: .firstOnly),
            ])
        #expect(notification.timeout == .seconds(10))
    }

    @Test func whatIsNotSetIsNotSent() throws {
        #expect(try visited(.alert(body: "b")).fields.map(\.name) == [":path", "apns-push-type"])
    }

    @Test("parity: E7 – default headers are overridden per push")
    func aPushOverridesTheDefaults() throws {
        let defaults = RequestDefaults(
            topic: "com.example.default", priority: .conserving, expiration: Expiration(unixSeconds: 1_900_000_000),
            collapseID: try CollapseID("default"), pushType: .complication, apnsID: .byServer)
        let plain = try visited(.alert(body: "b"), defaults)
        #expect(plain["apns-topic"]?.value == "com.example.default.complication")
        #expect(plain["apns-priority"]?.value == "5")
        #expect(plain["apns-expiration"] == .init(name: "apns-expiration", value: "1900000000", indexing: .incremental))
        #expect(plain["apns-collapse-id"] == .init(name: "apns-collapse-id", value: "default", indexing: .incremental))
        #expect(plain["apns-push-type"]?.value == "complication")

        let own = PushNotification(
            payload: Payload(body: "b"), pushType: .alert, topic: "com.example.own", priority: .low,
            expiration: Expiration(unixSeconds: 2_000_000_000), collapseID: try CollapseID("own"), apnsID: .generated)
        let overridden = try visited(own, defaults, apnsID: id)
        #expect(overridden["apns-topic"]?.value == "com.example.own")
        #expect(overridden["apns-priority"]?.value == "1")
        #expect(
            overridden["apns-expiration"] == .init(name: "apns-expiration", value: "2000000000", indexing: .firstOnly))
        #expect(overridden["apns-collapse-id"]?.value == "own")
        #expect(overridden["apns-push-type"]?.value == "alert")

        var withoutExpiration = own
        withoutExpiration.expiration = .byServer
        #expect(try visited(withoutExpiration, defaults)["apns-expiration"] == nil)
    }

    @Test("parity: E9 – who makes the apns-id")
    func theIDIsMadeGivenOrLeftToTheServer() {
        let made = APNSID(high: 1, low: 2)
        var notification = PushNotification.alert(body: "b")
        #expect(RequestHead.apnsID(for: notification, defaults: .init()) { made } == made)
        #expect(RequestHead.apnsID(for: notification, defaults: .init(apnsID: .byServer)) { made } == nil)
        notification.apnsID = .fixed(id)
        #expect(RequestHead.apnsID(for: notification, defaults: .init(apnsID: .byServer)) { made } == id)
        notification.apnsID = .byServer
        #expect(RequestHead.apnsID(for: notification, defaults: .init()) { made } == nil)
    }

    @Test(
        "parity: R9 – background if content-available is all there is, else alert",
        arguments: [
            (#"{"aps":{"content-available":1}}"#, "background"),
            (#"{"custom":{"x":[1]},"aps":{"content-available":1.0}}"#, "background"),
            (#"{"aps":{"content-available":1,"badge":1}}"#, "alert"),
            (#"{"aps":{"content-available":0}}"#, "alert"),
            (#"{"aps":{}}"#, "alert"),
            (#"{"aps":"content-available"}"#, "alert"),
            (#"{"content-available":1}"#, "alert"),
            (#"{}"#, "alert"),
        ])
    func thePushTypeIsInferred(json: String, type: String) throws {
        let notification = try PushNotification.raw(json: json)
        #expect(try visited(notification)["apns-push-type"]?.value == type)
        #expect(try visited(.raw(json: json, pushType: .mdm))["apns-push-type"]?.value == "mdm")
    }

    @Test func backgroundPushesGoWithPriority5UnlessThePushItselfSaysElse() throws {
        #expect(try visited(.background())["apns-push-type"]?.value == "background")
        #expect(try visited(.background())["apns-priority"]?.value == "5")
        #expect(try visited(.background(), .init(priority: .immediate))["apns-priority"]?.value == "5")
        #expect(try visited(.background(), .init(priority: .low))["apns-priority"]?.value == "5")
        var explicit = PushNotification.background()
        explicit.priority = .immediate
        #expect(try visited(explicit)["apns-priority"]?.value == "10")
        #expect(try visited(.alert(contentAvailable: true))["apns-push-type"]?.value == "background")
    }

    @Test func theDefaultTopicGetsTheSuffixOfTheTypeOnce() throws {
        let suffixes: [PushType: String] = [
            .alert: "", .background: "", .voip: ".voip", .complication: ".complication",
            .fileProvider: ".pushkit.fileprovider", .mdm: "", .location: ".location-query",
            .liveActivity: ".push-type.liveactivity", .pushToTalk: ".voip-ptt", .widgets: ".push-type.widgets",
            .controls: ".push-type.controls", .accessory: ".push-type.accessory",
        ]
        #expect(suffixes.count == PushType.known.count)
        for type in PushType.known {
            let suffix = try #require(suffixes[type])
            #expect(type.topicSuffix == suffix)
            let notification = PushNotification(payload: Payload(body: "b"), pushType: type)
            #expect(try visited(notification, .init(topic: "com.x"))["apns-topic"]?.value == "com.x" + suffix)
            let suffixed = RequestDefaults(topic: Topic("com.x" + suffix))
            #expect(try visited(notification, suffixed)["apns-topic"]?.value == "com.x" + suffix)
            var own = notification
            own.topic = "com.x"
            #expect(try visited(own, suffixed)["apns-topic"]?.value == "com.x")
        }
    }

    @Test func unknownTypesAndPrioritiesGoThrough() throws {
        let notification = PushNotification(
            payload: Payload(body: "b"), pushType: PushType(rawValue: "tomorrow"), topic: "com.x",
            priority: PushPriority(rawValue: 7), expiration: Expiration(unixSeconds: 99_999_999_999))
        let sink = try visited(notification)
        #expect(sink["apns-push-type"]?.value == "tomorrow")
        #expect(sink["apns-priority"]?.value == "7")
        #expect(sink["apns-expiration"]?.value == "99999999999")
        #expect(throws: Never.self) { try notification.validate() }
    }

    @Test("parity: P4 – which expirations end waiting")
    func onlyATimeEndsWaiting() {
        #expect(Expiration(unixSeconds: 1_900_000_000).waitingEndsAt == Date(timeIntervalSince1970: 1_900_000_000))
        #expect(Expiration.immediately.waitingEndsAt == nil)
        #expect(Expiration(unixSeconds: 0).waitingEndsAt == nil, "the header says one attempt, and so does the queue")
        #expect(Expiration.byServer.waitingEndsAt == nil)
        #expect(Expiration(unixSeconds: 0) == .immediately)
        #expect(Expiration(unixSeconds: 1) == .at(Date(timeIntervalSince1970: 1.9)))
    }

    @Test("parity: E8 – a token of the caller travels with the push")
    func theCallersTokenIsInTheHead() throws {
        var notification = PushNotification.alert(body: "b")
        notification.authorization = try BearerToken("aaa.bbb.ccc")
        let head = RequestHead(notification, to: try DeviceToken(hex), defaults: .init(), apnsID: nil)
        #expect(head.authorization?.headerValue == Array("bearer aaa.bbb.ccc".utf8))
    }

    @Test func copiesAreIndependent() {
        let first = PushNotification.alert(body: "b")
        var second = first
        second.topic = "com.x"
        second.payload = Payload(body: "c")
        #expect(first.topic == nil)
        #expect(first.payload == Payload(body: "b"))
    }
}
