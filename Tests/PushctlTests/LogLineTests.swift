import Foundation
import PushTerminal
import Testing

@testable import pushctl

/// Lines on standard error, as text and as JSON.
@Suite struct LogLineTests {
    @Test func aLineIsTextOrAnObject() {
        let line = LogLine(
            "pushctl: 3 waiting, 1/s", .warning, queue: "orders",
            [.init("waiting", .count(3)), .init("taken", .count(nil)), .init("rate", .number(1.25))])
        #expect(line.text == "pushctl: orders: 3 waiting, 1/s")
        #expect(
            line.json(at: 1_795_000_000_123)
                == #"{"time":"2026-11-18T11:06:40.123Z","level":"warning","queue":"orders","#
                + #""message":"3 waiting, 1/s","waiting":3,"taken":null,"rate":1.250}"#)
    }

    @Test func anErrorHasItsLevel() {
        let line = LogLine(CommandError(.usage, "No.\nNo."))
        #expect(line.level == .error && line.message == "No. No." && line.text == "pushctl: No. No.")
    }

    @Test func nothingInAnObjectControlsATerminal() throws {
        let text = "a\u{1B}[2J\u{9B}b\u{202E}c\nd\u{7F}\""
        let json = LogLine("pushctl: " + text, queue: "q\u{200F}").json(at: 0)
        #expect(json.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 && $0.value != 0x7F }, "\(json)")
        let object = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: String])
        #expect(object["message"] == text && object["queue"] == "q\u{200F}")
    }

    @Test func totalsAreAMember() {
        let line = LogLine("the totals", .info, [.init("totals", .json(Array("{\"records\":1}\n".utf8)))])
        #expect(line.json(at: 0).hasSuffix(#""message":"the totals","totals":{"records":1}}"#))
    }

    @Test(
        arguments: [
            ([], nil, LogFormat.text), (["worker", "--log", "json"], nil, .json),
            (["bulk", "x", "--log=json"], nil, .json),
            (["worker", "--log", "text"], "json", .text), (["worker"], "json", .json), (["send"], "text", .text),
            (["simulate", "--log", "json"], nil, .text), (["simulate", "--log", "json"], "json", .json),
            (["simulate", "--", "x", "--log", "json"], nil, .text), (["worker", "--log", "other"], nil, .text),
        ] as [([String], String?, LogFormat)])
    func theFlagBeatsTheVariable(_ arguments: [String], _ variable: String?, _ expected: LogFormat) throws {
        #expect(try LogFormat.chosen(by: arguments) { $0 == "PUSHCTL_LOG" ? variable : nil } == expected)
    }

    @Test func anotherValueOfTheVariableIsRefused() {
        let error = #expect(throws: CommandError.self) { try LogFormat.chosen(by: ["send"]) { _ in "jsno" } }
        #expect(error?.status == .usage && error?.message == "PUSHCTL_LOG is 'jsno'; set it to text or json.")
    }
}
