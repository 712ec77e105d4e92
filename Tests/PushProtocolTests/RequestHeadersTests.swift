import PushProtocol
import Testing

/// Header fields of the caller's own, and a look at the whole request.
@Suite struct RequestHeadersTests {
    private let device = "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e9f00"
    private let defaults = RequestDefaults(topic: "com.example.app")

    private func push(_ name: String, _ value: String = "1") -> PushNotification {
        var push = PushNotification.alert(body: "b")
        push.headers.append(name: name, value: value)
        return push
    }

    private func fields(_ push: PushNotification, _ defaults: RequestDefaults) throws -> [String] {
        try push.request(to: DeviceToken(device), defaults: defaults).headers.fields.map { "\($0.name): \($0.value)" }
    }

    @Test func fieldsAreSentInTheirOrderBehindOursAndBeforeTheID() throws {
        var notification = PushNotification.alert(body: "b")
        notification.collapseID = try CollapseID("score")
        notification.apnsID = .fixed(APNSID(high: 1, low: 2))
        notification.headers = [
            "apns-tomorrow": "1", "x-empty": "", "x-text": "Grüße, a b", "x-two": "a", "x-two": "b",
        ]
        #expect(
            try fields(notification, defaults) == [
                ":method: POST", ":scheme: https", ":authority: api.push.apple.com", ":path: /3/device/\(device)",
                "apns-topic: com.example.app", "apns-push-type: alert", "apns-collapse-id: score", "apns-tomorrow: 1",
                "x-empty: ", "x-text: Grüße, a b", "x-two: a", "x-two: b",
                "apns-id: 00000000-0000-0001-0000-000000000002", "authorization: bearer <provider token>",
            ])
    }

    @Test func aPushOverridesTheConnectionsFieldsByName() throws {
        var defaults = defaults
        defaults.headers = ["x-gateway": "g", "x-tenant": "one", "x-tenant": "two"]
        var notification = push("x-tenant", "own")
        notification.headers["x-more"] = "m"
        let own = try fields(notification, defaults).filter { $0.hasPrefix("x-") }
        #expect(own == ["x-gateway: g", "x-tenant: own", "x-more: m"])
        let plain = try fields(.alert(body: "b"), defaults).filter { $0.hasPrefix("x-") }
        #expect(plain == ["x-gateway: g", "x-tenant: one", "x-tenant: two"])
        defaults.headers["x-tenant"] = nil
        #expect(defaults.headers == ["x-gateway": "g"] && defaults.headers["x-gateway"] == "g")
    }

    @Test(
        arguments: [
            ("", InvalidPush.Code.invalidHeaderName), ("X-Upper", .invalidHeaderName), ("x y", .invalidHeaderName),
            ("x\r\ny", .invalidHeaderName), ("x:y", .invalidHeaderName), ("grüße", .invalidHeaderName),
            (":path", .pseudoHeader), (":", .pseudoHeader), ("connection", .headerNotPermitted),
            ("te", .headerNotPermitted), ("upgrade", .headerNotPermitted), ("keep-alive", .headerNotPermitted),
            ("transfer-encoding", .headerNotPermitted), ("proxy-connection", .headerNotPermitted),
        ])
    func aNameThatCannotBeSentIsRefused(name: String, code: InvalidPush.Code) {
        let error = #expect(throws: InvalidPush.self) { try push(name, "a secret").validate(defaults: defaults) }
        #expect(error?.code == code)
        #expect(error?.description.contains("secret") == false)
        // A line of a log stays one line.
        #expect(error?.description.contains { $0.isNewline } == false)
    }

    @Test(
        arguments: [
            ("apns-topic", "topic"), ("apns-push-type", "pushType"), ("apns-priority", "priority"),
            ("apns-expiration", "expiration"), ("apns-collapse-id", "collapseID"), ("apns-id", "apnsID"),
            ("authorization", "authorization"), ("apns-channel-id", "broadcast"), ("apns-request-id", "apnsID"),
            ("content-length", "payload"), ("host", "PushConnection.Configuration.host"),
        ])
    func aFieldThatTheLibrarySetsNamesTheProperty(name: String, property: String) {
        let error = #expect(throws: InvalidPush.self) { try push(name).validate(defaults: defaults) }
        #expect(error?.code == .headerNotPermitted && error?.key == name)
        #expect(error?.description.contains("\"\(name)\"") == true)
        #expect(error?.description.contains(property) == true)
        var others = defaults
        others.headers = [name: "1"]
        #expect(throws: InvalidPush.self) { try PushNotification.alert(body: "b").validate(defaults: others) }
    }

    @Test(arguments: ["a\r\nx: y", "a\nb", "a\u{0}b", "a\tb", "\u{7f}", " a", "a "])
    func noValueBreaksOutOfItsField(value: String) {
        let error = #expect(throws: InvalidPush(.invalidHeaderValue, key: "x-field")) {
            try push("x-field", value).validate(defaults: defaults)
        }
        #expect(error?.description.contains("x-field") == true)
    }

    @Test func theirNumberAndSizeAreBounded() throws {
        func push(_ count: Int, bytes: Int) -> PushNotification {
            var push = PushNotification.alert(body: "b")
            push.headers = RequestHeaders((0..<count).map { ("x-\($0 % 10)", String(repeating: "v", count: bytes)) })
            return push
        }
        try push(32, bytes: 253).validate(defaults: defaults)
        #expect(throws: InvalidPush(.headersTooLarge, bytes: 32 * 257, limit: 8_192)) {
            try push(32, bytes: 254).validate(defaults: defaults)
        }
        #expect(throws: InvalidPush(.tooManyHeaders, bytes: 33, limit: 32)) {
            try push(33, bytes: 1).validate(defaults: defaults)
        }
    }

    @Test func aNameThatIsNoneIsShownShortAndWithoutItsControlCharacters() {
        let name = "bearer\u{1b}[31m" + String(repeating: "e", count: 100)
        let error = #expect(throws: InvalidPush.self) { try push(name).validate(defaults: defaults) }
        #expect(error?.key == "bearer?[31m" + String(repeating: "e", count: 53) + "…")
    }

    @Test func noDescriptionShowsAValue() throws {
        let notification = push("x-gateway-key", "a secret")
        var defaults = defaults
        defaults.headers = notification.headers
        let request = try notification.request(to: DeviceToken(device), defaults: defaults)
        for text in [
            "\(notification)", "\(notification.headers)", "\(notification.headers.fields)", String(reflecting: request),
            "\(Mirror(reflecting: request).children.map(\.value))",
        ] { #expect(!text.contains("secret"), "\(text)") }
        #expect("\(notification)".contains("x-gateway-key"))
        var dumped = ""
        dump(defaults, to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    @Test("what a push would send is shown without its provider token")
    func theRequestIsShown() throws {
        var notification = PushNotification.alert(body: "Boarding")
        notification.authorization = try BearerToken("aa.bb.cc")
        let token = try DeviceToken(device)
        let request = try notification.request(to: token, defaults: defaults, withProviderToken: false)
        #expect(request.path == "/3/device/\(device)" && request.bodyText == #"{"aps":{"alert":{"body":"Boarding"}}}"#)
        #expect(request.body == notification.payload.bytes)
        #expect(request.headers["authorization"] == "bearer <provider token>")
        #expect(request.headers["apns-id"] == "<made for each push>")
        #expect(request.text.hasSuffix("authorization: bearer <provider token>\n\n\(request.bodyText)\n"))
        #expect(!request.text.contains("aa.bb.cc") && !"\(request)".contains(device))
        notification.authorization = nil
        notification.apnsID = .byServer
        let withCertificate = try notification.request(to: token, host: "localhost", withProviderToken: false)
        #expect(
            withCertificate.headers.fields.map(\.name) == [
                ":method", ":scheme", ":authority", ":path", "apns-push-type",
            ])
        #expect(withCertificate.headers[":authority"] == "localhost")
        #expect(throws: InvalidPush(.topicMissing)) { try notification.request(to: token) }
    }
}
