import PushInspection
import PushTerminal
import Testing

@testable import pushctl

@Suite struct HeaderFieldsTests {
    private func json(_ lines: String...) -> String {
        String(decoding: HeaderFields(lines.flatMap { Array(($0 + "\n").utf8) }).json, as: UTF8.self)
    }

    @Test func fieldsAreMembersInTheirOrder() {
        #expect(
            json(":path: /3/device/aabb", "apns-topic: com.example.app", "x: a: b")
                == #"{":path":"/3/device/aabb","apns-topic":"com.example.app","x":"a: b"}"#)
        #expect(json() == "{}" && json("empty: ") == #"{"empty":""}"# && json("no colon") == "{}")
    }

    @Test func valuesOfARepeatedNameAreJoined() {
        #expect(json("x: 1", "y: 2", "x: 3", "x: 4") == #"{"x":"1, 3, 4","y":"2"}"#)
    }

    @Test func valuesMayBeAnyBytes() {
        #expect(json("x: say \"é\"\\") == #"{"x":"say \"é\"\\"}"#)
        let bytes = HeaderFields(Array("x: ".utf8) + [0xFF, 0x09, 0x0A]).json
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"x":"\#u{FFFD}\u0009"}"#)
    }

    @Test func timesHaveMilliseconds() {
        #expect(UTC.text(milliseconds: 1_795_428_405_087) == "2026-11-23T10:06:45.087Z")
        #expect(UTC.text(milliseconds: 0) == "1970-01-01T00:00:00.000Z")
    }
}
