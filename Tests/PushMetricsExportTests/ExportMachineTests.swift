import PushHTTP1
import PushTransport
import Testing

@testable import PushMetricsExport

/// What the machine decides, as whole lists of actions.
@Suite("parity: F27 – how a report is got") struct ExportMachineTests {
    private typealias Action = ExportMachine.Action

    private static let host = Endpoint(host: "api.icloud.apple.com", port: 443)
    private static let today = CalendarDay(number: 20_785)
    private static let statusAddress = "https://api.icloud.apple.com/status/1"
    private static let reportAddress = "https://files.example/report.csv?key=secret"

    private func order(_ dataset: ExportOrder.Dataset = .delivery) throws -> ExportOrder {
        try ExportOrder(
            dataset, teamID: "ABCDE12345", appID: "com.example.app", channelID: dataset == .channel ? "AAAA" : nil,
            today: Self.today)
    }

    private func query(
        _ address: String, _ method: WebQuery.Method = .get, token: Bool, body: [UInt8] = [], isReport: Bool = false
    ) throws -> Action {
        let limits = ExportMachine.Limits()
        return .exchange(
            WebQuery(
                method: method, address: try WebAddress(address), showsToken: token, body: body,
                mostBytes: isReport ? limits.reportBytes : limits.answerBytes,
                limit: isReport ? limits.download : limits.question))
    }

    private func request(_ dataset: ExportOrder.Dataset = .delivery) throws -> Action {
        let order = try order(dataset)
        return try query("https://api.icloud.apple.com\(order.target)", .post, token: true, body: order.body)
    }

    private func asked() throws -> Action { try query(Self.statusAddress, token: true) }

    private static func answer(_ status: Int, _ body: String = "", _ fields: [(String, String)] = [])
        -> ExportMachine.Event
    {
        .answered(
            HTTP1Message(
                .response(status: status), fields: fields.map { HTTP1Message.Field($0.0, $0.1) }, body: Array(body.utf8)
            ))
    }

    private static let taken = answer(200, #"{"statusUrl":"\#(statusAddress)","requestedAt":"2026-11-28 10:01:00Z"}"#)
    private static let working = answer(200, #"{"status":"PROCESSING"}"#)

    private static func ready(_ address: String = reportAddress, name: String = "dataUrl") -> ExportMachine.Event {
        answer(200, #"{"status":"SUCCESS","downloadDetails":{"\#(name)":"\#(address)"}}"#)
    }

    private static let lost = ExportMachine.Event.failed(WebFailure(kind: .link, sentence: "The link was lost."))

    /// The actions that follow the events. Pauses take their time, exchanges none.
    private func actions(
        _ events: [ExportMachine.Event], _ dataset: ExportOrder.Dataset = .delivery, wait: Duration = .seconds(600)
    ) throws -> [Action] {
        var limits = ExportMachine.Limits()
        limits.wait = wait
        var machine = ExportMachine(try order(dataset), at: Self.host, limits: limits)
        var time = Duration.seconds(100)
        var actions = [machine.handle(.begin, at: time)]
        for event in events {
            while case .pause(let pause)? = actions.last {
                time += pause
                actions.append(machine.handle(.paused, at: time))
            }
            actions.append(machine.handle(event, at: time))
        }
        return actions
    }

    private func error(_ actions: [Action]) -> ExportError? {
        guard case .end(.failure(let error))? = actions.last else { return nil }
        return error
    }

    // MARK: The way to a report

    @Test func aReportIsRequestedAskedForAndFetchedWithoutTheToken() throws {
        let report = "Push Type,Status,Date (UTC),Count\n"
        let actions = try actions([Self.taken, Self.working, Self.working, Self.ready(), Self.answer(200, report)])
        #expect(
            try actions == [
                request(), asked(), .pause(.seconds(1)), asked(), .pause(.seconds(2)), asked(),
                query(Self.reportAddress, token: false, isReport: true), .end(.success(Array(report.utf8))),
            ])
    }

    @Test func theRequestNamesTheDataSetAndTheDays() throws {
        let order = try order(.channel)
        #expect(
            order.target
                == "/v1/dataExports/apns/teams/ABCDE12345/appId/com.example.app/datasetName/broadcastchannelmetrics/request"
        )
        #expect(
            String(decoding: order.body, as: UTF8.self)
                == #"{"startDate":"2026-11-21","endDate":"2026-11-27","dataDownloadUrlExpiresInMinutes":60,"channelId":"AAAA"}"#
        )
        #expect(try self.order(.broadcast).target.contains("/datasetName/broadcastapplicationmetric/request"))
        #expect(try !String(decoding: self.order(.delivery).body, as: UTF8.self).contains("channelId"))
    }

    @Test func theAddressOfTheReportMayHaveEitherName() throws {
        let actions = try actions([Self.taken, Self.ready(name: "dataURL"), Self.answer(200, "a\n")])
        #expect(actions.last == .end(.success(Array("a\n".utf8))))
    }

    @Test func pausesDoubleUpToTheirBound() throws {
        let actions = try actions([Self.taken] + [ExportMachine.Event](repeating: Self.working, count: 9))
        let pauses = actions.compactMap { action -> Duration? in
            if case .pause(let pause) = action { pause } else { nil }
        }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30, 30, 30].map { .seconds($0) })
    }

    @Test func aReportThatIsNeverReadyEndsWithItsTime() throws {
        let events = [Self.taken] + [ExportMachine.Event](repeating: Self.working, count: 4)
        let actions = try actions(events, wait: .seconds(10))
        #expect(
            try actions.dropLast() == [
                request(), asked(), .pause(.seconds(1)), asked(), .pause(.seconds(2)), asked(), .pause(.seconds(4)),
                asked(),
            ])
        #expect(error(actions)?.kind == .unavailable && error(actions)?.sentence.contains("in 10 s") == true)
    }

    @Test func aQuestionWithoutAnAnswerIsAskedAgainTwoTimes() throws {
        let once = try actions([Self.taken, Self.lost, Self.answer(503), Self.ready(), Self.answer(200, "a\n")])
        #expect(once.last == .end(.success(Array("a\n".utf8))))
        // An answer between them counts anew.
        let often = [Self.lost, Self.lost, Self.working, Self.lost, Self.lost, Self.ready(), Self.answer(200, "a\n")]
        #expect(try actions([Self.taken] + often).last == .end(.success(Array("a\n".utf8))))
        let lost = try actions([Self.taken, Self.answer(500), Self.answer(429), Self.lost])
        #expect(error(lost)?.sentence == "The link was lost." && error(lost)?.kind == .unavailable)
    }

    @Test func aRequestThatGetsNoAnswerIsNotRepeated() throws {
        #expect(try actions([Self.lost]).count == 2)
        #expect(error(try actions([Self.lost]))?.kind == .unavailable)
        for status in [429, 500, 503] { #expect(error(try actions([Self.answer(status)]))?.kind == .unavailable) }
    }

    @Test func aStopEndsItWhereverItIs() throws {
        for events in [[], [Self.taken], [Self.taken, Self.working], [Self.taken, Self.ready()]] {
            #expect(error(try actions(events + [.stop]))?.kind == .stopped)
        }
    }

    // MARK: Where the token goes

    @Test func noOtherHostIsShownTheToken() throws {
        let elsewhere = [
            "https://elsewhere.example/status", "https://api.icloud.apple.com:8443/status",
            "https://api.icloud.apple.com.elsewhere.example/s", "http://api.icloud.apple.com/status",
            "https://api.icloud.apple.com@elsewhere.example/", "//elsewhere.example", "",
        ]
        for address in elsewhere {
            let actions = try actions([Self.answer(200, #"{"statusUrl":"\#(address)"}"#)])
            #expect(error(actions)?.kind == .badAnswer && actions.count == 2, "\(address)")
        }
        let other = try actions([Self.answer(200, #"{"statusUrl":"https://elsewhere.example/secret"}"#)])
        #expect(error(other)?.sentence.contains("elsewhere.example") == true)
        #expect(error(other)?.sentence.contains("secret") == false)
    }

    @Test(arguments: [301, 302, 303, 307, 308]) func aRedirectOfTheExportIsNotFollowed(status: Int) throws {
        let redirect = Self.answer(status, "", [("location", "https://elsewhere.example/secret")])
        for events in [[redirect], [Self.taken, redirect]] {
            let sentence = error(try actions(events))?.sentence ?? ""
            #expect(sentence.contains("redirects to elsewhere.example") && !sentence.contains("secret"), "\(sentence)")
        }
    }

    @Test func theReportIsFetchedWithoutTheTokenEvenFromTheExportsHost() throws {
        let actions = try actions([
            Self.taken, Self.ready("https://api.icloud.apple.com/report"), Self.answer(200, "a\n"),
        ])
        #expect(try actions[2] == query("https://api.icloud.apple.com/report", token: false, isReport: true))
    }

    @Test func theReportMayBeRedirectedAFewTimesOverTLSOnly() throws {
        func redirect(_ location: String) -> ExportMachine.Event { Self.answer(302, "", [("location", location)]) }
        let start = [Self.taken, Self.ready()]
        let moved = try actions(start + [redirect("https://b.example/x"), redirect("/y?z"), Self.answer(200, "a\n")])
        #expect(
            try moved.suffix(3) == [
                query("https://b.example/x", token: false, isReport: true),
                query("https://b.example/y?z", token: false, isReport: true), .end(.success(Array("a\n".utf8))),
            ])
        let round = try actions(start + [ExportMachine.Event](repeating: redirect("/again"), count: 4))
        #expect(error(round)?.sentence.contains("more than 3 times") == true)
        let insecure = try actions(start + [redirect("http://b.example/secret")])
        #expect(
            error(insecure)?.sentence.contains("b.example") == true
                && error(insecure)?.sentence.contains("secret") == false)
        #expect(error(try actions([Self.taken, Self.ready("http://files.example/a")]))?.kind == .badAnswer)
        #expect(error(try actions(start + [Self.answer(302)]))?.kind == .badAnswer)
    }

    // MARK: Refusals

    @Test func eachRefusalSaysWhatToDo() throws {
        let reason = #"{"reason":"out of\u001b range"}"#
        let cases: [([ExportMachine.Event], ExportOrder.Dataset, ExportError.Kind, String)] = [
            ([Self.answer(401)], .delivery, .tokenRefused, "CloudKit Console"),
            ([Self.taken, Self.answer(404)], .delivery, .tokenRefused, "CloudKit Console"),
            ([Self.answer(400, reason)], .delivery, .refused, "(400): out of  range."),
            ([Self.answer(404)], .channel, .refused, "channels list"),
            ([Self.taken, Self.answer(200, #"{"status":"FAILED"}"#)], .delivery, .refused, "FAILED"),
            ([Self.taken, Self.answer(200, #"{"status":"EXPIRED"}"#)], .delivery, .refused, "EXPIRED"),
            ([Self.taken, Self.answer(200, #"{"status":"ELSE"}"#)], .delivery, .badAnswer, "status"),
            ([Self.taken, Self.answer(200, #"{"status":"SUCCESS"}"#)], .delivery, .badAnswer, "dataUrl"),
            ([Self.answer(200, "<html>")], .delivery, .badAnswer, "statusUrl"),
            ([Self.taken, Self.ready(), Self.answer(403)], .delivery, .refused, "files.example answers 403"),
            ([Self.taken, Self.ready(), Self.answer(503)], .delivery, .unavailable, "files.example answers 503"),
        ]
        for (events, dataset, kind, words) in cases {
            let error = error(try actions(events, dataset))
            #expect(
                error?.kind == kind && error?.sentence.contains(words) == true, "\(words): \(String(describing: error))"
            )
        }
    }

    @Test func aServerThatRepeatsTheTokenPutsItIntoNoError() throws {
        let token = try #require(ManagementToken("a/secret-token"))
        // JSON may escape the solidus, and the text is cut after 200 characters.
        for lead in [0, 190] {
            let reason = String(repeating: "x", count: lead) + #"a\/secret-token"#
            for status in [400, 401, 500] {
                var machine = ExportMachine(try order(), at: Self.host, hiding: token)
                _ = machine.handle(.begin, at: .zero)
                let action = machine.handle(Self.answer(status, #"{"reason":"\#(reason)"}"#), at: .zero)
                let sentence = error([action])?.sentence ?? ""
                #expect(
                    sentence.contains("•••") && !sentence.contains("secr") && !sentence.contains("a/"), "\(sentence)")
            }
        }
    }

    @Test func aReportThatIsTooLargeSaysSo() throws {
        let failure = WebFailure(kind: .tooLong, sentence: "The answer is too long.")
        let error = error(try actions([Self.taken, Self.ready(), .failed(failure)]))
        #expect(error?.kind == .tooLarge && error?.sentence.contains("64 MiB") == true)
        // Of another answer it is no report.
        #expect(self.error(try actions([.failed(failure)]))?.kind == .badAnswer)
    }

    @Test func aPackedReportIsUnpacked() throws {
        // Made by Python's gzip: `a,b` and a line feed.
        let packed: [UInt8] = [31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 75, 212, 73, 226, 2, 0, 197, 16, 151, 36, 4, 0, 0, 0]
        let answer = HTTP1Message(.response(status: 200), fields: [.init("content-encoding", "gzip")], body: packed)
        let actions = try actions([Self.taken, Self.ready(), .answered(answer)])
        #expect(actions.last == .end(.success(Array("a,b\n".utf8))))
        let strange = HTTP1Message(.response(status: 200), fields: [.init("content-encoding", "br")], body: packed)
        #expect(error(try self.actions([Self.taken, Self.ready(), .answered(strange)]))?.kind == .badAnswer)
        let broken = HTTP1Message(.response(status: 200), fields: answer.fields, body: Array(packed.dropLast(9)))
        #expect(error(try self.actions([Self.taken, Self.ready(), .answered(broken)]))?.kind == .badAnswer)
    }
}
