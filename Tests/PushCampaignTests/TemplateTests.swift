import Testing

@testable import PushCampaign

@Suite struct TemplateTests {
    private func filled(_ json: String, _ values: [String?]) throws -> String {
        let template = try TemplateParser.json(Array(json.utf8), []).template
        return String(decoding: try template.filled(values.map { $0.map { Array($0.utf8) } }), as: UTF8.self)
    }

    @Test func aValueTakesThePlaceOfItsName() throws {
        #expect(try filled(#"{"a":"Hi {{name}}, {{ name }}: {{n}}"}"#, ["Ann", "3"]) == #"{"a":"Hi Ann, Ann: 3"}"#)
    }

    @Test func insideAStringAValueIsJSONContent() throws {
        let found = try filled(#"{"a":"{{x}}"}"#, ["say \"hi\" \\ \n é 👋"])
        #expect(found == #"{"a":"say \"hi\" \\ \u000a é 👋"}"#)
        #expect(try filled(#"{"badge":"{{x}}"}"#, ["7"]) == #"{"badge":"7"}"#)
        #expect(try filled(#"{"a":"{{x}}"}"#, [""]) == #"{"a":""}"#)
    }

    @Test(arguments: ["7", "-0.5e3", "true", "false", "null"])
    func outsideOfQuotesAValueIsAScalar(_ value: String) throws {
        #expect(try filled(#"{"badge":{{x}},"b":[{{x}}]}"#, [value]) == "{\"badge\":\(value),\"b\":[\(value)]}")
    }

    @Test(arguments: ["", "seven", "07", "1,\"x\":2", "{}", "[]", "\"7\"", "NaN", "1 2", "+1"])
    func whatIsNoScalarCannotStandOutsideOfQuotes(_ value: String) {
        #expect(throws: Template.Unfilled.noScalar("x")) { try filled(#"{"badge":{{x}}}"#, [value]) }
    }

    @Test func twoBracesThatAreMeantFollowABackslash() throws {
        #expect(try filled(#"{"a":"\\{{name}} {{name}}"}"#, ["Ann"]) == #"{"a":"{{name}} Ann"}"#)
        // These are JSON's own escapes, and a single brace.
        #expect(try filled(#"{"a":"\"{x}\\","b":"{{n}}"}"#, ["1"]) == #"{"a":"\"{x}\\","b":"1"}"#)
        let plain = try TemplateParser.plain(#"\{{a}} {{b}}"#, ["z"])
        #expect(plain.names == ["z", "b"])
        #expect(try plain.filled([nil, Array("1".utf8)]) == Array("{{a}} 1".utf8))
    }

    @Test func aValueThatIsMissingIsNamed() {
        #expect(throws: Template.Unfilled.missing("b")) { try filled(#"{"a":"{{a}}{{b}}"}"#, ["1", nil]) }
        #expect(throws: Template.Unfilled.missing("b")) { try filled(#"{"a":"{{a}}{{b}}"}"#, ["1"]) }
    }

    @Test func aPayloadThatGrowsWithoutEndIsTooLong() {
        let json = #"{"a":"\#(String(repeating: "{{x}}", count: 100))"}"#
        #expect(throws: Template.Unfilled.tooLong) { try filled(json, [String(repeating: "x", count: 60_000)]) }
    }

    @Test(
        arguments: [
            (#"{"a":"{{x"}"#, "has no name and }} after {{ (line 1, column 7)"),
            (#"{"a":"{{}}"}"#, "(line 1, column 7)"),
            (#"{"a":"{{ }}"}"#, "(line 1, column 7)"), (#"{"a":"{{#each}} {{/a{b}}"}"#, "(line 1, column 17)"),
            (#"{"a":{{"b":1}}}"#, "(line 1, column 6)"),
            (#"{"{{x}}":1}"#, "in the name of a member (line 1, column 3)"),
            (#"{"a{{x}}" : 1}"#, "in the name of a member (line 1, column 4)"),
            (#"{"a":"{{pr\u00e9nom}}"}"#, "(line 1, column 7)"),
        ])
    func whatIsNoPlaceholderIsRefusedWithItsPlace(_ json: String, _ words: String) {
        let error = #expect(throws: TemplateParser.Malformed.self) { try TemplateParser.json(Array(json.utf8), []) }
        #expect(error?.sentence.contains(words) == true, "\(error?.sentence ?? "")")
    }

    @Test func theShapeIsJSONOfTheSameLength() throws {
        let json = #"{"aps":{"badge":{{n}},"alert":"{{name}}"}}"#
        let shape = try TemplateParser.json(Array(json.utf8), []).shape
        #expect(String(decoding: shape, as: UTF8.self) == #"{"aps":{"badge":0    ,"alert":"{{name}}"}}"#)
    }

    @Test func aTextWithoutPlaceholdersStaysAsItIs() throws {
        let json = #"{"aps":{"alert":"{ } }} \\ \" é"},"x":{"y":{}}}"#
        let template = try TemplateParser.json(Array(json.utf8), []).template
        #expect(!template.hasPlaceholders)
        #expect(try template.filled([]) == Array(json.utf8))
    }
}
