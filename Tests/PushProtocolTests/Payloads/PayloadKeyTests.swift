import Foundation
import PushProtocol
import Testing

/// One test a key of section 4 of the protocol reference: what is set in Swift, and the `aps` that an independent decoder reads.
@Suite("parity: P1, R8 – every payload key") struct PayloadKeyTests {
    /// What `aps` holds, by Foundation's decoder.
    private func aps(_ edit: (inout APS) -> Void) throws -> NSDictionary {
        var aps = APS()
        edit(&aps)
        let object = try JSONSerialization.jsonObject(with: Data(try Payload(aps).bytes)) as? NSDictionary
        return try #require(object?["aps"] as? NSDictionary)
    }

    /// What the reference says it has to be.
    private func sample(_ json: String) throws -> NSDictionary {
        try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? NSDictionary)
    }

    @Test func alertAsAText() throws {
        #expect(try aps { $0.alert = "Boarding" } == sample(#"{"alert":"Boarding"}"#))
        // With a second part it can be no text any more.
        #expect(
            try aps {
                $0.alert = "Boarding"
                $0.alert?.title = "Flight"
            } == sample(#"{"alert":{"title":"Flight","body":"Boarding"}}"#))
    }

    @Test func alertAsAnObject() throws {
        #expect(
            try aps { $0.alert = Alert(title: "t", subtitle: "s", body: "b", launchImage: "l.png") }
                == sample(#"{"alert":{"title":"t","subtitle":"s","body":"b","launch-image":"l.png"}}"#))
        #expect(try aps { $0.alert = Alert() } == sample(#"{"alert":{}}"#))
    }

    @Test("localized: title-loc-key, subtitle-loc-key, loc-key and their args")
    func localizedTexts() throws {
        #expect(
            try aps {
                $0.alert = Alert(
                    title: .localized("T_%@", "1"), subtitle: .localized("S_%@_%@", "2", "3"), body: .localized("B"))
            }
                == sample(
                    """
                    {"alert":{"title-loc-key":"T_%@","title-loc-args":["1"],"subtitle-loc-key":"S_%@_%@",
                    "subtitle-loc-args":["2","3"],"loc-key":"B"}}
                    """))
    }

    @Test("summary-arg, summary-arg-count, action-loc-key: what Apple's table no longer has")
    func historicKeys() throws {
        #expect(
            try aps {
                $0.alert = Alert(body: "b")
                $0.alert?.summaryArgument = "Ann"
                $0.alert?.summaryArgumentCount = 2
                $0.alert?.actionKey = "PLAY"
            } == sample(#"{"alert":{"body":"b","summary-arg":"Ann","summary-arg-count":2,"action-loc-key":"PLAY"}}"#))
        #expect(
            try aps {
                $0.alert = Alert(body: "b")
                $0.alert?.actionKey = ""
            } == sample(#"{"alert":{"body":"b","action-loc-key":null}}"#))
    }

    @Test("parity: G7 – badge: set, cleared with 0, left alone", arguments: [7, 0, nil])
    func badge(number: Int?) throws {
        #expect(try aps { $0.badge = number } == sample(number.map { #"{"badge":\#($0)}"# } ?? "{}"))
    }

    @Test func sound() throws {
        #expect(try aps { $0.sound = .default } == sample(#"{"sound":"default"}"#))
        #expect(try aps { $0.sound = "gong.aiff" } == sample(#"{"sound":"gong.aiff"}"#))
    }

    @Test("critical sound: critical, name, volume")
    func criticalSound() throws {
        #expect(
            try aps { $0.sound = .critical("gong.aiff", volume: 0.5) }
                == sample(#"{"sound":{"critical":1,"name":"gong.aiff","volume":0.5}}"#))
        #expect(
            try aps { $0.sound = .critical(isCritical: false) }
                == sample(#"{"sound":{"critical":0,"name":"default","volume":1}}"#))
    }

    @Test(arguments: [-0.1, 1.01, .nan, .infinity])
    func aVolumeOutsideOf0To1IsAnError(volume: Double) {
        let error = #expect(throws: InvalidPush.self) { try aps { $0.sound = .critical(volume: volume) } }
        #expect(error?.code == .volumeOutOfRange)
    }

    @Test func threadID() throws { #expect(try aps { $0.threadID = "A998" } == sample(#"{"thread-id":"A998"}"#)) }

    @Test func category() throws { #expect(try aps { $0.category = "FLIGHT" } == sample(#"{"category":"FLIGHT"}"#)) }

    @Test func contentAvailable() throws {
        #expect(try aps { $0.contentAvailable = true } == sample(#"{"content-available":1}"#))
    }

    @Test func mutableContent() throws {
        #expect(try aps { $0.mutableContent = true } == sample(#"{"mutable-content":1}"#))
    }

    @Test func targetContentID() throws {
        #expect(try aps { $0.targetContentID = "window" } == sample(#"{"target-content-id":"window"}"#))
    }

    @Test(arguments: [
        (InterruptionLevel.passive, "passive"), (.active, "active"), (.timeSensitive, "time-sensitive"),
        (.critical, "critical"), (InterruptionLevel(rawValue: "tomorrow"), "tomorrow"),
    ])
    func interruptionLevel(level: InterruptionLevel, value: String) throws {
        #expect(try aps { $0.interruptionLevel = level } == sample(#"{"interruption-level":"\#(value)"}"#))
    }

    @Test func relevanceScore() throws {
        #expect(try aps { $0.relevanceScore = 0.75 } == sample(#"{"relevance-score":0.75}"#))
        for score in [-0.1, 1.5, .nan, .infinity] {
            let error = #expect(throws: InvalidPush.self) { try aps { $0.relevanceScore = score } }
            #expect(error?.code == .relevanceOutOfRange)
        }
    }

    @Test("a Live Activity's relevance is any finite number")
    func relevanceOfAnActivity() throws {
        let read = try aps {
            $0.relevanceScore = 250
            $0.liveActivity = .end(timestamp: Date(unixSeconds: 1))
        }
        #expect(read["relevance-score"] as? Double == 250)
        #expect(throws: InvalidPush.self) {
            try aps {
                $0.relevanceScore = .nan
                $0.liveActivity = .end(timestamp: Date(unixSeconds: 1))
            }
        }
    }

    @Test func filterCriteria() throws {
        #expect(try aps { $0.filterCriteria = "work" } == sample(#"{"filter-criteria":"work"}"#))
    }

    @Test func contentChanged() throws {
        #expect(try aps { $0.contentChanged = true } == sample(#"{"content-changed":true}"#))
    }

    @Test("parity: R11 – url-args may be empty and are then written nevertheless")
    func urlArguments() throws {
        #expect(try aps { $0.urlArguments = ["boarding", "A998"] } == sample(#"{"url-args":["boarding","A998"]}"#))
        #expect(try aps { $0.urlArguments = [] } == sample(#"{"url-args":[]}"#))
    }

    @Test func descriptionsShowNothingOfTheContent() throws {
        var aps = APS(
            alert: Alert(title: "secret", body: "secret"), sound: "secret", threadID: "secret", category: "secret")
        aps.urlArguments = ["secret"]
        aps.liveActivity = try .start(
            "secret", attributes: ["a": "secret"], contentState: ["a": "secret"], timestamp: Date(unixSeconds: 1))
        var shown =
            "\(aps) \(String(reflecting: aps)) \(aps.alert as Any) \(aps.sound as Any) \(aps.liveActivity as Any)"
        dump(aps, to: &shown)
        #expect(!shown.contains("secret"))
    }

    @Test func interpolatedLiteralsAreTexts() throws {
        let order = 4711
        #expect(try aps { $0.alert = "Order \(order)" } == sample(#"{"alert":"Order 4711"}"#))
        #expect(
            try PushNotification.alert("Order \(order)").payload == Payload(json: #"{"aps":{"alert":"Order 4711"}}"#))
    }

    @Test func nothingSetIsAnEmptyObject() throws { #expect(try aps { _ in } == [:]) }
}
