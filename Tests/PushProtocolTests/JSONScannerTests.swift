import PushProtocol
import Testing

@Suite struct JSONScannerTests {
    @Test(
        arguments: [
            "{}", " {\"a\":1} \n", "{\"a\":[],\"b\":{},\"c\":[[],{}]}", "{\"a\":-0.5e+10,\"b\":0,\"c\":1E9}",
            "{\"a\":true,\"b\":false,\"c\":null}", "{\"\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\"}", "{\"é\":\"日本\"}",
        ])
    func validObjectsPass(text: String) {
        #expect(JSONScanner.problem(inObject: Array(text.utf8)) == nil)
    }

    @Test(
        arguments: [
            "", " ", "1", "[]", "null", "\"{}\"", "{", "}", "{}}", "{,}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
            "{\"a\":1 \"b\":2}",
            "{a:1}", "{\"a\":01}", "{\"a\":1.}", "{\"a\":.5}", "{\"a\":+1}", "{\"a\":1e}", "{\"a\":tru}", "{\"a\":NaN}",
            "{\"a\":\"\u{1}\"}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12g4\"}", "{\"a\":\"", "{\"a\":[1,]}", "{\"a\":[1 2]}",
            "{\"a\":[",
            "{'a':1}", "{\"a\":1}//",
        ])
    func everythingElseIsAProblem(text: String) {
        #expect(JSONScanner.problem(inObject: Array(text.utf8)) != nil)
    }

    @Test(
        arguments: [
            ("[]", "is not a JSON object"), ("{\"a\"}", "lacks a colon after a name (line 1, column 5)"),
            ("{a:1}", "lacks a name in quotes (line 1, column 2)"),
            ("{\"a\":1,}", "lacks a name in quotes (line 1, column 8)"),
            ("{\"a\": }", "is not valid JSON (line 1, column 7)"),
            ("{\"a\":trie}", "is not valid JSON (line 1, column 8)"),
            ("{\"a\":1 2}", "lacks a comma or a closing brace (line 1, column 8)"),
            ("{\"a\":[1 2]}", "lacks a comma or a closing bracket (line 1, column 9)"),
            ("{\"a\":-}", "contains a malformed number (line 1, column 7)"),
            ("{} {}", "has text after its end (line 1, column 4)"),
            ("{\"a\":\"x", "ends inside a string (line 1, column 8)"),
            ("{\"a\":\"\\x\"}", "contains an unknown escape in a string (line 1, column 8)"),
            ("{\"a\":\"\\u12g4\"}", "contains a malformed \\u escape (line 1, column 11)"),
            ("{\"a\":\"\n\"}", "contains a control character in a string; write it as \\u00… (line 1, column 7)"),
        ])
    func aProblemSaysWhatIsWrongAndWhere(text: String, sentence: String) {
        #expect(JSONScanner.problem(inObject: Array(text.utf8)) == sentence)
    }

    @Test(
        arguments: [
            ("{\n  \"é\": 1\n  \"b\": 2\n}", "lacks a comma or a closing brace (line 3, column 3)"),
            ("{\r\n\"é👍\": x}", "is not valid JSON (line 2, column 7)"),
            ("{“aps”: 1}", "has a typographic quote where a straight one (\") belongs (line 1, column 2)"),
            ("{\"aps\": ‘x’}", "has a typographic quote where a straight one (\") belongs (line 1, column 9)"),
            ("“{}”", "has a typographic quote where a straight one (\") belongs (line 1, column 1)"),
            ("{\"aps\": «x»}", "has a typographic quote where a straight one (\") belongs (line 1, column 9)"),
        ])
    func aPlaceIsCountedAsEditorsCount(text: String, sentence: String) {
        #expect(JSONScanner.problem(inObject: Array(text.utf8)) == sentence)
    }

    @Test func aPartOfALineIsCountedInBytes() {
        let problem = JSONScanner.problem(inObject: Array("{\"é\" 1}".utf8), namingLines: false)
        #expect(problem == "lacks a colon after a name (byte 7)")
    }

    @Test func membersAreFoundWhereTheyStand() throws {
        let text = Array(#" { "a" : [1, {"b": 2}] ,"\u0063":"x" } "#.utf8)
        let members = try text.withUnsafeBufferPointer { try JSONScanner.members(of: $0) }
        #expect(members.map(\.name) == ["a", "c"])
        #expect(members.map { String(decoding: text[$0.value], as: UTF8.self) } == [#"[1, {"b": 2}]"#, #""x""#])
    }

    @Test func nestingIsBounded() {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                ("{\"a\":" + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}")
                    .utf8)
        }
        #expect(JSONScanner.problem(inObject: nested(128)) == nil)
        #expect(throws: Never.self) { try PushNotification.raw(nested(128)) }
        #expect(JSONScanner.problem(inObject: nested(129))?.contains("nested deeper than 128 levels") == true)
        #expect(JSONScanner.problem(inObject: Array(repeating: UInt8(ascii: "["), count: 60_000)) != nil)
        #expect(JSONScanner.problem(inObject: nested(30_000)) != nil)
    }

    @Test func everyPrefixOfAnObjectIsAProblem() {
        let text = Array(#"{"aps":{"alert":"a\u00e9\n","badge":-1.5e3,"x":[true,null,{}]}}"#.utf8)
        #expect(JSONScanner.problem(inObject: text) == nil)
        for length in 0..<text.count { #expect(JSONScanner.problem(inObject: Array(text[..<length])) != nil) }
    }

    @Test func stringsAreUnescaped() {
        func string(_ text: String) -> String? {
            Array(text.utf8).withUnsafeBufferPointer { JSONScanner.string(in: $0) }
        }
        #expect(string(#""a\n\"\\\/\u0041\u00e9""#) == "a\n\"\\/Aé")
        #expect(string(#""\ud83d\ude00""#) == "😀")
        #expect(string(#""\ud83d""#) == nil)
        #expect(string(#""\ud83d\u0041""#) == nil)
        #expect(string(#""\ude00\ud83d""#) == nil)
        #expect(string("7") == nil)
    }
}
