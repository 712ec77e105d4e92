import Foundation
import ProcessRuntime
import PushProtocol
import Testing

@Suite("parity: G6, F18 – the body is cut to fit") struct FitTests {
    private func body(of payload: Payload) throws -> String {
        let object = try JSONSerialization.jsonObject(with: Data(payload.bytes)) as? [String: Any]
        let alert = (object?["aps"] as? [String: Any])?["alert"]
        return try #require(alert as? String ?? (alert as? [String: Any])?["body"] as? String)
    }

    /// The size of a text in JSON, by an encoder we did not write.
    private func escapedBytes(_ text: String) throws -> Int {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return try encoder.encode(text).count - 2
    }

    private func isCut(_ cut: String, of whole: String) -> Bool {
        guard cut.hasSuffix("…") else { return false }
        let kept = Array(cut.dropLast())
        return Array(whole.prefix(kept.count)) == kept
    }

    @Test func whatFitsIsLeftAlone() throws {
        let payload = Payload(body: String(repeating: "a", count: 4096 - Payload(body: "").count))
        #expect(payload.count == 4096)
        #expect(try payload.fitted() == payload)
        #expect(try PushNotification.alert(body: "short").fitted().payload == Payload(body: "short"))
    }

    @Test func oneByteTooManyCostsFourForTheEllipsis() throws {
        let fitted = try Payload(body: String(repeating: "a", count: 4097 - Payload(body: "").count)).fitted()
        #expect(fitted.count == 4096)
        #expect(try body(of: fitted) == String(repeating: "a", count: 4096 - Payload(body: "").count - 3) + "…")
    }

    @Test("by default it is refused, with its size and the limit")
    func theDefaultRejects() throws {
        let push = try PushNotification.alert(APS(alert: Alert(body: AlertText(String(repeating: "a", count: 5000)))))
        let error = #expect(throws: InvalidPush.self) { try push.validate(defaults: .init(topic: "com.example.app")) }
        #expect(error?.code == .payloadTooLarge)
        #expect(error?.limit == 4096)
        try push.fitted().validate(defaults: .init(topic: "com.example.app"))
    }

    @Test("4096, 5120 and limits of one's own", arguments: [100, 256, 4096, 5120, 100_000])
    func anyLimit(limit: Int) throws {
        let text = String(repeating: "\"é\n👩‍👩‍👧 ", count: 30_000)
        let fitted = try Payload(APS(alert: Alert(body: AlertText(text))), fit: .truncateBody, limit: limit)
        #expect(fitted.count <= limit)
        // Nothing in it has more than 20 bytes, so that much may be left and no more.
        #expect(fitted.count > limit - 24)
        #expect(isCut(try body(of: fitted), of: text))
    }

    @Test func aCallMayHaveMore() throws {
        let text = String(repeating: "x", count: 6000)
        let call = PushNotification(payload: Payload(body: text), pushType: .voip)
        #expect(try call.fitted().payload.count == 5120)
        #expect(try PushNotification(payload: Payload(body: text)).fitted().payload.count == 4096)
        #expect(try PushNotification(payload: Payload(body: text)).fitted(limit: 5120).payload.count == 5120)
        #expect(try call.fitted(.reject).payload.count > 6000)
    }

    @Test(
        "characters as a reader sees them stay whole",
        arguments: [
            "👩‍👩‍👧‍👦", "🇩🇪", "e\u{301}\u{302}\u{303}", "👍🏽", "שׁ", "क्षि", "한", "\u{604}a",
        ])
    func graphemesStayWhole(character: String) throws {
        let text = String(repeating: character, count: 400)
        let empty = Payload(body: "").count
        for room in 40..<90 {
            let fitted = try Payload(body: text).fitted(limit: empty + room)
            let cut = try body(of: fitted)
            #expect(fitted.count <= empty + room)
            #expect(cut.last == "…")
            #expect(cut.dropLast().allSatisfy { String($0) == character })
        }
    }

    @Test("escapes are counted: a control character has six bytes, a quotation mark two")
    func escapesAreCounted() throws {
        let empty = Payload(body: "").count
        let text = String(repeating: "\u{1}", count: 100)
        #expect(try body(of: Payload(body: text).fitted(limit: empty + 3 + 12)) == "\u{1}\u{1}…")
        #expect(try body(of: Payload(body: text).fitted(limit: empty + 3 + 17)) == "\u{1}\u{1}…")
        #expect(try body(of: Payload(body: text).fitted(limit: empty + 3 + 18)) == "\u{1}\u{1}\u{1}…")
        #expect(try body(of: Payload(body: String(repeating: "\"", count: 99)).fitted(limit: empty + 3 + 5)) == "\"\"…")
    }

    @Test("a sign that would draw the ellipsis into itself goes as well")
    func signsThatTakeWhatFollows() throws {
        // A sign of Arabic numbers in front of a control character, with which it does not join. They have two bytes and six.
        let text = String(repeating: "\u{604}\u{1}", count: 200)
        let empty = Payload(body: "").count
        #expect(try body(of: Payload(body: text).fitted(limit: empty + 16 + 3)) == "\u{604}\u{1}\u{604}\u{1}…")
        #expect(try body(of: Payload(body: text).fitted(limit: empty + 18 + 3)) == "\u{604}\u{1}\u{604}\u{1}…")
    }

    @Test func nothingButSpacesCannotBeCut() {
        #expect(throws: InvalidPush.self) { try Payload(body: String(repeating: "\r\n", count: 4000)).fitted() }
    }

    @Test func spacesInFrontOfTheEllipsisGo() throws {
        let empty = Payload(body: "").count
        #expect(try body(of: Payload(body: "one two   three four").fitted(limit: empty + 13)) == "one two…")
    }

    @Test("title, custom content and everything else are left as they are")
    func onlyTheBodyIsCut() throws {
        let title = String(repeating: "t", count: 900)
        let fitted = try PushNotification.alert(
            APS(alert: Alert(title: AlertText(title), body: AlertText(String(repeating: "b", count: 9000))), badge: 3),
            content: ["order": 4711, "body": .string(String(repeating: "c", count: 1000))], fit: .truncateBody)
        let value = try #require(JSONValue(parsing: fitted.payload.bytes))
        #expect(fitted.payload.count == 4096)
        #expect(value["aps"]?["alert"]?["title"]?.stringValue == title)
        #expect(value["aps"]?["badge"] == 3)
        #expect(value["order"] == 4711)
        #expect(value["body"]?.stringValue?.count == 1000)
    }

    @Test("what cannot be made to fit is an error")
    func whatCannotBeCut() throws {
        let long = String(repeating: "x", count: 5000)
        let payloads = [
            Payload(title: long, body: "b"), Payload(title: long),
            try Payload(body: "b", content: ["x": .string(long)]),
            try Payload(APS(alert: Alert(body: .localized("KEY", long)))), try Payload(json: #"{"mdm":"\#(long)"}"#),
            try Payload(json: #"{"aps":{"alert":{"body":{"loc-key":"\#(long)"}}}}"#),
            Payload(unchecked: Array(long.utf8)),
        ]
        for payload in payloads {
            let error = #expect(throws: InvalidPush.self) { try payload.fitted() }
            #expect(error?.code == .payloadTooLarge)
            #expect(error?.bytes == payload.count)
        }
        // Not even the first character would fit.
        #expect(throws: InvalidPush.self) { try Payload(body: long).fitted(limit: Payload(body: "").count + 3) }
        #expect(throws: InvalidPush.self) { try Payload(body: long).fitted(limit: 0) }
        #expect(throws: InvalidPush.self) { try Payload(body: long).fitted(limit: -1) }
        let accents = "e" + String(repeating: "\u{301}", count: 4000)
        #expect(throws: InvalidPush.self) { try Payload(body: accents).fitted() }
    }

    @Test(
        "JSON written elsewhere is cut as well",
        arguments: [
            ##"{ "aps" : { "alert" : "LONG", "badge" : 1 }, "x" : [ "\u00e9" ] }"##,
            ##"{"x":{"aps":{"alert":"no"}},"aps":{"alert":{"title":"\"body\"","body":"LONG"}}}"##,
            ##"{"aps":{"alert":{"body":"first"}},"aps":{"alert":{"b\u006fdy":"LONG"}}}"##,
        ])
    func rawJSON(json: String) throws {
        let text = String(repeating: "wörd ", count: 2000)
        let whole = json.replacingOccurrences(of: "LONG", with: text)
        let fitted = try Payload(json: whole).fitted(limit: 1000)
        #expect(fitted.count <= 1000)
        #expect(fitted.count > 990)
        let value = try #require(JSONValue(parsing: fitted.bytes))
        let alert = try #require(value["aps"]?["alert"])
        #expect(isCut(try #require(alert.stringValue ?? alert["body"]?.stringValue), of: text))
        // What stands around it is the same to the byte.
        let start = try #require(json.range(of: "LONG")).lowerBound
        #expect(String(decoding: fitted.bytes, as: UTF8.self).hasPrefix(json[..<start]))
    }

    @Test func escapesThatAreNotNeededAreGivenUpFirst() throws {
        let text = String(repeating: #"\u0061"#, count: 300)
        let fitted = try Payload(json: #"{"aps":{"alert":"\#(text)"}}"#).fitted(limit: 400)
        #expect(try body(of: fitted) == String(repeating: "a", count: 300))
    }

    @Test("any text: valid JSON, within the limit, cut between characters, and not a character shorter than needed")
    func anyUnicode() throws {
        var generator = SeededGenerator(seed: 6)
        for round in 0..<300 {
            let text = generator.text(maxScalars: 400)
            let payload = try Payload(
                APS(alert: Alert(title: AlertText(generator.text(maxScalars: 10)), body: AlertText(text)), badge: round)
            )
            let limit = Int.random(in: 60...(payload.count + 20), using: &generator)
            guard let fitted = try? payload.fitted(limit: limit) else {
                // Then there was room for no character at all.
                let skipped = text.prefix { $0.isWhitespace || (String($0) + "…").count == 1 }
                let first = text.dropFirst(skipped.count).prefix(1)
                let needed = try escapedBytes(String(skipped + first)) + 3
                #expect(payload.count > limit)
                #expect(payload.count - (try escapedBytes(text)) + needed > limit || first.isEmpty)
                continue
            }
            #expect(fitted.count <= limit || payload.count <= limit)
            guard payload.count > limit else {
                #expect(fitted == payload)
                continue
            }
            let cut = try body(of: fitted)
            #expect(isCut(cut, of: text), "round \(round)")
            let rest = text.dropFirst(cut.count - 1)
            // The next that could stand in front of an ellipsis.
            let skipped = rest.prefix { $0.isWhitespace || (String($0) + "…").count == 1 }
            let next = skipped + rest.dropFirst(skipped.count).prefix(1)
            #expect(fitted.count + (try escapedBytes(String(next))) > limit, "round \(round)")
        }
    }

    @Test(arguments: [" ", "\"", "👩‍👩‍👧", "א"])
    func aTextOfAMegabyte(unit: String) throws {
        let text = "x" + String(repeating: unit, count: (1 << 20) / unit.utf8.count)
        let fitted = try Payload(body: text).fitted()
        #expect(fitted.count <= 4096)
        #expect(isCut(try body(of: fitted), of: text))
    }
}
