import Foundation
import ProcessRuntime
import PushProtocol
import Testing

@Suite struct PayloadTests {
    private func text(_ payload: Payload) -> String {
        String(decoding: payload.bytes, as: UTF8.self)
    }

    private func decoded(_ payload: Payload) throws -> NSDictionary {
        try #require(JSONSerialization.jsonObject(with: Data(payload.bytes)) as? NSDictionary)
    }

    @Test func everyPartHasItsKeyAndNilLeavesItOut() throws {
        let payload = Payload(
            title: "Flight A998", subtitle: "Gate 12", body: "Boarding", badge: 3, sound: "default", category: "FLIGHT",
            threadID: "A998", targetContentID: "window", contentAvailable: true, mutableContent: true)
        #expect(
            text(payload)
                == #"{"aps":{"alert":{"title":"Flight A998","subtitle":"Gate 12","body":"Boarding"},"badge":3,"#
                + #""sound":"default","category":"FLIGHT","thread-id":"A998","target-content-id":"window","#
                + #""content-available":1,"mutable-content":1}}"#)
        #expect(text(Payload()) == #"{"aps":{}}"#)
        #expect(text(Payload(title: "a")) == #"{"aps":{"alert":{"title":"a"}}}"#)
        #expect(text(Payload(body: "")) == #"{"aps":{"alert":{"body":""}}}"#)
        #expect(text(Payload(sound: "x.aiff")) == #"{"aps":{"sound":"x.aiff"}}"#)
        #expect(text(Payload(contentAvailable: true)) == #"{"aps":{"content-available":1}}"#)
    }

    @Test("parity: G7 – a badge is set, cleared with 0, or left alone", arguments: [0, 1, 99999, -1, Int.max, Int.min])
    func badgesAreWrittenAsNumbers(badge: Int) throws {
        #expect(text(Payload(badge: badge)) == #"{"aps":{"badge":\#(badge)}}"#)
    }

    @Test func customValuesStandBesideAPSInTheOrderOfTheirNames() throws {
        let payload = try Payload(
            body: "b",
            content: [
                "z": "text", "number": 4711, "fraction": 0.5, "yes": true, "no": false, "nothing": nil,
                "list": [1, "two", [3.25]], "object": ["b": 2, "a": 1], "schlüssel \"1\"\n": "",
            ])
        #expect(
            text(payload)
                == #"{"aps":{"alert":{"body":"b"}},"fraction":0.5,"list":[1,"two",[3.25]],"no":false,"nothing":null,"#
                + #""number":4711,"object":{"a":1,"b":2},"schlüssel \"1\"\n":"","yes":true,"z":"text"}"#)
        #expect(try decoded(payload)["number"] as? Int == 4711)
    }

    @Test("parity: G8 – a custom value named aps is an error")
    func aCustomValueNamedAPSIsAnError() {
        #expect(throws: InvalidPush(.customKeyReserved)) { try Payload(body: "b", content: ["aps": 1]) }
        #expect(throws: InvalidPush(.customKeyReserved)) { try PushNotification.alert(body: "b", content: ["aps": 1]) }
        #expect(throws: InvalidPush(.customKeyReserved)) { try PushNotification.background(content: ["aps": 1]) }
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func aNumberThatJSONCannotHoldIsAnError(number: Double) {
        #expect(throws: InvalidPush(.customValueNotFinite)) { try Payload(content: ["x": [["y": .double(number)]]]) }
    }

    @Test(arguments: [1e-7, 1e300, .leastNonzeroMagnitude, -0.1, 1e16, 123456789.125, .greatestFiniteMagnitude])
    func numbersSurviveAnIndependentDecoder(number: Double) throws {
        #expect(try decoded(Payload(content: ["x": .double(number)]))["x"] as? Double == number)
    }

    @Test func theEscapesAreTheShortestOnes() {
        let payload = Payload(body: "\"\\/\u{8}\u{9}\u{a}\u{c}\u{d}\u{0}\u{1f}\u{7f}é\u{2028}👩‍👩‍👧")
        #expect(
            text(payload)
                == "{\"aps\":{\"alert\":{\"body\":\"\\\"\\\\/\\b\\t\\n\\f\\r\\u0000\\u001f\u{7f}é\u{2028}👩‍👩‍👧\"}}}")
    }

    @Test func anyUnicodeSurvivesAnIndependentDecoder() throws {
        var generator = SeededGenerator(seed: 2026)
        for _ in 0..<400 {
            let title = generator.text(maxScalars: 40)
            let key = "k" + generator.text(maxScalars: 10)
            let value = generator.text(maxScalars: 40)
            let payload = try Payload(title: title, content: [key: .string(value)])
            let parsed = try #require(JSONValue(parsing: payload.bytes))
            #expect(parsed["aps"]?["alert"]?["title"]?.stringValue.map { Array($0.utf8) } == Array(title.utf8))
            #expect(parsed[key]?.stringValue.map { Array($0.utf8) } == Array(value.utf8))
            let aps = try #require(try decoded(payload)["aps"] as? [String: [String: String]])
            #expect(aps["alert"]?["title"].map { Array($0.unicodeScalars) } == Array(title.unicodeScalars))
            #expect(try Payload(json: payload.bytes).bytes == payload.bytes)
        }
    }

    @Test func longTextsAreWrittenWhole() throws {
        let body = String(repeating: "a\"é\n", count: 1 << 18)
        let aps = try #require(try decoded(Payload(body: body))["aps"] as? [String: [String: String]])
        #expect(aps["alert"]?["body"] == body)
    }

    @Test(
        "parity: E10 – a JSON map is pushed as it is",
        arguments: ["{}", #" { "mdm" : "x" } "#, #"{"aps":{"alert":"a"}}"#])
    func rawJSONIsKeptByteForByte(json: String) throws {
        #expect(try Payload(json: json).bytes == Array(json.utf8))
        #expect(try PushNotification.raw(json: json).payload.bytes == Array(json.utf8))
        #expect(try PushNotification.raw(Array(json.utf8)).payload.bytes == Array(json.utf8))
    }

    @Test(arguments: [
        "x", "[]", "1", "\"{}\"", "{", "{}{}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{'a':1}", "{\"a\":01}",
        "{\"a\":1.}", "{\"a\":.5}", "{\"a\":+1}", "{\"a\":-}", "{\"a\":1e}", "{\"a\":tru}", "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12g4\"}", "{\"a\":\"\\u12", "{\"a\":\"\n\"}", "{\"a\":\"b}", "{\"a\":\"\\", "{\"a\":[1,]}",
        "{\"a\":NaN}", "\u{feff}{}", "{\"a\":1 \"b\":2}",
    ])
    func whatIsNotAJSONObjectIsRefused(json: String) {
        #expect(throws: InvalidPush(.payloadNotJSON)) { try Payload(json: json) }
    }

    @Test func invalidUTF8AndEmptyPayloadsAreRefused() {
        #expect(throws: InvalidPush(.payloadNotJSON)) {
            try Payload(json: Array("{\"a\":\"".utf8) + [0xff] + Array("\"}".utf8))
        }
        #expect(throws: InvalidPush(.payloadEmpty)) { try Payload(json: [UInt8]()) }
        #expect(throws: InvalidPush(.payloadEmpty)) { try Payload(json: "") }
        #expect(Payload(unchecked: [0xff]).bytes == [0xff])
    }

    /// ASCII is looked for eight bytes at a time.
    @Test func utf8IsCheckedAtEachPosition() throws {
        for count in 1...20 {
            for position in 0..<count {
                func json(_ letter: [UInt8]) -> [UInt8] {
                    let text = Array(repeating: UInt8(ascii: "x"), count: count)
                    var json = Array("{\"a\":\"".utf8)
                    json += text[..<position]
                    json += letter
                    json += text[position...]
                    return json + Array("\"}".utf8)
                }
                #expect(try Payload(json: json(Array("é".utf8))).count == 10 + count)
                for wrong in [[0x80], [0xc3], [0xc0, 0xaf], [0xed, 0xa0, 0x80]] as [[UInt8]] {
                    #expect(throws: InvalidPush(.payloadNotJSON)) { try Payload(json: json(wrong)) }
                }
            }
        }
    }

    @Test("JSON is nested at most 128 levels deep, and the error says so")
    func nestingHasABound() throws {
        func nested(_ levels: Int) -> String {
            let lists = levels - 1
            return "{\"a\":" + String(repeating: "[", count: lists) + String(repeating: "]", count: lists) + "}"
        }
        let deepest = nested(128)
        let bytes = Array(deepest.utf8)
        #expect(try Payload(json: deepest).bytes == bytes)
        #expect(try EncodedJSON(json: bytes).bytes == bytes)
        #expect(try Payload(content: EncodedJSON(json: bytes)).bytes == bytes)
        #expect(try Payload(APS(), content: EncodedJSON(json: bytes)).bytes.count > bytes.count)
        #expect(JSONValue(parsing: bytes) != nil)
        for levels in [129, 1_000_000] {
            let tooDeep = nested(levels)
            let error = #expect(throws: InvalidPush.self) { try Payload(json: tooDeep) }
            #expect(error?.code == .payloadNotJSON && error?.description.contains("128 levels") == true)
            #expect(throws: InvalidPush(.payloadNotJSON)) { try EncodedJSON(json: Array(tooDeep.utf8)) }
            #expect(JSONValue(parsing: Array(tooDeep.utf8)) == nil)
        }
        // What an encoder wrote is looked at when it becomes a payload.
        let content = (1..<129).reduce(JSONValue.array([])) { value, _ in ["a": value] }
        let error = #expect(throws: InvalidPush.self) { try Payload(content: content) }
        #expect(error?.code == .contentNotObject && error?.description.contains("128 levels") == true)
    }

    @Test func descriptionsShowTheSizeOnly() {
        let payload = Payload(body: "secret words")
        let notification = PushNotification(payload: payload, topic: "com.example.app")
        var dumped = ""
        dump(payload, to: &dumped)
        dump(notification, to: &dumped)
        dumped += "\(payload) \(notification) \(String(reflecting: payload)) \(String(reflecting: [notification]))"
        #expect(!dumped.contains("secret"))
        #expect(!dumped.contains("\(payload.bytes[0]), \(payload.bytes[1])"))
        #expect(dumped.contains("\(payload.count) bytes"))
    }
}
