import PushHTTP1
import Testing

@testable import PushSimulator

/// The three steps of a simulated export, without a network.
@Suite("parity: F27 – the export of the simulator") struct ExportDeskTests {
    /// 2026-11-28 at noon.
    private static let now: Int64 = 1_795_867_200_000
    private static let path = "/v1/dataExports/apns/teams/TEAM/appId/com.example.app/datasetName/"

    private static func facts(_ figures: MetricFigures = MetricFigures(), channels: Set<String> = [])
        -> ExportDesk.Facts
    {
        ExportDesk.Facts(now: now, figures: figures) { $0 == "com.example.app" ? channels : [] }
    }

    private func desk(_ failure: SimulatedMetrics.Failure? = nil, polls: Int = 0, subscribers: Int = 1_000)
        -> ExportDesk
    {
        var settings = SimulatedMetrics()
        (settings.failure, settings.polls, settings.subscribers) = (failure, polls, subscribers)
        return ExportDesk(settings, teamID: "TEAM")
    }

    private func body(
        _ from: String = "2026-11-21", _ to: String = "2026-11-27", minutes: Int = 60, channel: String? = nil
    ) -> String {
        let id = channel.map { #","channelId":"\#($0)""# } ?? ""
        return #"{"startDate":"\#(from)","endDate":"\#(to)","dataDownloadUrlExpiresInMinutes":\#(minutes)\#(id)}"#
    }

    private func request(
        _ method: String, _ target: String, _ body: String = "", token: String? = SimulatedMetrics.usualToken,
        host: String = "localhost:1"
    ) -> HTTP1Message {
        var message = HTTP1Message(
            .request(method: method, target: target), fields: [.init("host", host)], body: Array(body.utf8))
        if let token { message.fields.append(.init(ExportDesk.tokenField, token)) }
        return message
    }

    private func text(_ message: HTTP1Message) -> String { String(decoding: message.body, as: UTF8.self) }

    @Test func aRequestLeadsToAStatusAndThatToAReport() throws {
        var desk = desk(polls: 1)
        var figures = MetricFigures()
        let day = Int32(MetricFigures.day(Self.now))
        for _ in 0..<3 { figures.add(MetricFigures.Delivery(day: day, kind: .voip)) }
        figures.add(MetricFigures.Delivery(day: day, kind: .alert))
        figures.add(MetricFigures.Delivery(day: day + 1, kind: .alert))
        let taken = desk.answer(request("POST", Self.path + "deliverymetrics/request", body()), Self.facts(figures))
        #expect(
            text(taken)
                == #"{"statusUrl":"https://localhost:1/v1/dataExports/status/1","requestedAt":"2026-11-28T12:00:00.000Z"}"#
        )
        let working = desk.answer(request("GET", "/v1/dataExports/status/1"), Self.facts(figures))
        #expect(text(working).hasPrefix(#"{"status":"PROCESSING","#))
        let ready = desk.answer(request("GET", "/v1/dataExports/status/1"), Self.facts(figures))
        #expect(text(ready).contains(#""downloadDetails":{"dataUrl":"https://localhost:1/exports/1.csv?valid=yes","#))
        #expect(text(ready).contains(#""expiresAt":"2026-11-28T13:00:00.000Z"}}"#))
        let report = desk.answer(request("GET", "/exports/1.csv?valid=yes", token: nil), Self.facts(figures))
        #expect(
            text(report)
                == "Push Type,Status,Date (UTC),Count\nalert,delivered,2026-11-27,1\nvoip,delivered,2026-11-27,3\n")
    }

    @Test func theSameRequestHasTheSameStatus() {
        var desk = desk()
        let target = Self.path + "deliverymetrics/request"
        let answers = [body(), body("2026-11-20"), body()].map {
            text(desk.answer(request("POST", target, $0), Self.facts()))
        }
        #expect(answers[0] == answers[2] && answers[0] != answers[1])
    }

    @Test func aSmallChannelHasNoFigures() {
        var figures = MetricFigures()
        figures.add(MetricFigures.Broadcast(day: MetricFigures.day(Self.now), channelID: "AAAA"))
        for (subscribers, end) in [(99, "2026-11-27,-1,-1,-1\n"), (100, "2026-11-27,1,100,100\n")] {
            var desk = desk(subscribers: subscribers)
            let facts = Self.facts(figures, channels: ["AAAA"])
            _ = desk.answer(
                request("POST", Self.path + "broadcastchannelmetrics/request", body(channel: "AAAA")), facts)
            #expect(text(desk.answer(request("GET", "/exports/1.csv", token: nil), facts)).hasSuffix(end))
        }
    }

    @Test func aWrongRequestIsRefused() {
        var desk = desk()
        let target = Self.path + "deliverymetrics/request"
        let cases: [(HTTP1Message, Int)] = [
            (request("POST", target, body(), token: nil), 401), (request("POST", target, body(), token: "other"), 401),
            (request("POST", target.replacing("TEAM", with: "OTHER"), body()), 401),
            (request("POST", Self.path + "unknown/request", body()), 404), (request("POST", "/", body()), 404),
            (request("PUT", target, body()), 404), (request("GET", "/v1/dataExports/status/1"), 404),
            (request("GET", "/exports/1.csv", token: nil), 404), (request("POST", target, "{"), 400),
            (request("POST", target, body("2026-11-27", "2026-11-27")), 400),
            (request("POST", target, body("2026-11-21", "2026-11-28")), 400),
            (request("POST", target, body("2026-10-28", "2026-11-27")), 400),
            (request("POST", target, body("2026-02-30", "2026-11-27")), 400),
            (request("POST", target, body(minutes: 61)), 400),
            (request("POST", target, body(), host: "a\"b"), 400),
            (request("POST", Self.path + "broadcastchannelmetrics/request", body()), 404),
            (request("POST", Self.path + "broadcastchannelmetrics/request", body(channel: "BBBB")), 404),
        ]
        for (request, status) in cases {
            #expect(desk.answer(request, Self.facts(channels: ["AAAA"])).status == status)
        }
    }

    @Test func whoShowsTheTokenToTheReportIsRefused() {
        var desk = desk()
        _ = desk.answer(request("POST", Self.path + "deliverymetrics/request", body()), Self.facts())
        #expect(desk.answer(request("GET", "/exports/1.csv"), Self.facts()).status == 400)
        #expect(desk.answer(request("GET", "/v1/dataExports/status/1", token: "other"), Self.facts()).status == 404)
    }

    @Test func eachFailureIsPlayed() {
        func answer(_ failure: SimulatedMetrics.Failure, step: Int) -> HTTP1Message {
            var desk = desk(failure)
            let requests = [
                request("POST", Self.path + "deliverymetrics/request", body()),
                request("GET", "/v1/dataExports/status/1"),
                request("GET", "/exports/1.csv", token: nil),
            ]
            return requests[...step].map { desk.answer($0, Self.facts()) }[step]
        }
        #expect(answer(.unauthorized, step: 0).status == 401)
        #expect(answer(.internalError, step: 0).status == 500)
        var closed = desk(.channelNotFound)
        let channel = request("POST", Self.path + "broadcastchannelmetrics/request", body(channel: "AAAA"))
        #expect(closed.answer(channel, Self.facts(channels: ["AAAA"])).status == 404)
        #expect(answer(.requestRedirected("https://a.example"), step: 0)["location"] == "https://a.example")
        #expect(text(answer(.statusAt("https://a.example"), step: 0)).contains(#""statusUrl":"https://a.example""#))
        #expect(text(answer(.failed, step: 1)).contains("FAILED"))
        #expect(text(answer(.expired, step: 1)).contains("EXPIRED"))
        #expect(text(answer(.neverFinished, step: 1)).contains("PROCESSING"))
        #expect(text(answer(.reportAt("https://a.example"), step: 1)).contains(#""dataUrl":"https://a.example""#))
        #expect(answer(.reportRedirected("https://a.example"), step: 2).status == 307)
    }

    // MARK: Scripts

    private func script(_ metrics: String) throws -> MetricsScript? {
        try FaultScript(json: #"{"metrics": \#(metrics), "rules": []}"#.utf8).metrics
    }

    @Test func aScriptSaysWhatTheExportDoes() throws {
        #expect(
            try script(#"{"polls": 3, "subscribers": 50, "failure": "neverFinished"}"#)
                == MetricsScript(polls: 3, subscribers: 50, failure: .neverFinished))
        #expect(try script(#"{"failure": {"reportAt": "http://a.example"}}"#)?.failure == .reportAt("http://a.example"))
        for name in MetricsScript.plain.keys { #expect(try script(#"{"failure": "\#(name)"}"#)?.failure != nil) }
        for name in MetricsScript.addressed.keys {
            #expect(try script(#"{"failure": {"\#(name)": "x"}}"#)?.failure != nil)
        }
        #expect(try FaultScript(json: #"{"rules": []}"#.utf8).metrics == nil)
    }

    @Test func aMistakeInTheScriptIsNamed() {
        for (metrics, words) in [
            (#"{"poll": 3}"#, "unknown key \"poll\""), (#"{"polls": -1}"#, "metrics.polls"),
            (#"{"failure": "other"}"#, "neverFinished"), (#"{"failure": {"other": "x"}}"#, "reportAt"),
            ("3", "an object"),
        ] {
            let error = #expect(throws: SimulatorError.self) { try script(metrics) }
            #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        }
    }

    @Test func aScriptChangesOnlyWhatItNames() {
        var settings = SimulatedMetrics()
        settings.polls = 4
        settings.failure = .failed
        MetricsScript(subscribers: 7).apply(to: &settings)
        #expect(settings.polls == 4 && settings.subscribers == 7 && settings.failure == .failed)
    }
}
