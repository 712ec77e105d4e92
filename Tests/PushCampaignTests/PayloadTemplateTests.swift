import SupervisedPush
import Testing

@testable import PushCampaign

@Suite struct PayloadTemplateTests {
    private func notification(_ json: String, _ values: [String], type: PushType? = nil) throws -> PushNotification {
        let template = try TemplateParser.json(Array(json.utf8), []).template
        return try PayloadTemplate(template) { json in try .raw(json, pushType: type) }.notification(
            values.map { Array($0.utf8) })
    }

    @Test func itsPayloadIsTheOneThatItsBytesAre() throws {
        for json in [#"{"aps":{"alert":"{{a}}"}}"#, #"{"aps":{"content-available":{{b}}},"x":"{{a}}"}"#] {
            for values in [["x\"", "1"], ["{}", "0"], ["", "null"]] {
                let names = try TemplateParser.json(Array(json.utf8), []).template.names
                let found = try notification(json, names == ["a"] ? [values[0]] : [values[1], values[0]])
                #expect(try found.payload == Payload(json: found.payload.bytes))
            }
        }
    }

    @Test func aValueThatDecidesARuleIsLookedAtInEachRecord() throws {
        let json = #"{"aps":{"content-available":{{on}}}}"#
        #expect(throws: Never.self) { try notification(json, ["1"], type: .background).validate(requiresTopic: false) }
        #expect(throws: InvalidPush.self) {
            try notification(json, ["0"], type: .background).validate(requiresTopic: false)
        }
        let event = #"{"aps":{"timestamp":1,"event":"{{event}}"}}"#
        #expect(throws: InvalidPush.self) {
            try notification(event, ["update"], type: .liveActivity).validate(requiresTopic: false)
        }
    }
}
