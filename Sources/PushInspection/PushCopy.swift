import PushTerminal
import SupervisedPush

/// What repeats a push: commands and code, without its provider token.
package struct PushCopy: Sendable {
    private let deviceToken: String?
    private let channelID: String?
    private let bundleID: String
    private let headers: [(name: String, value: String)]
    private let payload: [UInt8]
    private let isWhole: Bool

    /// The headers that a copy has, in this order.
    private static let copied = [
        "apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id", "apns-channel-id",
    ]

    /// - Parameters:
    ///   - deviceToken: Nil for a broadcast.
    ///   - channelID: Nil for a push to a device.
    ///   - isWhole: Whether all of the payload was kept.
    package init(
        deviceToken: String?, channelID: String?, bundleID: String, headers: [(name: String, value: String)],
        payload: [UInt8], isWhole: Bool
    ) {
        self.deviceToken = deviceToken
        self.channelID = channelID
        self.bundleID = bundleID
        self.headers = Self.copied.compactMap { name in headers.first { $0.name == name } }
        self.payload = Self.harmless(payload)
        self.isWhole = isWhole
    }

    /// JSON on one line, in which nothing controls a terminal: its strings keep their values. Other bytes as they are.
    private static func harmless(_ payload: [UInt8]) -> [UInt8] {
        guard JSONValue(parsing: payload) != nil else { return payload }
        var bytes: [UInt8] = []
        // Control characters of ASCII stand only between the values of JSON, but for DEL.
        let line = payload.map { ASCII.isWhiteSpace($0) ? ASCII.space : $0 }
        JSONText.append(harmless: line, to: &bytes)
        return bytes.flatMap { $0 == 0x7F ? Array("\\u007f".utf8) : [$0] }
    }

    private subscript(name: String) -> String? { headers.first { $0.name == name }?.value }

    private var note: String { isWhole ? "" : "# Only the first \(payload.count) bytes of the payload were kept.\n" }

    /// A command of curl to Apple's development environment.
    package var curl: String {
        let path =
            deviceToken.map { "3/device/\(Quoting.path($0))" } ?? "4/broadcasts/apps/\(Quoting.path(bundleID))"
        var words = ["curl --http2 --globoff"]
        for header in headers { words.append("-H " + Quoting.shell("\(header.name): \(header.value)")) }
        words.append(#"-H "authorization: bearer $(pushctl token --key AuthKey.p8 --key-id KEY --team-id TEAM)""#)
        words.append("--data-raw " + Quoting.shell(payload))
        words.append("https://api.sandbox.push.apple.com/\(path)")
        return note + words.joined(separator: " \\\n  ")
    }

    /// A command of pushctl, which finds the connection by `PUSHCTL_CONFIG`.
    package var pushctl: String {
        var words = ["printf %s " + Quoting.shell(payload) + " |"]
        func add(_ flag: String, _ name: String) {
            if let value = self[name] { words.append("\(flag)=" + Quoting.shell(value)) }
        }
        if let deviceToken {
            words.append("pushctl send --payload=-")
            add("--topic", "apns-topic")
            add("--push-type", "apns-push-type")
            add("--collapse-id", "apns-collapse-id")
            add("--priority", "apns-priority")
            add("--expiration", "apns-expiration")
            words.append("-- " + Quoting.shell(deviceToken))
        } else {
            words.append("pushctl broadcast --payload=-")
            words.append("--topic=" + Quoting.shell(bundleID))
            add("--priority", "apns-priority")
            add("--expiration", "apns-expiration")
            words.append("-- " + Quoting.shell(channelID ?? ""))
        }
        return note + words.joined(separator: " \\\n  ")
    }

    /// Code for a connection called `connection`.
    package var swift: String {
        let text = String(decoding: payload, as: UTF8.self)
        var lines = [isWhole ? "" : "// Only the first \(payload.count) bytes of the payload were kept."]
        lines.append("var notification = try PushNotification.raw(json: \(Quoting.swift(text)))")
        func add(_ name: String, _ line: (String) -> String) {
            if let value = self[name] { lines.append("notification.\(line(value))") }
        }
        add("apns-topic") { "topic = Topic(\(Quoting.swift($0)))" }
        add("apns-push-type") { "pushType = PushType(rawValue: \(Quoting.swift($0)))" }
        add("apns-collapse-id") { "collapseID = try CollapseID(\(Quoting.swift($0)))" }
        // A value that is no number is left out: the types cannot say it.
        if let number = self["apns-priority"].flatMap({ Int($0) }) {
            lines.append("notification.priority = PushPriority(rawValue: \(number))")
        }
        if let number = self["apns-expiration"].flatMap({ Int64($0) }) {
            lines.append("notification.expiration = Expiration(unixSeconds: \(number))")
        }
        if let deviceToken {
            lines.append("let device = try DeviceToken(\(Quoting.swift(deviceToken)))")
            lines.append("let answer = try await connection.push(notification, to: device)")
        } else {
            lines.append("let channel = try ChannelID(\(Quoting.swift(channelID ?? "")))")
            lines.append(
                "let answer = try await connection.broadcast(notification, to: channel, bundleID: "
                    + "\(Quoting.swift(bundleID)))")
        }
        return lines.filter { !$0.isEmpty }.joined(separator: "\n")
    }
}
