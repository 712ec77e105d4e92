import PushTerminal
import Testing

@testable import PushCampaign

@Suite struct NDJSONReaderTests {
    @Test func membersAreFoundByNameAndThePayloadStaysAsItStands() throws {
        let text = """
            {"payload": {"b" : 1,"a":[1e2, "\\u00e9"]} , "token":"00FF","topic":"t","collapse_id":"c","apns_id":"i",\
            "expiration":12,"priority":5,"push_type":"alert"}
            """
        var expected = InputRecord(line: 1)
        expected.token = "00FF"
        expected.topic = "t"
        expected.collapseID = "c"
        expected.apnsID = "i"
        expected.pushType = "alert"
        expected.expiration = 12
        expected.priority = 5
        expected.payload = Array(#"{"b" : 1,"a":[1e2, "\u00e9"]}"#.utf8)
        #expect(try records(.ndjson, text) == [expected])
    }

    @Test func anyCutOfTheInputGivesTheSameRecords() throws {
        let text = "\u{FEFF}{\"token\":\"aa\"}\r\n\r\n \n{\"token\":\"é\\ud83d\\ude00\"}\nnonsense\n{\"token\":\"cc\"}"
        let bytes = Array(text.utf8)
        let whole = try records(.ndjson, bytes)
        #expect(whole.map(\.line) == [1, 4, 5, 6])
        #expect(whole.map(\.token) == ["aa", "é😀", "", "cc"])
        for size in 1...bytes.count {
            #expect(try records(.ndjson, bytes, pieceSize: size) == whole, "pieces of \(size) bytes")
        }
    }

    @Test(
        arguments: [
            ("1", "the line is not a JSON object"), ("{", "lacks a name"),
            (#"{"token":"aa"} x"#, "text after its end"),
            (#"{"token":7}"#, "token is not a string"), (#"{"topic":"t"}"#, "token is missing"),
            (#"{"token":null}"#, "token is missing"), (#"{"token":"a","token":"b"}"#, "token appears twice"),
            (#"{"token":"a","payload":"{}"}"#, "payload is not a JSON object"),
            (#"{"token":"a","expiration":1.5}"#, "expiration is not"),
            (#"{"token":"a","priority":"5"}"#, #"priority "5" is not valid: it must be 1, 5 or 10"#),
            (#"{"token":"a","priority":10.5}"#, "priority 10.5 is not valid: it must be 1, 5 or 10"),
            (#"{"token":"\ud800"}"#, "token is not a string"), (#"{"token":"a","payload":{"x":01}}"#, "lacks a comma"),
        ])
    func aLineThatIsNotValidIsARecordWithAProblem(line: String, expected: String) throws {
        let found = try records(.ndjson, line + "\n{\"token\":\"ok\"}\n")
        #expect(found.count == 2)
        #expect(found[0].problem?.contains(expected) == true, "\(found[0].problem ?? "no problem")")
        #expect(
            found[1]
                == {
                    var record = InputRecord(line: 2); record.token = "ok"; return record
                }())
    }

    @Test func invalidUTF8IsAnInvalidRecordAndNoStop() throws {
        let found = try records(.ndjson, Array("{\"token\":\"".utf8) + [0xFF] + Array("\"}\n{\"token\":\"bb\"}\n".utf8))
        #expect(found.map(\.problem) == ["the line is not UTF-8", nil])
    }

    @Test func onlyWhiteSpaceIsABlankLine() throws {
        let blank = try records(.ndjson, " \t \r\n{\"token\":\"aa\"}\n")
        #expect(blank.map(\.token) == ["aa"] && blank.map(\.line) == [2])
        // What a crash leaves behind in a file: a record that can't be read, and no reason to skip it without a word.
        for byte: UInt8 in [0, 0x01, 0x0B, 0x0C, 0x1B, 0x1F] {
            let found = try records(.ndjson, [byte, byte, 0x0A] + Array("{\"token\":\"bb\"}\n".utf8))
            #expect(found.map(\.token) == ["", "bb"], "byte \(byte)")
            #expect(found.first?.problem == "the line is not a JSON object")
        }
    }

    @Test func namesThatOnlyLookAlikeAreTwoMembers() throws {
        // One é is one scalar, the other two: for Swift's String they are equal, for JSON they are not.
        let payload = "{\"\u{E9}\":1,\"e\u{301}\":2}"
        let found = try records(.ndjson, "{\"token\":\"aa\",\"\u{E9}\":1,\"e\u{301}\":2,\"payload\":\(payload)}\n")
        #expect(found.map(\.problem) == [nil] && found.first?.payload == Array(payload.utf8))
    }

    @Test func aLineBeyondTheLimitIsInvalidAndTheNextOneIsRead() throws {
        let long = #"{"token":""# + String(repeating: "a", count: 3_000_000) + "\"}\n"
        let found = try records(.ndjson, long + "{\"token\":\"bb\"}")
        #expect(found.map(\.line) == [1, 2])
        #expect(found[0].problem == "the record is longer than 65536 bytes")
        #expect(found[1].token == "bb")
    }

    @Test func unknownMembersAreIgnoredAndNamedOnce() throws {
        let text = "{\"token\":\"aa\",\"user\":1}\n{\"user\":{\"deep\":[]},\"token\":\"bb\"}\n"
        var reader = NDJSONReader(name: "x", fill: pieces(Array(text.utf8), of: 10))
        while let record = try reader.next() { #expect(record.problem == nil) }
        #expect(reader.unknownNames == ["user"])
        #expect(reader.bytesConsumed == UInt64(text.utf8.count))
    }

    @Test(arguments: ["[{\"token\":\"aa\"}]", "\u{FEFF} \n[\n{}\n]", "[]"]) func aJSONArrayIsNamed(text: String) {
        let error = #expect(throws: CommandError.self) { try records(.ndjson, text) }
        #expect(error?.status == .input)
        #expect(
            error?.message.contains("is a JSON array") == true && error?.message.contains("jq -c '.[]' input") == true)
    }

    @Test func anEmptyInputHasNoRecords() throws {
        #expect(try records(.ndjson, "").isEmpty)
        #expect(try records(.ndjson, "\n \r\n").isEmpty)
    }
}
