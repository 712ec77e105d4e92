import FoundationEssentials
import PushSimulator
import PushTerminal
import SupervisedPush

/// A request that a simulator processed, as a line of `--log` and as a line of `--verbose`.
package protocol LoggedRequest: RecordedPayload {
    var wallClock: Int64 { get }
    var headerLines: [UInt8] { get }
    /// Its own members of a line of `--log`, between those that all requests have.
    func addMembers(to object: inout JSONLine)
    /// The words of a line of `--verbose` between the time and the answer.
    var words: [String?] { get }
    var connection: ConnectionID { get }
    var stream: Int32 { get }
    var status: Int { get }
    var refusal: Refusal? { get }
    var providerToken: Int? { get }
}

extension LoggedRequest {
    /// One JSON line.
    package var line: [UInt8] {
        var object = JSONLine()
        object.add("connection", connection.number)
        object.add("stream", stream)
        object.add("time", UTC.text(milliseconds: wallClock))
        addMembers(to: &object)
        object.add("status", status)
        object.add("reason", refusal?.rawValue)
        object.add("provider_token", providerToken)
        object.add("bytes", bodyCount)
        let json = jsonPayload
        if json == nil, bodyCount > 0 { object.add("payload_base64", Data(payload).base64EncodedString()) }
        return object.line(ending: [
            ("headers", HeaderFields(headerLines).json), ("payload", json ?? Array("null".utf8)),
        ])
    }

    /// One line for a person. A word that is missing is a hyphen.
    package var text: String {
        var text = String(UTC.text(milliseconds: wallClock).dropFirst("2026-11-21T".count).dropLast())
        for word in words {
            text += " "
            text += word?.asWord ?? "-"
        }
        text += " \(status)"
        if let refusal { text += " \(refusal.rawValue)" }
        return text
    }

    /// The payload, if it was kept completely and is JSON, on one line.
    private var jsonPayload: [UInt8]? {
        guard !payload.isEmpty, payload.count == bodyCount, JSONValue(parsing: payload) != nil else { return nil }
        // Line breaks stand only between the values of JSON.
        return payload.map { $0 == ASCII.lineFeed || $0 == ASCII.carriageReturn ? ASCII.space : $0 }
    }
}

extension Ledger.Record: LoggedRequest {
    package func addMembers(to object: inout JSONLine) {
        object.add("token", deviceToken)
        object.add("apns_id", apnsID)
        object.add("topic", topic)
    }

    package var words: [String?] { [pushType, priority, topic, Self.shortened(deviceToken), collapseID] }

    /// `a11e0000…00000001`: the ends of a device token, which tell it from others.
    private static func shortened(_ token: String) -> String {
        guard token.utf8.count > 20, token.utf8.allSatisfy(ASCII.isPlain) else { return token }
        return "\(Substring(token.utf8.prefix(8)))…\(Substring(token.utf8.suffix(8)))"
    }
}

extension Ledger.ChannelRecord: LoggedRequest {
    package func addMembers(to object: inout JSONLine) {
        object.add("action", action?.rawValue)
        object.add("bundle_id", bundleID)
        object.add("channel", channelID)
        object.add("request_id", requestID)
    }

    package var words: [String?] { [action?.rawValue, priority, bundleID, channelID, nil] }
}

extension String {
    /// The text without spaces and what could control a terminal, at most 80 characters; nil if it is empty.
    fileprivate var asWord: String? {
        if utf8.count <= 80, utf8.allSatisfy({ ASCII.isPlain($0) && $0 != ASCII.space }) { return isEmpty ? nil : self }
        let line = onOneLine
        return line.isEmpty ? nil : line.replacing(" ", with: "_").shortened(to: 80)
    }
}
