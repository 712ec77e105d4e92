import PushProtocol
import Testing

/// The calls that most programs begin with.
@Suite struct ShortAlertTests {
    private func text(_ notification: PushNotification) -> String {
        String(decoding: notification.payload.bytes, as: UTF8.self)
    }

    @Test func aShortAlertTakesLocalizedTextsAndAnInterruptionLevel() {
        let localized = PushNotification.alert(
            title: .localized("FLIGHT_%@", "A998"), body: "Boarding", interruptionLevel: .timeSensitive)
        #expect(
            text(localized)
                == #"{"aps":{"alert":{"title-loc-key":"FLIGHT_%@","title-loc-args":["A998"],"body":"Boarding"},"#
                + #""interruption-level":"time-sensitive"}}"#)
        let title = "Flight A998"
        let plain = PushNotification.alert(title: title, body: "Boarding", interruptionLevel: .passive)
        #expect(
            text(plain)
                == #"{"aps":{"alert":{"title":"Flight A998","body":"Boarding"},"interruption-level":"passive"}}"#)
    }

    @Test func bothFormsOfAnAlertHaveOneWordForWhatStandsBesideAPS() throws {
        let short = try PushNotification.alert(title: "Gate", content: ["gate": 12])
        #expect(text(short) == #"{"aps":{"alert":{"title":"Gate"}},"gate":12}"#)
        let long = try PushNotification.alert(APS(alert: Alert(title: "Gate")), content: ["gate": 12, "row": "A"])
        #expect(text(long) == #"{"aps":{"alert":{"title":"Gate"}},"gate":12,"row":"A"}"#)
    }

    @Test func aChangedCopyLeavesTheOriginalAsItWas() {
        let gate = PushNotification.alert(title: "Gate")
        let urgent = gate.with { $0.topic = "com.example.urgent" }
        #expect(gate.topic == nil && urgent.topic == "com.example.urgent" && urgent.payload == gate.payload)
    }

    @Test func timesMayBeGivenAsLengths() throws {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        #expect(Expiration.after(.seconds(3_600), from: start) == .at(start + 3_600))
        // Never 0, which is a single attempt, and never in the past.
        #expect(Expiration.after(.seconds(-5), from: start) == .at(start + 1))
        let update = try LiveActivity.update(["score": 2], timestamp: start, staleAfter: .seconds(900))
        #expect(update.staleDate == start + 900)
        #expect(LiveActivity.end(timestamp: start, dismissAfter: .seconds(60)).dismissalDate == start + 60)
        let started = try LiveActivity.start(
            "Match", attributes: ["home": "A"], contentState: ["score": 0], timestamp: start, staleAfter: .seconds(1))
        #expect(started.staleDate == start + 1)
    }
}
