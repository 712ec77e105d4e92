import Foundation
import PushTerminal
import Testing

@testable import pushctl

/// What `--json` prints of texts of others.
@Suite struct JSONLineTests {
    private func line(_ text: String) -> String {
        var object = JSONLine()
        object.add("a", text)
        return String(decoding: object.line, as: UTF8.self)
    }

    @Test func noCharacterControlsATerminal() {
        #expect(line("a\u{1B}[2J\u{7F}") == #"{"a":"a\u001b[2J\u007f"}"# + "\n")
        #expect(line("x\u{9B}2J\u{80}\u{9F}") == #"{"a":"x\u009b2J\u0080\u009f"}"# + "\n")
        #expect(line("\u{202E}\u{2066}\u{200F}\u{2028}") == #"{"a":"\u202e\u2066\u200f\u2028"}"# + "\n")
        #expect(line("\u{E0041}") == #"{"a":"\udb40\udc41"}"# + "\n")
        #expect(line("é😀\u{A0}漢") == "{\"a\":\"é😀\u{A0}漢\"}\n")
    }

    @Test func everyTextKeepsItsValue() throws {
        for value in Array(UInt32(0)...0x2FFF) + Array(0xD000...0x110FF) + Array(0xE0000...0xE01FF) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = "<\(Character(scalar))>"
            let bytes = Data(line(text).utf8)
            let object = try JSONDecoder().decode([String: String].self, from: bytes)
            #expect(object["a"]?.unicodeScalars.elementsEqual(text.unicodeScalars) == true, "\(value)")
            #expect(String(decoding: bytes, as: UTF8.self).dropLast().onOneLine.utf8.elementsEqual(bytes.dropLast()))
        }
    }

    @Test func namesAndWholeMembersAreHarmlessToo() {
        var object = JSONLine()
        object.add("\u{9B}", 1)
        #expect(object.line(ending: [("p", Array("{\"k\":\"\u{9B}\"}".utf8))]).allSatisfy { $0 < 0x80 })
    }

    @Test func aPayloadOfATemplateStaysAsItIs() {
        var bytes: [UInt8] = []
        JSONText.append("\u{9B}\u{202E}".utf8, to: &bytes)
        #expect(bytes == Array("\u{9B}\u{202E}".utf8))
    }
}
