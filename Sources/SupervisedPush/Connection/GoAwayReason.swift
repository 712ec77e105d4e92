import HTTP2Session

/// What a GOAWAY says of itself: APNs puts JSON with a `reason` into its debug data, or nothing.
enum GoAwayReason {
    /// The longest reason that is believed.
    private static let limit = 1_024

    static func text(_ code: HTTP2ErrorCode, _ data: [UInt8]) -> String? {
        if data.count <= limit, let reason = ResponseDecoder.goAwayReason(data) { return reason.rawValue }
        return code == .noError ? nil : "\(code)"
    }
}
