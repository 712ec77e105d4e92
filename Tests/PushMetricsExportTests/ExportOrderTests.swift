import Testing

@testable import PushMetricsExport

@Suite("parity: F27 – what may be asked for, and where") struct ExportOrderTests {
    private static let today = CalendarDay(number: 20_785)  // 2026-11-28

    private func order(
        _ from: String?, _ to: String?, team: String = "ABCDE12345", app: String = "com.example.app",
        channel: String? = nil, _ dataset: ExportOrder.Dataset = .delivery
    ) throws(ExportOrder.Problem) -> ExportOrder {
        try ExportOrder(
            dataset, teamID: team, appID: app, channelID: channel, from: from.flatMap { CalendarDay($0) },
            to: to.flatMap { CalendarDay($0) }, today: Self.today)
    }

    @Test func theUsualDaysAreTheLastSeven() throws {
        let usual = try order(nil, nil)
        #expect("\(usual.from) \(usual.to)" == "2026-11-21 2026-11-27")
        let earlier = try order(nil, "2026-11-10")
        #expect("\(earlier.from) \(earlier.to)" == "2026-11-04 2026-11-10")
        // Not before Apple's first day.
        #expect(try order(nil, "2026-10-30").from.description == "2026-10-29")
    }

    @Test func applesDaysAreTheLastThirtyWithoutToday() throws {
        #expect(try order("2026-10-29", "2026-11-27").from.description == "2026-10-29")
        #expect(throws: ExportOrder.Problem.firstDayTooEarly(earliest: Self.today.adding(-30))) {
            try order("2026-10-28", nil)
        }
        #expect(throws: ExportOrder.Problem.lastDayTooLate(latest: Self.today.adding(-1))) {
            try order(nil, "2026-11-28")
        }
        for (from, to) in [("2026-11-20", "2026-11-20"), ("2026-11-21", "2026-11-20")] {
            #expect(throws: ExportOrder.Problem.daysNotInOrder) { try order(from, to) }
        }
    }

    @Test func aNameThatWouldChangeThePathIsRefused() throws {
        for text in ["", "..", "a/b", "a?b", "a#b", "a b", "ä", "a%2Fb", String(repeating: "a", count: 256)] {
            #expect(throws: ExportOrder.Problem.teamID, "\(text)") { try order(nil, nil, team: text) }
            #expect(throws: ExportOrder.Problem.appID, "\(text)") { try order(nil, nil, app: text) }
        }
        for text in [nil, "", #"a""#, "a-b", "a\n"] {
            #expect(throws: ExportOrder.Problem.channelID) { try order(nil, nil, channel: text, .channel) }
        }
        #expect(try order(nil, nil, channel: "dHN0LXNyY2gtY2hubA==", .channel).channelID == "dHN0LXNyY2gtY2hubA==")
    }

    // MARK: Addresses

    @Test func anAddressHasItsHostPortAndTarget() throws {
        let cases = [
            ("https://Example.com", "example.com:443", "/"),
            ("https://example.com:8443/a/b?c=d#e", "example.com:8443", "/a/b?c=d"),
            ("HTTPS://[::1]:9/x", "[::1]:9", "/x"), ("https://example.com?q", "example.com:443", "/?q"),
            ("https://127.0.0.1/", "127.0.0.1:443", "/"),
        ]
        for (text, endpoint, target) in cases {
            let address = try WebAddress(text)
            #expect("\(address.endpoint)" == endpoint && address.target == target, "\(text)")
        }
    }

    @Test func whatIsNoAddressOverTLSIsRefused() {
        for text in [
            "", "example.com", "https://", "https:///path", "https://user@example.com/",
            "https://user:word@example.com/",
            "https://example.com:0/", "https://example.com:65536/", "https://example.com:/", "https://exa mple.com/",
            "https://example.com/\r\nx: y", "https://[::1/", "https://[example.com]/", "https://ex_ample.com/",
            "https://ä.example/",
            "https://a.example\\@b.example/", "https://" + String(repeating: "a", count: 9_000),
        ] { #expect(throws: WebAddress.Problem.malformed, "\(text)") { try WebAddress(text) } }
        #expect(throws: WebAddress.Problem.insecure(host: "example.com")) { try WebAddress("http://example.com/a") }
        #expect(throws: WebAddress.Problem.insecure(host: nil)) { try WebAddress("file:///etc/passwd") }
    }

    // MARK: The token

    @Test func theTokenIsInNoDescription() throws {
        let token = try #require(ManagementToken("a-secret-token"))
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped] { #expect(!text.contains("secret")) }
        #expect(token.removed(from: "you said a-secret-token, a-secret-token") == "you said •••, •••")
        // A host is in lower case, and the accent makes another character of the last letter.
        let upper = try #require(ManagementToken("A-Secret-Token"))
        #expect(upper.removed(from: "a-secret-token.example") == "•••.example")
        #expect(upper.removed(from: "A-Secret-Token\u{301}!") == "•••\u{301}!")
        #expect(upper.removed(from: "A-Secret-Toke") == "A-Secret-Toke")
    }

    @Test func aTokenThatCannotBeAHeaderFieldIsNone() {
        for text in ["", "a b", "a\r\nx: y", "ä", "\u{FEFF}a", String(repeating: "a", count: 8_193)] {
            #expect(ManagementToken(text) == nil)
        }
    }

    @Test func theTokenIsInTheRequestThatShowsItAndInNoOther() throws {
        let token = try #require(ManagementToken("a-secret-token"))
        for shows in [true, false] {
            let query = WebQuery(
                method: .get, address: try WebAddress("https://example.com/a"), showsToken: shows, body: [],
                mostBytes: 1,
                limit: .seconds(1))
            let text = String(decoding: try #require(query.bytes(token: token)), as: UTF8.self)
            #expect(text.hasPrefix("GET /a HTTP/1.1\r\nhost: example.com\r\n"))
            #expect(text.contains("\r\nx-apple-cloudkit-management-token: a-secret-token\r\n") == shows)
            #expect(text.contains("secret") == shows)
        }
    }
}
