import PushSimulator
import PushTerminal

/// The checks of a push in their order, by the numbers of the simulator's rows.
enum CheckName {
    static let names: [(row: Int, name: String, says: String)] = [
        (3, "not-draining", "The server is not shutting down."),
        (4, "method", "The method is POST."),
        (5, "path", "The path is /3/device/ and a token."),
        (6, "provider-token-present", "There is a provider token or a certificate."),
        (7, "provider-token-genuine", "The provider token has a good signature of a known key."),
        (8, "provider-token-age", "The provider token is at most an hour old."),
        (9, "provider-token-team", "The team is that of the connection's first push."),
        (10, "provider-token-key", "The key fits the connection and the environment."),
        (11, "provider-token-update", "The provider token did not change too soon."),
        (13, "no-duplicate-headers", "No header occurs twice."),
        (14, "apns-id", "apns-id is a UUID or missing."),
        (15, "apns-expiration", "apns-expiration is a number or missing."),
        (16, "apns-priority", "apns-priority is 10, 5, 1 or missing."),
        (17, "apns-push-type", "apns-push-type is known or missing."),
        (18, "apns-collapse-id", "apns-collapse-id has at most 64 bytes."),
        (19, "topic-present", "There is a topic."),
        (20, "topic-form", "The topic is well-formed."),
        (21, "topic-allowed", "The credential may push to the topic."),
        (22, "device-token-present", "There is a device token."),
        (23, "payload-present", "There is a payload."),
        (24, "payload-size", "The payload has at most 4,096 bytes, or 5,120 for VoIP."),
        (25, "device-token-known", "The device token is known."),
        (26, "device-token-active", "The device token is active."),
        (27, "device-token-topic", "The device token belongs to the topic."),
        (28, "not-too-many", "There are not too many pushes to the device."),
        (29, "no-fault", "No rule refuses the push."),
    ]

    /// How many checks a push passed. A broadcast that was refused has none of these.
    static func passed(upTo row: Int?, isRefused: Bool) -> Int {
        guard isRefused else { return names.count }
        return row.map { row in names.count { $0.row < row } } ?? 0
    }

    static func failed(at row: Int?, _ refusal: Refusal?) -> String? {
        guard refusal != nil else { return nil }
        return row.flatMap { row in names.first { $0.row == row }?.name } ?? "other"
    }

    /// Each check with its result: passed, failed, or not reached.
    static func list(refusedAt row: Int?, isRefused: Bool) -> [[UInt8]] {
        names.map { check in
            var object = JSONLine()
            object.add("name", check.name)
            object.add("says", check.says)
            let result =
                !isRefused
                ? "passed" : row.map { check.row < $0 ? "passed" : check.row == $0 ? "failed" : "not reached" }
            object.add("result", result ?? "not reached")
            return Array(object.line.dropLast())
        }
    }
}
