import PushHTTP1

/// Answers the three steps of an export. It has no socket and no clock.
struct ExportDesk: Sendable {
    /// What the answers depend on, beside the requests.
    struct Facts: Sendable {
        /// Milliseconds since 1970.
        var now: Int64
        var figures: MetricFigures
        /// The ids of an app's channels.
        var channels: @Sendable (_ bundleID: String) -> Set<String>
    }

    private struct Request: Hashable, Sendable {
        let bundleID: String
        let dataset: Dataset
        let days: ClosedRange<Int>
        let channelID: String?
    }

    private struct Export: Sendable {
        let request: Request
        /// How often its status is still `PROCESSING`.
        var polls: Int
    }

    private enum Dataset: String, Sendable {
        case deliverymetrics, broadcastapplicationmetric, broadcastchannelmetrics
    }

    static let tokenField = "x-apple-cloudkit-management-token"
    private static let mostExports = 1_000
    private static let statusPath = "/v1/dataExports/status/"
    private static let reportPath = "/exports/"

    private let settings: SimulatedMetrics
    private let teamID: String
    /// By their numbers, from 1.
    private var exports: [Export] = []

    init(_ settings: SimulatedMetrics, teamID: String) {
        self.settings = settings
        self.teamID = teamID
    }

    /// - Parameter request: A whole request.
    mutating func answer(_ request: HTTP1Message, _ facts: Facts) -> HTTP1Message {
        guard case .request(let method, let target) = request.start, let host = request["host"], Self.isHost(host)
        else {
            return Self.refusal(400, "the header field host is missing or malformed")
        }
        let token = request[Self.tokenField]
        let path = String(target.prefix { $0 != "?" })
        switch method {
        case "POST": return order(at: path, body: request.body, token: token, host: host, facts)
        case "GET" where path.hasPrefix(Self.statusPath):
            return status(path.dropFirst(Self.statusPath.utf8.count), token: token, host: host, now: facts.now)
        case "GET" where path.hasPrefix(Self.reportPath):
            return report(path.dropFirst(Self.reportPath.utf8.count), token: token, facts)
        default: return Self.refusal(404, "there is nothing at this path")
        }
    }

    // MARK: The request

    private mutating func order(
        at path: String, body: [UInt8], token: String?, host: String, _ facts: Facts
    ) -> HTTP1Message {
        if case .requestRedirected(let address) = settings.failure { return Self.redirect(address) }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 11, Array(parts[1...4]) == ["v1", "dataExports", "apns", "teams"], parts[6] == "appId",
            parts[8] == "datasetName", parts[10] == "request", let dataset = Dataset(rawValue: parts[9])
        else { return Self.refusal(404, "there is nothing at this path") }
        guard token == settings.managementToken, parts[5] == teamID, settings.failure != .unauthorized else {
            return Self.refusal(401, "the token is not valid for this team and app")
        }
        if settings.failure == .internalError { return Self.refusal(500, "an internal error occurred") }
        guard let days = Self.days(body, today: MetricFigures.day(facts.now) + 1) else {
            return Self.refusal(400, "the dates or dataDownloadUrlExpiresInMinutes are out of range")
        }
        var channelID: String?
        if dataset == .broadcastchannelmetrics {
            channelID = Self.member("channelId", of: body)?.plainText
            guard let id = channelID, facts.channels(parts[7]).contains(id), settings.failure != .channelNotFound else {
                return Self.refusal(404, "the channel was not found")
            }
        }
        let number = place(of: Request(bundleID: parts[7], dataset: dataset, days: days, channelID: channelID))
        guard let number else { return Self.refusal(500, "there are too many exports") }
        var address = "https://\(host)\(Self.statusPath)\(number)"
        if case .statusAt(let other) = settings.failure { address = other }
        return Self.json([("statusUrl", address), ("requestedAt", UTCText.iso8601(milliseconds: facts.now))])
    }

    /// The same request leads to the same report. Nil if there is no room for another one.
    private mutating func place(of request: Request) -> Int? {
        if let index = exports.firstIndex(where: { $0.request == request }) { return index + 1 }
        guard exports.count < Self.mostExports else { return nil }
        exports.append(Export(request: request, polls: max(0, settings.polls)))
        return exports.count
    }

    private static func days(_ body: [UInt8], today: Int) -> ClosedRange<Int>? {
        guard let first = member("startDate", of: body)?.plainText.flatMap(UTCText.day),
            let last = member("endDate", of: body)?.plainText.flatMap(UTCText.day), first < last, last < today,
            first >= today - 30, case .integer(let minutes)? = member("dataDownloadUrlExpiresInMinutes", of: body),
            (20...60).contains(minutes)
        else { return nil }
        return first...last
    }

    private static func member(_ name: String, of body: [UInt8]) -> ScriptValue? {
        guard case .object(let members)? = try? ScriptValue.parse(body) else { return nil }
        return members[name]
    }

    // MARK: The status

    private mutating func status(_ name: Substring, token: String?, host: String, now: Int64) -> HTTP1Message {
        guard let number = Int(name), exports.indices.contains(number - 1) else {
            return Self.refusal(404, "there is no such export")
        }
        guard token == settings.managementToken else {
            // The two pages of Apple's documents differ.
            let isDelivery = exports[number - 1].request.dataset == .deliverymetrics
            return Self.refusal(isDelivery ? 404 : 401, "the token is not valid")
        }
        let time = ("requestedAt", UTCText.iso8601(milliseconds: now))
        if exports[number - 1].polls > 0 || settings.failure == .neverFinished {
            exports[number - 1].polls -= exports[number - 1].polls > 0 ? 1 : 0
            return Self.json([("status", "PROCESSING"), time])
        }
        switch settings.failure {
        case .failed: return Self.json([("status", "FAILED"), time])
        case .expired: return Self.json([("status", "EXPIRED"), time])
        default: break
        }
        var address = "https://\(host)\(Self.reportPath)\(number).csv?valid=yes"
        if case .reportAt(let other) = settings.failure { address = other }
        let details = Self.object([
            ("dataUrl", address), ("expiresAt", UTCText.iso8601(milliseconds: now + 3_600_000)),
        ])
        return Self.json([("status", "SUCCESS"), time], and: "downloadDetails", details)
    }

    // MARK: The report

    private func report(_ name: Substring, token: String?, _ facts: Facts) -> HTTP1Message {
        if case .reportRedirected(let address) = settings.failure { return Self.redirect(address) }
        // Apple's sample shows none, and a store of files that gets one has a secret that is none of its business.
        guard token == nil else { return Self.refusal(400, "the report needs no token") }
        guard name.hasSuffix(".csv"), let number = Int(name.dropLast(4)), exports.indices.contains(number - 1) else {
            return Self.refusal(404, "there is no such report")
        }
        let request = exports[number - 1].request
        let body =
            switch request.dataset {
            case .deliverymetrics: ExportReport.deliveries(facts.figures, days: request.days)
            case .broadcastapplicationmetric, .broadcastchannelmetrics:
                ExportReport.broadcasts(
                    facts.figures, days: request.days, channelID: request.channelID,
                    subscribers: settings.subscribers, channels: facts.channels(request.bundleID).count)
            }
        return HTTP1Message(.response(status: 200), fields: [.init("content-type", "text/csv")], body: body)
    }

    // MARK: Answers

    private static func isHost(_ text: String) -> Bool {
        (1...300).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x30...0x3A).contains($0) || (0x61...0x7A).contains($0 | 0x20)
                    || [0x2D, 0x2E, 0x5B, 0x5D].contains($0)
            }
    }

    private static func refusal(_ status: Int, _ reason: String) -> HTTP1Message {
        HTTP1Message(
            .response(status: status), fields: [.init("content-type", "application/json")],
            body: Array(object([("reason", reason)]).utf8))
    }

    private static func redirect(_ address: String) -> HTTP1Message {
        HTTP1Message(.response(status: 307), fields: [.init("location", address)])
    }

    private static func json(
        _ texts: [(String, String)], and name: String? = nil, _ object: String = ""
    ) -> HTTP1Message {
        var text = Self.object(texts)
        if let name { text = "\(text.dropLast()),\"\(name)\":\(object)}" }
        return HTTP1Message(
            .response(status: 200), fields: [.init("content-type", "application/json")], body: Array(text.utf8))
    }

    /// Its texts are made here, or addresses of a test: a quote is the only character to escape.
    private static func object(_ texts: [(String, String)]) -> String {
        let members = texts.map {
            "\"\($0.0)\":\"\($0.1.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
        }
        return "{\(members.joined(separator: ","))}"
    }
}

extension ScriptValue {
    fileprivate var plainText: String? { if case .text(let text) = self { text } else { nil } }
}
