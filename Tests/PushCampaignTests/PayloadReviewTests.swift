import PushReview
import Testing

@testable import PushCampaign

@Suite struct PayloadReviewTests {
    private func findings(_ json: String, _ type: String? = nil) -> [String] {
        PayloadReview.findings(in: Array(json.utf8), type: type)
    }

    @Test(
        arguments: [
            #"{"aps":{"alert":"x"}}"#, #"{"aps":{"alert":{"title":"a","body":"b"},"badge":3,"sound":"default"}}"#,
            #"{"aps":{"content-available":1},"alert":"mine","badge":"mine"}"#, #"{}"#,
            #"{"aps":{"alert":"x","interruption-level":"time-sensitive","relevance-score":0.5}}"#,
            #"{"aps":{"event":"update","timestamp":1700000000,"content-state":{},"stale-date":null}}"#,
            #"{"aps":{"alert":"x","orderNumber":7,"interruption-level":"{{level}}"}}"#, #"{"mdm":"magic"}"#,
            #"{"aps":{"alert":"x","sound":{"critical":1,"name":"a","volume":1}}}"#,
            #"{"aps":{"alert":"whole \ud83d\ude04 and \\ud83d","badge":1}}"#, #"{"aps":{"alert":null,"badge":1}}"#,
            #"{"aps":{"alert":{"loc-key":"K","loc-args":[]}}}"#, #"{"aps":{"alert":{"title":{"loc-key":"K"}}}}"#,
            #"{"aps":{"encryptedData":"ZA==","sessionIdentifier":"s","keyID":"aw==","messageIndex":"42"}}"#,
        ])
    func whatADeviceUnderstandsIsNoFinding(_ json: String) {
        #expect(findings(json).isEmpty, "\(findings(json))")
    }

    @Test(
        arguments: [
            (#"{"alert":"x"}"#, "alert is not inside aps, where devices look for it"),
            (#"{"Aps":{"alert":"x"}}"#, "there is no aps, so a device shows nothing; is Aps meant for it?"),
            (#"{"order":7}"#, "there is no aps, so a device shows nothing"), (#"{"aps":"x"}"#, "aps is not an object"),
            (#"{"aps":{}}"#, "aps has no alert, badge or sound, so a device shows nothing"),
            (#"{"aps":{"allert":"x"}}"#, "allert in aps means nothing to a device; did you mean alert?"),
            (#"{"aps":{"alert":"x","sounds":"y"}}"#, "sounds in aps means nothing to a device; did you mean sound?"),
            (
                #"{"aps":{"content_available":1}}"#,
                "content_available in aps means nothing to a device; did you mean content-available?"
            ),
            (
                #"{"aps":{"alert":{"titel":"x"}}}"#, "titel in alert means nothing to a device; did you mean title?"
            ),
            (#"{"aps":{"title":"x","alert":"y"}}"#, "title is in aps, but belongs into alert"),
            (#"{"aps":{"badge":"3"}}"#, "badge is a string, but devices expect a number"),
            (#"{"aps":{"content-available":true}}"#, "content-available is a Boolean, but devices expect a number"),
            (#"{"aps":{"alert":"x","category":7}}"#, "category is a number, but devices expect a string"),
            (
                #"{"aps":{"alert":"x","interruption-level":"urgent"}}"#,
                "interruption-level must be one of passive, active, time-sensitive, critical"
            ),
            (#"{"aps":{"event":"finish","timestamp":1}}"#, "event must be one of start, update, end"),
            (
                #"{"aps":{"event":"end","dismissal-date":1700000000000}}"#,
                "dismissal-date is in milliseconds, but devices expect seconds: 1700000000"
            ),
            (#"{"aps":{"alert":""}}"#, "alert is empty, so a device shows no text"),
            (#"{"aps":{"alert":{}}}"#, "alert has no title, subtitle or body, so a device shows no text"),
            (
                #"{"aps":{"alert":{"title":"","body":null,"launch-image":"a"},"sound":"default"}}"#,
                "alert has no title, subtitle or body, so a device shows no text"
            ),
            (#"{"aps":{"alert":null}}"#, "aps has no alert, badge or sound, so a device shows nothing"),
            (#"{"aps":{"alert":7}}"#, "alert is a number, but devices expect a string or an object"),
            (
                #"{"aps":{"event":"update","timestamp":1,"content-state":"{\"a\":1}"}}"#,
                "content-state is a string, but devices expect an object"
            ),
            (
                #"{"aps":{"event":"update","timestamp":1,"content-state":[1]}}"#,
                "content-state is a list, but devices expect an object"
            ),
            (
                #"{"aps":{"event":"start","timestamp":1,"attributes-type":"A","attributes":"x","content-state":{},"alert":"a"}}"#,
                "attributes is a string, but devices expect an object"
            ),
            (
                #"{"aps":{"event":"start","timestamp":1,"attributes-type":"","attributes":{},"content-state":{},"alert":"a"}}"#,
                "attributes-type is empty, so a device can do nothing with the push"
            ),
            (
                #"{"aps":{"event":"start","timestamp":1,"attributes-type":"A","attributes":{},"content-state":{},"alert":{}}}"#,
                "alert has no title, subtitle or body, so a device shows no text"
            ),
            (
                #"{"aps":{"alert":"half \ud83d"}}"#,
                "a text has half a surrogate pair, as of an emoji that was cut in two; write whole characters"
            ),
            (
                #"{"aps":{"alert":"x"},"mine":["\ude04"]}"#,
                "a text has half a surrogate pair, as of an emoji that was cut in two; write whole characters"
            ),
            (#"{"aps":{"messageIndex":42}}"#, "messageIndex is a number, but devices expect a string"),
            (#"{"aps":{"encryptedData":""}}"#, "encryptedData is empty, so a device can do nothing with the push"),
        ])
    func whatNoDeviceUnderstandsIsNamed(_ json: String, _ finding: String) {
        #expect(findings(json) == [finding])
    }

    @Test(arguments: ["voip", "complication", "fileprovider", "mdm", "pushtotalk", "location"])
    func aTypeThatNeedsNoAPSHasItsOwnContent(_ type: String) {
        #expect(findings(#"{"call":"x"}"#, type).isEmpty)
    }

    @Test func aRunReportsEachFindingOnceAndLooksAtTheFirstPayloadsOnly() {
        nonisolated(unsafe) var lines: [Int] = []
        var review = RecordReview(payloads: 3) { line, _ in lines.append(line) }
        let payloads = [#"{"aps":{"badge":"1"}}"#, #"{"aps":{"badge":"2"}}"#, #"{"a":1}"#, #"{"alert":1}"#]
        for (index, payload) in payloads.enumerated() {
            review.look(at: Array(payload.utf8), type: nil, line: index + 2)
        }
        #expect(lines == [2, 4])
    }
}
