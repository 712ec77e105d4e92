import PushHTTP2

/// What a GOAWAY says of itself: APNs puts JSON with a `reason` into its debug data, or nothing.
enum GoAwayReason {
    /// The longest reason that is believed.
    private static let limit = 1_024

    static func text(_ code: HTTP2ErrorCode, _ data: [UInt8]) -> String? {
        if data.count <= limit, let reason = ResponseDecoder.goAwayReason(data) { return reason.rawValue }
        return code == .noError ? nil : "\(code)"
    }

    /// What may be kept of a reason without a look at it: a word as Apple's are, of ASCII letters; nothing else is one.
    static func word(_ reason: String?) -> String? {
        guard let reason else { return nil }
        let isWord =
            reason.utf8.count <= 40
            && reason.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || $0 == 0x5F }
        return isWord ? reason : "other"
    }
}
