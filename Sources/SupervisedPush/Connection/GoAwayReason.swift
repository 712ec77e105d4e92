import PushHTTP2

/// The reason in a GOAWAY: APNs puts JSON with a `reason` into its debug data, or nothing.
enum GoAwayReason {
    /// The longest reason that is accepted.
    private static let limit = 1_024

    static func text(_ code: HTTP2ErrorCode, _ data: [UInt8]) -> String? {
        if data.count <= limit, let reason = ResponseDecoder.goAwayReason(data) { return reason.rawValue }
        return code == .noError ? nil : "\(code)"
    }

    /// A reason that is safe to keep: a word like Apple's, of ASCII letters. Nil for anything else.
    static func word(_ reason: String?) -> String? {
        guard let reason else { return nil }
        let isWord =
            reason.utf8.count <= 40
            && reason.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || $0 == 0x5F }
        return isWord ? reason : "other"
    }
}
