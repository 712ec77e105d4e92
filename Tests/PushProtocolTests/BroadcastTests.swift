import PushProtocol
import Testing

/// Keeps what it is handed, a line a field.
private struct Lines: FieldSink {
    var lines: [String] = []

    mutating func field(_ name: StaticString, _ value: UnsafeRawBufferPointer, indexing: TableUse) {
        lines.append("\(name) \(String(decoding: value, as: UTF8.self)) \(indexing)")
    }

    mutating func field(_ field: RequestHeaders.Field, indexing: TableUse) {
        lines.append("\(field.name) \(field.value) \(indexing)")
    }
}

@Suite("parity: F11 – what broadcasts and the channel management send and read") struct BroadcastTests {
    private let id = APNSID(high: 0x0123_4567_89ab_4def, low: 0x8edc_ba98_7654_3210)
    private let app = "com.example.app"
    private let update = PushNotification(payload: Payload(unchecked: Array(#"{"aps":{"event":"update"}}"#.utf8)))

    private func channel() throws -> ChannelID { try ChannelID("dHN0LXNyY2gtY2hubA+/AA==") }

    private func lines(_ notification: PushNotification, _ route: RequestRoute) -> [String] {
        let head = RequestHead(HeadTemplate(notification, for: route), apnsID: id)
        var sink = Lines()
        head.visit(&sink)
        return ["\(head.method)"] + sink.lines
    }

    private func code(_ notification: PushNotification, _ route: RequestRoute) -> InvalidPush.Code? {
        do throws(InvalidPush) {
            try RequestHead(HeadTemplate(notification, for: route), apnsID: id)
                .check(payloadBytes: notification.payloadBytes, requiresTopic: true)
            return nil
        } catch {
            #expect(error.description.count > 20 && !error.description.contains("breaks the rule"))
            let rule = PushRules.names.first { $0.rule == error.rule }?.name
            #expect(rule.map { error.description.hasSuffix("waive the rule \($0)") } ?? (error.rule == nil))
            return error.code
        }
    }

    // MARK: Channel ids

    @Test(arguments: ["A", "a+/=", "dHN0LXNyY2gtY2hubA==", String(repeating: "Z", count: 256)])
    func aChannelIDIsAnyBase64OfAnyLength(text: String) throws {
        #expect(try ChannelID(text).text == text && "\(ChannelID(text))" == text)
    }

    @Test func aTextThatCanBeNoChannelIDIsRefusedWithTheReason() {
        let cases: [(String, InvalidChannelID.Problem)] = [
            ("", .empty), (String(repeating: "A", count: 257), .tooLong(bytes: 257)), ("ab cd", .notBase64(offset: 2)),
            ("ab-_", .notBase64(offset: 2)), ("abc%3D", .notBase64(offset: 3)), ("a\r\nb", .notBase64(offset: 1)),
            ("é", .notBase64(offset: 0)),
        ]
        for (text, problem) in cases {
            let error = #expect(throws: InvalidChannelID.self) { _ = try ChannelID(text) }
            #expect(error?.problem == problem && error?.description.contains("channel id") == true)
        }
    }

    // MARK: Heads

    @Test func aBroadcastHasItsOwnPathAndHeadersAndNoTopic() throws {
        #expect(
            lines(update, .broadcast(try channel(), bundleID: app)) == [
                "POST", ":path /4/broadcasts/apps/com.example.app incremental",
                "apns-channel-id dHN0LXNyY2gtY2hubA+/AA== incremental", "apns-push-type liveactivity incremental",
                "apns-priority 10 incremental", "apns-expiration 0 incremental",
                "apns-request-id 01234567-89ab-4def-8edc-ba9876543210 never",
            ])
    }

    @Test func whatTheNotificationSaysIsSent() throws {
        var own = update
        own.priority = .conserving
        own.expiration = Expiration(unixSeconds: 1_900_000_000)
        own.topic = "com.example.app.push-type.liveactivity"
        own.pushType = PushType(rawValue: "Liveactivity")
        let route = RequestRoute.broadcast(try channel(), bundleID: app)
        #expect(
            lines(own, route).dropFirst(3).prefix(3) == [
                "apns-push-type Liveactivity incremental", "apns-priority 5 incremental",
                "apns-expiration 1900000000 firstOnly",
            ])
        #expect(code(own, route) == nil)
        own.expiration = .byServer
        #expect(lines(own, route).contains("apns-expiration 0 incremental"))
    }

    @Test func requestsToTheManagementHaveTheReferencesMethodsAndPaths() throws {
        let channel = try channel()
        let id = "apns-request-id 01234567-89ab-4def-8edc-ba9876543210 never"
        let named = "apns-channel-id \(channel) incremental"
        let path = ":path /1/apps/com.example.app/channels incremental"
        let empty = PushNotification(payload: Payload(unchecked: []))
        #expect(lines(empty, .createChannel(app)) == ["POST", path, id])
        #expect(lines(empty, .readChannel(channel, bundleID: app)) == ["GET", path, named, id])
        #expect(lines(empty, .deleteChannel(channel, bundleID: app)) == ["DELETE", path, named, id])
        #expect(
            lines(empty, .listChannels(app)) == ["GET", ":path /1/apps/com.example.app/all-channels incremental", id])
        #expect(code(empty, .listChannels(app)) == nil)
        #expect(
            RequestRoute.creation(.mostRecentMessage).bytes
                == Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8))
    }

    // MARK: Rules

    @Test func aBroadcastTakes5120BytesAndNotOneMore() throws {
        let route = RequestRoute.broadcast(try channel(), bundleID: app)
        for (size, expected) in [(0, InvalidPush.Code.payloadEmpty), (1, nil), (5_120, nil), (5_121, .payloadTooLarge)]
        {
            let payload = Payload(unchecked: [UInt8](repeating: 0x20, count: size))
            #expect(code(PushNotification(payload: payload), route) == expected)
        }
    }

    @Test func theContentIsHeldToTheRulesOfLiveActivitiesAndStartsNothing() throws {
        let route = RequestRoute.broadcast(try channel(), bundleID: app)
        func code(_ aps: String, _ waived: PushRules = []) throws -> InvalidPush.Code? {
            var notification = PushNotification(payload: try Payload(json: #"{"aps":{\#(aps)}}"#))
            notification.priority = .low
            notification.waived = waived
            return self.code(notification, route)
        }
        #expect(try code(#""timestamp":1,"event":"update","content-state":{}"#) == nil)
        #expect(try code(#""timestamp":1,"event":"end""#) == nil)
        #expect(try code(#""event":"update","content-state":{}"#) == .keyMissing)
        #expect(try code(#""event":"update","content-state":{}"#, .content) == nil)
        #expect(try code(#""timestamp":1,"event":"start","content-state":{}"#) == .startInBroadcast)
        #expect(try code(#""timestamp":1,"event":"start","content-state":{}"#, .content) == nil)
        let large = PushNotification(payload: Payload(unchecked: [UInt8](repeating: 0x20, count: 5_121)))
        var waived = large
        waived.waived = .payloadSize
        #expect(self.code(large, route) == .payloadTooLarge && self.code(waived, route) == nil)
    }

    @Test func whatABroadcastCannotBeIsFoundBeforeItIsSent() throws {
        let channel = try channel()
        #expect(code(update, .broadcast(channel, bundleID: "")) == .bundleIDMissing)
        for bundleID in ["com.example/app", "com example", "com.example?x", "com.exämple", "a%2Fb", "a\r\nb"] {
            #expect(code(update, .broadcast(channel, bundleID: bundleID)) == .invalidBundleID)
            #expect(code(update, .listChannels(bundleID)) == .invalidBundleID)
        }
        #expect(code(update, .broadcast(channel, bundleID: String(repeating: "a", count: 513))) == .topicTooLong)
        var other = update
        other.pushType = .alert
        #expect(code(other, .broadcast(channel, bundleID: app)) == .notLiveActivity)
        other.pushType = PushType(rawValue: "tomorrow")
        #expect(code(other, .broadcast(channel, bundleID: app)) == nil)
        other.pushType = PushType(rawValue: "a b")
        #expect(code(other, .broadcast(channel, bundleID: app)) == .invalidPushType)
        other = update
        other.collapseID = try CollapseID("score")
        #expect(code(other, .broadcast(channel, bundleID: app)) == .collapseIDInBroadcast)
        other = update
        other.expiration = Expiration(unixSeconds: -1)
        #expect(code(other, .broadcast(channel, bundleID: app)) == .invalidExpiration)
    }

    @Test("parity: P8 – the rules of broadcasts can be waived as well")
    func whatIsWaivedIsSent() throws {
        let route = RequestRoute.broadcast(try channel(), bundleID: app)
        var alert = update
        alert.pushType = .alert
        #expect(InvalidPush(.notLiveActivity).rule == .content)
        #expect(code(alert.waiving(.all.subtracting(.content)), route) == .notLiveActivity)
        #expect(code(alert.waiving(.content), route) == nil)
        #expect(lines(alert, route).contains("apns-push-type alert incremental"))
        var collapsing = update
        collapsing.collapseID = try CollapseID("score")
        #expect(InvalidPush(.collapseIDInBroadcast).rule == .collapseID)
        #expect(code(collapsing.waiving(.all.subtracting(.collapseID)), route) == .collapseIDInBroadcast)
        #expect(code(collapsing.waiving(.collapseID), route) == nil)
        #expect(lines(collapsing, route).contains("apns-collapse-id score firstOnly"))
    }

    @Test func aPushToADeviceIsAsItWas() throws {
        let head = RequestHead(update, to: try DeviceToken("aabb"), defaults: .init(topic: "t"), apnsID: id)
        var sink = Lines()
        head.visit(&sink)
        #expect("\(head.method)" == "POST" && head.pathLength == 14)
        #expect(sink.lines.first == ":path /3/device/aabb never")
        #expect(sink.lines.last == "apns-id \(id) firstOnly")
    }

    // MARK: Answers

    private func response(_ status: Int, _ body: String = "", _ fields: [(String, String)] = []) -> PushResponse {
        var headers = ResponseHeaders()
        for (name, value) in fields { headers.append(name: name, value: value) }
        return PushResponse(status: status, headers: headers, body: Array(body.utf8))
    }

    @Test func theIDOfACreatedChannelStandsInAHeader() throws {
        let created = response(201, "", [("apns-request-id", "\(id)"), ("apns-channel-id", "AAAA+/==")])
        #expect(try created.createdChannel == ChannelID("AAAA+/=="))
        #expect(created.requestID == id && created.apnsID == nil && created.isSuccess && !created.isAccepted)
        #expect(response(201).createdChannel == nil)
        #expect(response(201, "", [("apns-channel-id", "a b")]).createdChannel == nil)
    }

    @Test func unknownMembersOfAnswersArePassedOver() throws {
        let channel = try channel()
        let read = response(200, #"{"message-storage-policy":1,"push-type":"LiveActivity","next":{"a":[1]}}"#)
        #expect(read.channel(channel) == BroadcastChannel(id: channel, storagePolicy: .mostRecentMessage))
        #expect(response(200, #"{"message-storage-policy":7}"#).channel(channel)?.storagePolicy.rawValue == 7)
        #expect(response(200, "{}").channel(channel) == nil && response(200).channel(channel) == nil)
        let list = response(200, #"{"next-page-token":"x","channels":["AAAA","BBBB=="],"more":null}"#)
        #expect(try list.channels == [ChannelID("AAAA"), ChannelID("BBBB==")])
        #expect(response(200, #"{"channels":[]}"#).channels == [])
        for body in ["", "[]", "{}", #"{"channels":{}}"#, #"{"channels":[1]}"#, #"{"channels":["a b"]}"#] {
            #expect(response(200, body).channels == nil)
        }
    }
}
