import PushTerminal
import SupervisedPush

/// The result of one request about channels, for a person or for a script.
struct ChannelReport: Sendable {
    let text: String
    let json: [UInt8]

    static func created(_ channel: ChannelID, _ policy: ChannelStoragePolicy) -> ChannelReport {
        // Only the id, so that a script can use it as it is.
        ChannelReport(text: "\(channel)\n", json: object(channel) { $0.add("storage", policy.description) })
    }

    static func read(_ channel: BroadcastChannel) -> ChannelReport {
        ChannelReport(
            text: """
                channel   \(channel.id)
                storage   \(channel.storagePolicy)
                push-type \(channel.pushType.rawValue.onOneLine)

                """,
            json: object(channel.id) {
                $0.add("storage", channel.storagePolicy.description)
                $0.add("push_type", channel.pushType.rawValue)
            })
    }

    static func deleted(_ channel: ChannelID) -> ChannelReport {
        ChannelReport(text: "deleted   \(channel)\n", json: object(channel) { $0.add("deleted", true) })
    }

    static func listed(_ channels: [ChannelID]) -> ChannelReport {
        var json: [UInt8] = []
        for channel in channels { json += object(channel) { _ in } }
        return ChannelReport(text: channels.map { "\($0)\n" }.joined(), json: json)
    }

    /// - Parameters:
    ///   - sentence: What happened, if it is not the error's sentence.
    ///   - doubt: Another possible cause, in a sentence.
    init(_ error: ChannelError, _ outcome: PushOutcome, sentence: String?, doubt: String?) {
        let sentence = [sentence ?? error.description, doubt].compactMap(\.self).joined(separator: " ")
        var lines = ["outcome   \(outcome.kind.rawValue)"]
        if let status = outcome.status { lines.append("status    \(status)") }
        if let reason = outcome.reason { lines.append("reason    \(reason)") }
        if outcome.certainty != .answered { lines.append("certainty \(outcome.certainty.rawValue)") }
        lines.append("advice    \(sentence.onOneLine)")
        text = lines.joined(separator: "\n") + "\n"
        var object = JSONLine()
        object.add("outcome", outcome.kind.rawValue)
        object.add("status", outcome.status)
        object.add("reason", outcome.reason)
        object.add("certainty", outcome.certainty.rawValue)
        object.add("advice", error.advice?.rawValue)
        object.add("sentence", sentence)
        json = object.line
    }

    private init(text: String, json: [UInt8]) {
        self.text = text
        self.json = json
    }

    private static func object(_ channel: ChannelID, _ more: (inout JSONLine) -> Void) -> [UInt8] {
        var object = JSONLine()
        object.add("channel", channel.text)
        more(&object)
        return object.line
    }
}
