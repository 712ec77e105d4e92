import Glibc
import PushTerminal
import SupervisedPush
import Testing

@testable import PushCampaign

@Suite struct OutcomesTests {
    private func csv(_ row: OutcomeRow) -> String {
        var bytes: [UInt8] = []
        row.appendCSV(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func json(_ row: OutcomeRow) -> String {
        var bytes: [UInt8] = []
        row.appendJSON(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func rowsHaveTheColumnsScriptsDependOn() {
        let id = "01234567-89ab-cdef-0123-456789abcdef"
        #expect(OutcomeRow.columns == "line,token,outcome,status,reason,apns_id,timestamp,attempts,certainty")
        let delivered = OutcomeRow(
            line: 2, token: "aa", PushOutcome(.delivered, status: 200, apnsID: APNSID(id), attempts: 1))
        #expect(csv(delivered) == "2,aa,delivered,200,,\(id),,1,answered\n")
        let gone = OutcomeRow(
            line: 3, token: "bb",
            PushOutcome(
                .rejected, status: 410, reason: "Unregistered", apnsID: APNSID(id),
                timestamp: Date(unixSeconds: 1_700_000_000), attempts: 2))
        #expect(csv(gone) == "3,bb,rejected,410,Unregistered,\(id),1700000000,2,answered\n")
        let invalid = OutcomeRow.notPushed(InputRecord(line: 4, token: "x y", problem: "p"))
        #expect(csv(invalid) == "4,x y,failed,,invalid_input,,,0,not_sent\n")
        let lost = OutcomeRow(line: 5, token: "cc", PushOutcome(.unknown, reason: "connection_lost", attempts: 1))
        #expect(csv(lost) == "5,cc,unknown,,connection_lost,,,1,unknown\n")
    }

    @Test func fieldsAreQuotedWhereTheyMustBe() {
        let row = OutcomeRow(line: 1, token: "a,\"b\"\r\nc", PushOutcome(.failed, reason: "x,y\u{1B}[31m\nz"))
        #expect(csv(row) == "1,\"a,\"\"b\"\"\r\nc\",failed,,\"x,y [31m z\",,,0,not_sent\n")
    }

    @Test(arguments: ["=HYPERLINK(0)", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\nx"])
    func whatASpreadsheetWouldRunIsMarkedAsText(token: String) throws {
        let row = OutcomeRow(line: 1, token: token, PushOutcome(.failed))
        let bytes = Array((OutcomeRow.columns + "\n" + csv(row)).utf8)
        #expect(try records(.csv, bytes).map(\.token) == ["'" + token])
        // JSON is for programs, and says what stood there.
        #expect(!json(row).contains("'"))
    }

    @Test func aRowReadsBackAsOneRecord() throws {
        let tokens = ["", "a", "a,b", "\"", "\"\"", "a\nb", "a\r\nb", "é,😀"]
        for token in tokens {
            var bytes = Array((OutcomeRow.columns + "\n").utf8)
            OutcomeRow(line: 9, token: token, PushOutcome(.failed)).appendCSV(to: &bytes)
            #expect(try records(.csv, bytes).map(\.token) == [token])
        }
    }

    @Test func jsonRowsHaveTheSameNames() {
        let row = OutcomeRow(
            line: 3, token: "b\"\n",
            PushOutcome(.rejected, status: 410, reason: "Unregistered", timestamp: Date(unixSeconds: 17), attempts: 2))
        #expect(
            json(row)
                == #"{"line":3,"token":"b\"\u000a","outcome":"rejected","status":410,"reason":"Unregistered","#
                + #""apns_id":null,"timestamp":17,"attempts":2,"certainty":"answered"}"# + "\n")
    }

    @Test(arguments: [
        ("123E4567-E89B-42D3-A456-42661417400A", "123E4567-E89B-42D3-A456-42661417400A"),
        ("123e4567-E89B-42d3-a456-42661417400a", "123e4567-E89B-42d3-a456-42661417400a"),
        ("999E4567-E89B-42D3-A456-42661417400A", "123e4567-e89b-42d3-a456-42661417400a"),
        ("no UUID", "123e4567-e89b-42d3-a456-42661417400a"),
    ])
    func anIDIsWrittenAsItWasGiven(given: String, written: String) throws {
        let id = try #require(APNSID("123e4567-e89b-42d3-a456-42661417400a"))
        var row = OutcomeRow(line: 1, token: "aa", PushOutcome(.delivered, apnsID: id))
        row.givenID = given
        #expect(csv(row).contains(",\(written),") && json(row).contains("\"apns_id\":\"\(written)\""))
        #expect(csv(row.interrupted(id)).contains(",\(written),"))
    }

    @Test func theLongestNumbersFitIntoARow() {
        let row = OutcomeRow(
            line: .max, token: "\"",
            PushOutcome(
                .delivered, certainty: .unprocessed, status: .min, timestamp: Date(unixSeconds: .min), attempts: 0))
        let number = "9223372036854775807"
        let least = "-9223372036854775808"
        #expect(csv(row) == "\(number),\"\"\"\",delivered,\(least),,,\(least),0,unprocessed\n")
    }

    @Test func aReasonFromAServerIsBounded() {
        let row = OutcomeRow(line: 1, token: "a", PushOutcome(.rejected, reason: String(repeating: "x", count: 9000)))
        #expect(row.reason?.count == OutcomeRow.longestReason + 1)
    }

    @Test func rowsReachTheFileInOrder() throws {
        try withPipe { reader, writer in
            var outcomes = try OutcomesWriter(OutputFile(borrowing: writer, name: "pipe"))
            for line in 2...11 {
                try outcomes.append(OutcomeRow(line: line, token: "t", PushOutcome(.failed)))
            }
            #expect(outcomes.rows == 10)
            #expect(available(reader) == OutcomeRow.columns + "\n")
            try outcomes.flush()
            let lines = available(reader).split(separator: "\n")
            let numbers = lines.map { (line: Substring) -> Int? in Int(line.prefix { $0 != "," }) }
            #expect(numbers == Array(2...11))
            try outcomes.flush()
            #expect(available(reader).isEmpty)
        }
    }

    @Test func aFullDiskIsAnErrorThatIsReportedOnce() throws {
        let error = #expect(throws: CommandError.self) {
            _ = try OutcomesWriter(OutputRequestTests.request("/dev/full").open())
        }
        #expect(error?.status == .unknown)
        #expect(error?.message == "cannot write /dev/full: no space left on device; its last lines are missing")

        var outcomes = try OutcomesWriter(OutputRequestTests.request("/dev/full").open(), format: .json)
        let row = OutcomeRow(line: 1, token: "t", PushOutcome(.failed))
        try outcomes.append(row)
        #expect(throws: CommandError.self) { try outcomes.flush() }
        #expect(outcomes.failure != nil)
        for _ in 0..<10_000 { try outcomes.append(row) }
        try outcomes.flush()
        #expect(outcomes.rows == 10_001)
    }

    @Test func aClosedPipeIsAnErrorAndNoEnd() throws {
        SignalWatcher.ignoreBrokenPipes()
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        _ = close(ends[0])
        defer { _ = close(ends[1]) }
        var outcomes = try OutcomesWriter(OutputFile(borrowing: ends[1], name: "pipe"), format: .json)
        try outcomes.append(OutcomeRow(line: 1, token: "t", PushOutcome(.failed)))
        let error = #expect(throws: CommandError.self) { try outcomes.flush() }
        #expect(error?.message.contains("broken pipe") == true)
    }

    @Test func aFileThatCannotBeCreatedIsAConfigurationError() {
        let error = #expect(throws: CommandError.self) {
            _ = try OutputRequestTests.request("/nowhere/at/all.csv").open()
        }
        #expect(error?.status == .configuration)
        #expect(error?.message.contains("/nowhere/at/all.csv: no such file or directory") == true)
    }

    private func withPipe(_ body: (_ reader: Int32, _ writer: Int32) throws -> Void) throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { _ = close(end) } }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        try body(ends[0], ends[1])
    }

    private func available(_ reader: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(reader, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
}
