import PushTerminal
import Testing

@testable import PushCampaign

@Suite struct CSVReaderTests {
    @Test func columnsAreFoundByName() throws {
        let text =
            "priority,topic,token,payload,apns_id,collapse_id,expiration,push_type\n10,a.b,00ff,{},id,c,7,alert\n"
        var expected = InputRecord(line: 2)
        expected.token = "00ff"
        expected.topic = "a.b"
        expected.collapseID = "c"
        expected.apnsID = "id"
        expected.pushType = "alert"
        expected.expiration = 7
        expected.priority = 10
        expected.payload = Array("{}".utf8)
        #expect(try records(.csv, text) == [expected])
    }

    @Test func quotesCommasAndLineBreaksInsideQuotesBelongToTheField() throws {
        let text = "token,payload\r\naa,\"{\"\"aps\"\":{\"\"alert\"\":\"\"a, b\"\"},\r\n\"\"x\"\":1}\"\r\nbb,{}\r\n"
        let found = try records(.csv, text)
        #expect(found.map(\.line) == [2, 4])
        #expect(found.map(\.token) == ["aa", "bb"])
        #expect(found[0].payload == Array("{\"aps\":{\"alert\":\"a, b\"},\r\n\"x\":1}".utf8))
        #expect(found.allSatisfy { $0.problem == nil })
    }

    @Test func anyCutOfTheInputGivesTheSameRecords() throws {
        let text =
            "\u{FEFF}token, topic ,payload\r\n\r\naa,t,\"{\"\"a\"\":\r\n1}\"\r\n  \nbb,\"\",\ncc,\"x\"y,{}\n\"dd\",t,\"{}\"\r\nee,é,\n"
        let bytes = Array(text.utf8)
        let whole = try records(.csv, bytes)
        #expect(whole.map(\.token) == ["aa", "bb", "cc", "dd", "ee"])
        #expect(whole.map(\.line) == [3, 6, 7, 8, 9])
        for size in 1...bytes.count {
            #expect(try records(.csv, bytes, pieceSize: size) == whole, "pieces of \(size) bytes")
        }
    }

    @Test func aByteOrderMarkIsNoPartOfTheFirstColumn() throws {
        #expect(try records(.csv, "\u{FEFF}token\naa\n").map(\.token) == ["aa"])
    }

    @Test func blankLinesAreNoRecordsButCountAsLines() throws {
        let found = try records(.csv, "\n\r\ntoken\n\n  \t \naa\n\n\nbb")
        #expect(found.map(\.line) == [6, 9])
    }

    @Test func theLastRecordNeedsNoLineEnd() throws {
        #expect(try records(.csv, "token\naa").map(\.token) == ["aa"])
        #expect(try records(.csv, "token\r\n\"aa\"\r").map(\.token) == ["aa"])
    }

    @Test func invalidUTF8IsAnInvalidRecordAndNoStop() throws {
        let bytes =
            Array("token,topic\naa,".utf8) + [0xFF, 0xFE] + Array("\n".utf8) + [0xC0] + Array("bb,t\ncc,t\n".utf8)
        let found = try records(.csv, bytes)
        #expect(found.map(\.line) == [2, 3, 4])
        #expect(found.map(\.problem) == ["topic is not UTF-8", "token is not UTF-8", nil])
        #expect(found.map(\.token) == ["aa", "\u{FFFD}bb", "cc"])
    }

    @Test func aQuoteLeftOpenCostsItsLineOnly() throws {
        var text = "token,topic\naa,\"open\n"
        for _ in 0..<20_000 { text += "bb,t\n" }
        let found = try records(.csv, text)
        #expect(found.count == 20_001)
        #expect(found[0].token == "aa")
        #expect(found[0].problem?.contains("quote left open") == true)
        #expect(found.dropFirst().allSatisfy { $0.problem == nil })
        #expect(found.last?.line == 20_002)
    }

    @Test func aQuoteLeftOpenAtTheEndCostsItsLineOnly() throws {
        let found = try records(.csv, "token,topic\naa,\"open\nbb,t\n")
        #expect(found.map(\.token) == ["aa", "bb"])
        #expect(found.map(\.problem) == ["a quote is never closed", nil])
    }

    @Test func aRecordBeyondTheLimitIsInvalidAndMemoryStaysBounded() throws {
        let bytes =
            Array("token\naa\n".utf8) + Array(repeating: UInt8(ascii: "b"), count: 5_000_000) + Array("\ncc\n".utf8)
        let found = try records(.csv, bytes)
        #expect(found.map(\.line) == [2, 3, 4])
        #expect(found[1].problem == "the record is longer than 65536 bytes")
        #expect(found[2].token == "cc")
    }

    @Test func aRecordOfTheLimitIsValid() throws {
        let longest = String(repeating: "a", count: RecordReaders.longestRecord - 1)
        #expect(try records(.csv, "token\n\(longest)\n").map(\.problem) == [nil])
        #expect(try records(.csv, "token\n\(longest)a\n").map { $0.problem == nil } == [false])
    }

    @Test func fieldsThatDoNotFitAreProblems() throws {
        let text =
            "token,expiration,priority,payload\naa,soon,,\nbb,,high,\ncc,,,[1]\n,,,\ndd,1\nee,1,2,{},5\nff,1,5,{}\n"
        let problems = try records(.csv, text).map(\.problem)
        #expect(
            problems == [
                "expiration is not a whole number of UNIX seconds", "priority high is not valid: it must be 1, 5 or 10",
                "payload is not a JSON object", "token is empty", "the header has 4 columns, the record 2",
                "the header has 4 columns, the record 5", nil,
            ])
    }

    @Test func aPayloadLikeTheOneBeforeIsReadInTheSameWay() throws {
        let text = """
            token,payload
            aa,"{""a"":1}"
            bb,"{""a"":1}"
            cc,{""a"":1}
            dd,"{""a"":2}"
            ee,
            ff,"{""a"":2}"
            """
        let found = try records(.csv, text)
        let payloads = found.map { record in record.payload.map { String(decoding: $0, as: UTF8.self) } }
        #expect(payloads == [#"{"a":1}"#, #"{"a":1}"#, nil, #"{"a":2}"#, nil, #"{"a":2}"#])
        #expect(found.map { $0.problem != nil } == [false, false, true, false, false, false])
    }

    @Test func unknownColumnsAreIgnoredAndNamed() throws {
        let reader = try CSVReader(name: "x", fill: pieces(Array("user,token,plan\n1,aa,b\n".utf8), of: 5))
        #expect(reader.unknownNames == ["user", "plan"])
        #expect(reader.mayHave(.token))
        #expect(!reader.mayHave(.topic))
    }

    @Test(
        arguments: [
            ("", "x is empty"), ("\n \r\n", "x is empty"), ("topic,payload\n", "no column is named token"),
            ("token;topic\n", "separated by ;; add --delimiter ';'"), ("token,token\n", "appears twice"),
            ("\"token\n", "the header can't be read"),
            ("user,device_token\n", "no column is named token; rename device_token to token"),
            ("Tokens\n", "rename Tokens to token"),
        ])
    func aFileWithoutAUsableHeaderIsAnInputError(text: String, expected: String) {
        let error = #expect(throws: CommandError.self) {
            _ = try CSVReader(name: "x", fill: pieces(Array(text.utf8), of: 3))
        }
        #expect(error?.status == .input)
        #expect(error?.message.contains(expected) == true)
    }

    @Test(
        arguments: [
            ("\"Token\";\"name\"\naa;b\n", "add --delimiter ';'"),
            ("token\tname\naa\tb\n", "by tabs; add --delimiter tab"),
            ("name|token\n", "add --delimiter '|'"),
            ("sep=;\ntoken;name\n", "for Excel alone; delete it, and add --delimiter ';'"),
            ("sep=,\ntoken,name\n", "for Excel alone; delete it"),
            ("token\raabb\rccdd\r", "tr '\\r' '\\n' < x > NEW"),
            ("token,name\raabb,b\rccdd,c", "a carriage return alone"),
            ("\"token\"\r\"aabb\"\r", "a carriage return alone"),
            ("“token”,“name”\n", "in typographic quotes"), ("„token“;„name“\n", "add --delimiter ';'"),
            ("[{\"token\":\"aa\"}]\n", "it is a JSON array"), ("[\n", "jq -c '.[]' x | pushctl bulk"),
            ("{\"token\":\"aa\"}\n", "add --format ndjson"), ("name\n", "the first line must name the columns"),
        ])
    func aFileOfAnotherKindIsNamedWithWhatToDo(text: String, expected: String) {
        for size in [1, 3, 100] {
            let error = #expect(throws: CommandError.self) {
                _ = try CSVReader(name: "x", fill: pieces(Array(text.utf8), of: size))
            }
            #expect(error?.status == .input)
            #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
        }
    }

    @Test func aFileOfCarriageReturnsIsNamedWhateverItsLength() {
        let text = "token,name\r" + String(repeating: "aabb,b\r", count: 20_000)
        let error = #expect(throws: CommandError.self) {
            _ = try CSVReader(name: "x", fill: pieces(Array(text.utf8), of: 65_536))
        }
        #expect(error?.message.contains("a carriage return alone") == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [";", "\t", "|"]) func columnsMayBeSeparatedByOtherSigns(_ sign: String) throws {
        let text = "\u{FEFF}token,topic,payload\r\naa,\"t,1\",\"{\"\"a\"\":\"\"b,c\"\"}\"\r\nbb,,\n".replacing(
            ",", with: sign)
        let delimiter = try #require(RecordDelimiter.byte(sign))
        var reader = try RecordReaders.open(
            .csv, delimiter: delimiter, name: "x", fill: pieces(Array(text.utf8), of: 3))
        let (first, second) = (try reader.next(), try reader.next())
        #expect(first?.token == "aa" && first?.topic == "t\(sign)1" && second?.token == "bb" && second?.topic == nil)
        #expect(try reader.next() == nil)
    }

    @Test func whatSeparatesColumnsIsASign() {
        #expect(["tab", "\\t", "\t", ";", "|", ","].map(RecordDelimiter.byte) == [9, 9, 9, 0x3B, 0x7C, 0x2C])
        for text in ["", ";;", "a", "0", "\"", " ", "\n", "é", "Tab"] { #expect(RecordDelimiter.byte(text) == nil) }
    }

    @Test func aTypographicQuoteInARecordIsNamed() throws {
        let text = "token,payload\naa,“{a:1,b:2}”\nbb,\"{“a”:1}\"\ncc,“{}”\n"
        let problems = try records(.csv, text).map { $0.problem ?? "" }
        #expect(problems.count == 3 && problems.allSatisfy { $0.contains("typographic quote") }, "\(problems)")
        #expect(problems[1] == "payload has a typographic quote where a straight one (\") belongs (byte 2)")
    }

    @Test func aReadErrorEndsTheInput() throws {
        var isFirst = true
        var reader = try CSVReader(name: "x") { buffer throws(CommandError) in
            guard isFirst else { throw .input("cannot read x") }
            isFirst = false
            buffer.copyBytes(from: "token\naa\nbb".utf8)
            return 11
        }
        #expect(try reader.next()?.token == "aa")
        #expect(throws: CommandError.input("cannot read x")) { _ = try reader.next() }
    }
}
