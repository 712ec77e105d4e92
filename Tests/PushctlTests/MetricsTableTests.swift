import PushMetricsExport
import PushTerminal
import Testing

@testable import pushctl

/// Reports of Apple's as they are printed.
@Suite("parity: F27 – pushctl metrics") struct MetricsTableTests {
    private static let deliveries = """
        Push Type,Status,Date (UTC),Count
        alert,delivered,2026-11-26,91200
        alert,stored,2026-11-26,4100
        background,delivered,2026-11-27,1000

        """

    private func table(_ text: String) throws -> MetricsTable { try MetricsTable(Array(text.utf8)) }
    private func json(_ text: String) throws -> String { String(decoding: try table(text).json, as: UTF8.self) }
    private func csv(_ text: String) throws -> String { String(decoding: try table(text).csv, as: UTF8.self) }

    @Test func aReportIsATableWithTheSumOfEachStatus() throws {
        #expect(
            try table(Self.deliveries).text == """
                Push Type    Status      Date (UTC)    Count
                alert        delivered   2026-11-26   91,200
                alert        stored      2026-11-26    4,100
                background   delivered   2026-11-27    1,000
                sums   92,200 delivered, 4,100 stored

                """)
    }

    @Test func eachRowIsALineOfJSON() throws {
        let first = try json(Self.deliveries).split(separator: "\n").first
        #expect(first == #"{"push_type":"alert","status":"delivered","date_utc":"2026-11-26","count":91200}"#)
    }

    @Test func theCSVIsTheReportWithoutAByteOrderMark() throws {
        #expect(try csv(Self.deliveries) == Self.deliveries)
        #expect(try csv("\u{FEFF}" + Self.deliveries.replacing("\n", with: "\r\n")) == Self.deliveries)
        let quoted = "a,\"b\"\"c\",\"d,e\",\"f\ng\"\n1,2,3,4\n"
        #expect(try csv(quoted) == quoted)
    }

    @Test func aHiddenFigureIsNullAndADash() throws {
        let report = "Date (UTC),Broadcasts Published,Total Subscriptions\n2026-11-26,-1,-1\n2026-11-27,2,5000\n"
        #expect(
            try json(report) == """
                {"date_utc":"2026-11-26","broadcasts_published":null,"total_subscriptions":null}
                {"date_utc":"2026-11-27","broadcasts_published":2,"total_subscriptions":5000}

                """)
        #expect(try table(report).text.split(separator: "\n")[1].hasSuffix("                     –"))
        #expect(try csv(report) == report)
    }

    @Test func aColumnThatIsNotKnownIsKept() throws {
        #expect(
            try json("Date (UTC),New–Column 2\n2026-11-26,x\n")
                == "{\"date_utc\":\"2026-11-26\",\"new_column_2\":\"x\"}\n")
    }

    @Test func aReportWithoutRowsSaysSo() throws {
        #expect(try table("a,b\n").text.contains("no rows"))
        #expect(try json("a,b\n").isEmpty)
    }

    @Test func nothingInAReportControlsATerminal() throws {
        let report = "a\u{1B}[2J,b\nx\u{202E}y,\u{7}\n"
        #expect(try !table(report).text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" || $0 == "\u{7}" })
        #expect(try !json(report).unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
    }

    @Test(arguments: ["", "\n\n", "a,b\n1\n", "a,b\n1,\"2\n", "a\"b\n\"1\"2\n", "<html>,<body>\nx\n"])
    func whatIsNoTableIsRefused(
        report: String
    ) {
        let error = #expect(throws: CommandError.self) { try table(report) }
        #expect(error?.status == .rejectedOrFailed && error?.message.contains("the report") == true)
    }

    // MARK: The token and the flags

    private func options(_ flags: [String]) throws(CommandError) -> MetricsOptions {
        try MetricsOptions.parsed(["--team-id", "ABCDE12345", "--topic", "com.example.app"] + flags)
    }

    @Test func theTokenComesFromTheVariableOnlyWithoutAFile() throws {
        let options = try options([])
        #expect(throws: CommandError.self) { try options.token { _ in nil } }
        _ = try options.token { $0 == "PUSHCTL_MANAGEMENT_TOKEN" ? " token\n" : nil }
        let wrong = #expect(throws: CommandError.self) { try options.token { _ in "two secret words" } }
        #expect(wrong?.status == .configuration && wrong?.message.contains("secret") == false)
    }

    @Test func aFlagThatCannotBeUsedIsNamed() {
        for (flags, words) in [
            (["--from", "yesterday"], "--from is not a day"), (["--to", "2999-01-01"], "--to is too late"),
            (["--from", "2020-01-01"], "--from is too early"), (["--csv", "--json"], "exclude"),
            (["--metrics-host", "https://example.com"], "--metrics-host"), (["--topic", "a/b"], "--topic is not"),
            (["--outcomes", "a", "--journal", "b"], "exclude"), (["--max-wait", "0"], "--max-wait"),
            (["--management-token", "secret"], "Unknown option"),
        ] {
            let error = #expect(throws: CommandError.self) { try options(flags) }
            #expect(error?.status == .usage && error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
    }

    @Test func aReportOfTooManyFieldsIsRefused() {
        let error = #expect(throws: CommandError.self) {
            _ = try table("a\n" + String(repeating: "1\n", count: 2_000_001))
        }
        #expect(error?.line.contains("more than 2000000 fields") == true)
    }
}
