import ProcessRuntime
import Testing

@testable import PushProtocol

@Suite("parity: R9, P8 – what follows from the push type") struct PushTypeRulesTests {
    private let defaults = RequestDefaults(topic: "com.example.app")

    private func head(_ push: PushNotification, _ defaults: RequestDefaults? = nil) throws -> HeadTemplate {
        HeadTemplate(push, defaults: defaults ?? self.defaults)
    }

    private func push(
        _ type: PushType, topic: Topic? = nil, priority: PushPriority? = nil, expiration: Expiration? = nil,
        json: String? = nil
    ) throws -> PushNotification {
        let payload = try json.map { try Payload(json: $0) } ?? Payload(unchecked: Array("{}".utf8))
        return PushNotification(
            payload: payload, pushType: type, topic: topic, priority: priority, expiration: expiration)
    }

    @Test(
        "the topic's suffix",
        arguments: zip(
            PushType.known,
            [
                "", "", ".voip", ".complication", ".pushkit.fileprovider", "", ".location-query",
                ".push-type.liveactivity", ".voip-ptt", ".push-type.widgets", ".push-type.controls",
                ".push-type.accessory",
            ]))
    func topics(type: PushType, suffix: String) throws {
        #expect(try head(push(type)).topic?.rawValue == "com.example.app" + suffix)
        // One that is given with the push has to have it.
        try push(type, topic: Topic("com.example.app" + suffix)).validate()
        guard !suffix.isEmpty else { return }
        let error = #expect(throws: InvalidPush.self) { try push(type, topic: "com.example.app").validate() }
        #expect(error?.code == .topicSuffixMissing)
        #expect(error?.rule == .topicSuffix)
        #expect(error?.description.contains(suffix) == true)
        try push(type, topic: "com.example.app").waiving(.topicSuffix).validate()
        try push(type, topic: "com.example.app").validate(defaults: .init(waived: .topicSuffix))
    }

    @Test(
        "a topic with the suffix of another type is refused, whoever gave it",
        arguments: [
            (PushType.alert, "com.example.app.voip", ".voip"),
            (.background, "com.example.app.complication", ".complication"),
            (.alert, "com.example.app.push-type.liveactivity", ".push-type.liveactivity"),
            (.liveActivity, "com.example.app.voip.push-type.liveactivity", ".voip"),
            (.voip, "com.example.app.voip.voip", ".voip"),
        ])
    func topicsOfOtherTypes(type: PushType, topic: String, suffix: String) throws {
        let own = try push(type, topic: Topic(topic))
        let error = #expect(throws: InvalidPush.self) { try own.validate() }
        #expect(error?.code == .topicSuffixOfOtherType && error?.key == suffix)
        #expect(error?.rule == .topicSuffix)
        #expect(error?.description.contains("ends with \(suffix),") == true)
        #expect(error?.description.contains("waive the rule topic-suffix") == true)
        try own.waiving(.topicSuffix).validate()
        let inherited = RequestDefaults(topic: Topic(topic))
        let again = #expect(throws: InvalidPush.self) { try push(type).validate(defaults: inherited) }
        #expect(again == error)
        // What Apple adds later may be called so.
        try push(PushType(rawValue: "tomorrow"), topic: Topic(topic)).validate()
    }

    @Test func aCertificateThatBringsItsTopicIsNotLookedAt() throws {
        try push(.alert).validate(defaults: RequestDefaults(), requiresTopic: false)
    }

    @Test(
        "a time that is not in seconds is refused with the seconds that were meant",
        arguments: [
            (Int64(1_795_740_300_000), "milliseconds"), (1_795_740_300_999, "milliseconds"),
            (1_795_740_300_000_000, "microseconds"), (1_795_740_300_000_000_000, "nanoseconds"),
        ])
    func expirationsInOtherUnits(number: Int64, unit: String) throws {
        let late = try push(.alert, expiration: Expiration(unixSeconds: number))
        let error = #expect(throws: InvalidPush.self) { try late.validate(defaults: defaults) }
        #expect(error?.code == .expirationInMilliseconds && error?.rule == .expiration)
        #expect(
            error?.description.contains("in \(unit), but APNs expects seconds since 1970: give 1795740300;") == true)
        try late.waiving(.expiration).validate(defaults: defaults)
        let inherited = RequestDefaults(topic: "com.example.app", expiration: Expiration(unixSeconds: number))
        let again = #expect(throws: InvalidPush.self) { try push(.alert).validate(defaults: inherited) }
        #expect(again == error)
        let dates = RequestDefaults(topic: "com.example.app")
        #expect(throws: Never.self) {
            try push(.alert, expiration: Expiration(unixSeconds: 99_999_999_999)).validate(defaults: dates)
        }
    }

    @Test(
        "an accessory's answer is complete and alone",
        arguments: [
            ("encryptedData", #""encryptedData":"a b""#, "in base64"),
            ("encryptedData", #""encryptedData":"""#, "in base64"),
            ("keyID", #""keyID":7"#, "in base64"), ("sessionIdentifier", #""sessionIdentifier":"""#, "a string"),
            ("messageIndex", #""messageIndex":42"#, "a number as a string"),
            ("messageIndex", #""messageIndex":"-1""#, "a number as a string"), ("keyID", nil, "in base64"),
        ])
    func accessories(key: String, member: String?, form: String) throws {
        let members = [
            "encryptedData": #""encryptedData":"ZGF0YQ==""#, "sessionIdentifier": #""sessionIdentifier":"s-1""#,
            "keyID": #""keyID":"a2V5""#, "messageIndex": #""messageIndex":"18446744073709551615""#,
        ]
        func answer(_ members: [String: String]) throws -> PushNotification {
            try push(.accessory, json: #"{"aps":{\#(members.values.sorted().joined(separator: ","))}}"#)
        }
        try answer(members).validate(defaults: defaults)
        var spoiled = members
        spoiled[key] = member
        let error = #expect(throws: InvalidPush.self) { try answer(spoiled).validate(defaults: defaults) }
        #expect(error?.code == .keyMissing && error?.key == key)
        #expect(error?.description.contains("an accessory push needs \(key) in aps, \(form);") == true)
        try answer(spoiled).waiving(.content).validate(defaults: defaults)
        for more in [#""alert":"a""#, #""content-available":1"#, #""more":{}"#] {
            let error = #expect(throws: InvalidPush.self) {
                try answer(members.merging(["more": more]) { $1 }).validate(defaults: defaults)
            }
            #expect(error?.code == .contentNotAlone)
        }
    }

    @Test(
        "the type is inferred: background if content-available is all there is, else alert",
        arguments: [
            (#"{"aps":{"content-available":1}}"#, PushType.background),
            (#"{"aps":{"content-available":1},"custom":1}"#, .background),
            (#"{"aps":{"content-available":1,"alert":null,"badge": null}}"#, .background),
            (#"{"aps":{"content-available":1,"badge":1}}"#, .alert),
            (#"{"aps":{"content-available":0}}"#, .alert), (#"{"aps":{"alert":"a"}}"#, .alert), ("{}", .alert),
        ])
    func inference(json: String, type: PushType) throws {
        #expect(try head(.raw(json: json)).pushType == type)
        #expect(try head(.raw(json: json, pushType: .voip)).pushType == .voip)
        #expect(try head(.raw(json: json), .init(topic: "t", pushType: .mdm)).pushType == .mdm)
    }

    @Test(
        "the priority, where nobody sets one and where the connection's default is not permitted",
        arguments: [
            (PushType.background, nil, 5), (.background, 10, 5), (.background, 1, 5), (.background, 5, 5),
            (.voip, nil, 10),
            (.voip, 5, 10), (.pushToTalk, nil, 10), (.pushToTalk, 1, 10), (.liveActivity, nil, nil),
            (.liveActivity, 1, 5), (.liveActivity, 5, 5), (.liveActivity, 10, 10), (.alert, nil, nil), (.alert, 1, 1),
            (.location, 5, 5),
            (PushType(rawValue: "new"), 1, 1),
        ] as [(PushType, Int?, Int?)])
    func derivedPriorities(type: PushType, standard: Int?, sent: Int?) throws {
        var defaults = defaults
        defaults.priority = standard.map { PushPriority(rawValue: $0) }
        #expect(try head(push(type), defaults).priority?.rawValue == sent)
        try push(type).validate(defaults: defaults)
    }

    @Test(
        "a priority that the type does not permit is an error that names it",
        arguments: [
            (PushType.background, 10), (.background, 1), (.voip, 5), (.pushToTalk, 5), (.liveActivity, 1),
        ])
    func priorities(type: PushType, priority: Int) throws {
        let notification = try push(type, priority: PushPriority(rawValue: priority))
        let error = #expect(throws: InvalidPush.self) { try notification.validate(defaults: defaults) }
        #expect(error?.code == .priorityNotPermitted)
        #expect(error?.pushType == type)
        #expect(error?.description.contains("\(type) push") == true)
        try notification.waiving(.priority).validate(defaults: defaults)
        #expect(try head(notification.waiving(.priority)).priority?.rawValue == priority)
    }

    @Test func aPriorityThatIsNotKnownGoesThrough() throws {
        let seven = PushPriority(rawValue: 7)
        try push(.background, priority: seven).validate(defaults: defaults)
        #expect(try head(push(.background), .init(topic: "t", priority: seven)).priority == seven)
    }

    @Test("calls and push to talk expire at once; push to talk only so")
    func expirations() throws {
        let day = RequestDefaults(topic: "com.example.app", expiration: Expiration(unixSeconds: 2_000_000_000))
        #expect(try head(push(.voip), day).expiration == .immediately)
        #expect(try head(push(.pushToTalk), day).expiration == .immediately)
        #expect(try head(push(.alert), day).expiration == Expiration(unixSeconds: 2_000_000_000))
        try push(.voip, expiration: Expiration(unixSeconds: 1_900_000_000)).validate(defaults: day)
        let late = try push(.pushToTalk, expiration: Expiration(unixSeconds: 1_900_000_000))
        let error = #expect(throws: InvalidPush.self) { try late.validate(defaults: day) }
        #expect(error?.code == .expirationNotPermitted)
        try late.waiving(.expiration).validate(defaults: day)
        try push(.pushToTalk, expiration: Expiration(unixSeconds: 0)).validate(defaults: day)
    }

    @Test(
        "a background push shows nothing",
        arguments: [
            #"{"aps":{"content-available":1,"alert":"a"}}"#, #"{"aps":{"content-available":1,"sound":"default"}}"#,
            #"{"aps":{"content-available":1,"badge":0}}"#,
        ])
    func background(json: String) throws {
        let error = #expect(throws: InvalidPush.self) { try push(.background, json: json).validate(defaults: defaults) }
        #expect(error?.code == .contentNotAlone)
        try push(.background, json: json).waiving(.content).validate(defaults: defaults)
        try push(.background, json: json).validate(defaults: .init(topic: "t", waived: .all))
    }

    @Test(
        "an alert has something in it",
        arguments: [
            #"{"aps":{}}"#, #"{ "aps" : { } }"#, #"{"aps":{"alert":null}}"#,
        ])
    func emptyAlert(json: String) throws {
        for empty in [PushNotification.alert(), try .raw(json: json), try push(.alert, json: json)] {
            let error = #expect(throws: InvalidPush.self) { try empty.validate(defaults: defaults) }
            #expect(error?.code == .contentMissing && error?.rule == .content)
            #expect(error?.description.contains("waive the rule content") == true)
            try empty.waiving(.content).validate(defaults: defaults)
            try empty.validate(defaults: .init(topic: "com.example.app", waived: .content))
            // Wallet's pushes are alerts, and often have an empty aps.
            try empty.validate(defaults: .init(topic: "pass.com.example.ticket"))
            try empty.validate(requiresTopic: false)
        }
    }

    @Test(
        "whatever an alert has in it is enough",
        arguments: [
            #"{"aps":{"badge":0}}"#, #"{"aps":{"mutable-content":1}}"#, #"{"aps":{"content-available":1,"sound":"a"}}"#,
            #"{"aps":{},"order":7}"#, #"{"aps":{"category":"c"}}"#, "{}", #"{"order":7}"#,
        ])
    func fullAlert(json: String) throws { try push(.alert, json: json).validate(defaults: defaults) }

    @Test func whatIsWrittenHasTheFactsOfItsJSON() throws {
        for payload in [
            Payload(), try Payload(APS(), content: [String: Int]()), try Payload(APS(), content: ["order": 7]),
            Payload(badge: 0), Payload(mutableContent: true), Payload(contentAvailable: true),
            try Payload(content: ["order": 7]),
        ] { #expect(payload.facts == PayloadFacts(of: payload.bytes)) }
        #expect(try Payload(APS(), content: [String: Int]()) == Payload())
        try PushNotification.wallet().validate(defaults: defaults)
        try PushNotification.location().validate(defaults: defaults)
        try PushNotification.background().validate(defaults: defaults)
    }

    @Test(
        "a key that the type needs",
        arguments: [
            (PushType.background, "content-available"), (.widgets, "content-changed"), (.controls, "content-changed"),
            (.mdm, "mdm"), (.liveActivity, "timestamp"),
        ])
    func neededKeys(type: PushType, key: String) throws {
        let error = #expect(throws: InvalidPush.self) {
            try push(type, json: #"{"aps":{"badge":1},"x":1}"#).validate(defaults: defaults)
        }
        #expect(error?.code == .keyMissing)
        #expect(error?.key == key)
        try push(type, json: #"{"aps":{"badge":1}}"#).waiving(.content).validate(defaults: defaults)
        // Of bytes that nobody looked at, no rule speaks.
        try push(type).validate(defaults: defaults)
    }

    @Test(
        "null is as good as nothing",
        arguments: [
            (PushType.background, #"{"aps":{"content-available":null}}"#, "content-available"),
            (.mdm, #"{"mdm": null}"#, "mdm"), (.liveActivity, #"{"aps":{"timestamp":1,"event":null}}"#, "event"),
            (.liveActivity, #"{"aps":{"timestamp":null,"event":"end"}}"#, "timestamp"),
            (.liveActivity, #"{"aps":{"timestamp":1,"event":"update","content-state":null}}"#, "content-state"),
            (.widgets, #"{"aps":{"content-changed":null}}"#, "content-changed"),
        ])
    func nulls(type: PushType, json: String, key: String) throws {
        let error = #expect(throws: InvalidPush.self) { try push(type, json: json).validate(defaults: defaults) }
        #expect(error?.code == .keyMissing && error?.key == key)
    }

    @Test("null beside content-available leaves a background push alone; what is no literal is no JSON")
    func nullBesideContentAvailable() throws {
        let json = #"{"aps":{"content-available":1,"alert":null,"sound":null,"event":null}}"#
        try push(.background, json: json).validate(defaults: defaults)
        #expect(throws: InvalidPush(.payloadNotJSON)) { try Payload(json: #"{"aps":{"alert":nil}}"#) }
        #expect(throws: InvalidPush(.payloadNotJSON)) { try Payload(json: #"{"mdm":nul}"#) }
    }

    @Test func aLocationNeedsAProviderToken() throws {
        let error = #expect(throws: InvalidPush.self) {
            try PushNotification.location().validate(defaults: defaults, requiresTopic: false)
        }
        #expect(error?.code == .providerTokenNeeded)
        try PushNotification.location().validate(defaults: defaults)
        try PushNotification.location().waiving(.credential).validate(defaults: defaults, requiresTopic: false)
    }

    @Test("a payload over its limit can be sent nevertheless")
    func sizes() throws {
        let large = PushNotification.alert(body: String(repeating: "a", count: 5000))
        let error = #expect(throws: InvalidPush.self) { try large.validate(defaults: defaults) }
        #expect(error?.rule == .payloadSize)
        try large.waiving(.payloadSize).validate(defaults: defaults)
        #expect(throws: InvalidPush.self) {
            try large.waiving(.all.subtracting(.payloadSize)).validate(defaults: defaults)
        }
    }

    @Test("a collapse id over 64 bytes is an error; the limit can be raised, not what a header can carry")
    func collapseIDs() throws {
        let text = String(repeating: "c", count: 65)
        #expect(throws: InvalidPush(.collapseIDTooLong, bytes: 65, limit: 64)) { try CollapseID(text) }
        #expect(try CollapseID(text, maxBytes: 128).text == text)
        #expect(throws: InvalidPush.self) { try CollapseID(String(repeating: "c", count: 600), maxBytes: .max) }
        #expect(throws: InvalidPush(.invalidCollapseID)) { try CollapseID("a\nb", maxBytes: 128) }
    }

    @Test func typesOfTomorrowGoThrough() throws {
        let notification = try push(
            PushType(rawValue: "hologram"), topic: "com.example.app.push-type.hologram",
            priority: PushPriority(rawValue: 7), json: #"{"aps":{"shape":"cube"}}"#)
        try notification.validate()
        #expect(try head(notification).pushType.rawValue == "hologram")
    }

    @Test func everyRuleHasAName() {
        #expect(PushRules.names.reduce(PushRules()) { $0.union($1.rule) } == .all)
        #expect(Set(PushRules.names.map(\.name)).count == PushRules.names.count)
    }

    @Test("what is known of a payload is the same, whether this module wrote it or another program")
    func factsAgree() throws {
        var generator = SeededGenerator(seed: 4)
        func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &generator) ? value : nil }
        for _ in 0..<300 {
            var aps = APS(
                alert: maybe("a"), badge: maybe(1), sound: maybe("s"), threadID: maybe("t"), category: maybe("c"))
            if Bool.random(using: &generator) { aps = APS() }
            aps.contentAvailable = Bool.random(using: &generator)
            aps.contentChanged = Int.random(in: 0..<8, using: &generator) == 0
            if Int.random(in: 0..<4, using: &generator) == 0 {
                var activity = LiveActivity(
                    event: [.start, .update, .end, .init(rawValue: "x")].randomElement(using: &generator) ?? .end,
                    timestamp: Date(unixSeconds: 1))
                activity.contentState = maybe(try EncodedJSON(["a": 1]))
                activity.attributesType = maybe("A")
                activity.attributes = maybe(try EncodedJSON(["a": 1]))
                aps.liveActivity = activity
            }
            let written = try Payload(aps)
            #expect(try Payload(json: written.bytes) == written)
        }
    }
}
