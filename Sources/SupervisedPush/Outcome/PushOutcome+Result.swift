import FoundationEssentials

/// From an answer or an error to the outcome.
extension PushOutcome {
    /// The outcome of a push that ended with this result.
    ///
    /// - Parameters:
    ///   - result: The answer or the error.
    ///   - apnsID: The id of the push; nil for that of the answer.
    ///   - attempts: How often it was written; 0 if you do not know.
    ///   - endedAt: When it ended. Nil is now for ``invalidatedAt``, and no time in ``endedAt``.
    public init(
        _ result: Result<PushResponse, PushError>, apnsID: APNSID? = nil, attempts: Int = 0, endedAt: Date? = nil
    ) {
        switch result {
        case .success(let response):
            let isAccepted = response.isAccepted
            self.init(
                isAccepted ? .delivered : .rejected, status: response.status,
                reason: isAccepted ? nil : Self.reason(of: response), apnsID: apnsID ?? response.apnsID,
                timestamp: isAccepted ? nil : response.timestamp,
                invalidatedAt: Self.invalidatedAt(response, endedAt: endedAt), attempts: attempts, endedAt: endedAt)
        case .failure(let error):
            self.init(
                error.isSafeToRepeat ? .failed : .unknown, certainty: error.isSafeToRepeat ? error.certainty : .unknown,
                reason: error.reason, apnsID: apnsID, attempts: attempts, endedAt: endedAt)
        }
    }

    /// The outcome of a push that timed out, once it is known how it ended after all.
    ///
    /// - Parameters:
    ///   - late: The ``LateResponse``'s outcome.
    ///   - endedAt: When that was, see ``init(_:apnsID:attempts:endedAt:)``.
    public func completed(by late: LateResponse.Outcome, endedAt: Date? = nil) -> PushOutcome {
        late.result.map { PushOutcome($0, apnsID: apnsID, attempts: attempts, endedAt: endedAt) } ?? self
    }

    private static func reason(of response: PushResponse) -> String {
        response.reason?.rawValue ?? "http_\(response.status)"
    }

    private static func invalidatedAt(_ response: PushResponse, endedAt: Date?) -> Date? {
        guard response.status == 410 || response.reason == .badDeviceToken, !response.suspectsEnvironment else {
            return nil
        }
        return response.timestamp ?? endedAt ?? Date()
    }
}

extension PushError {
    /// Whether pushing it again cannot show it twice: true unless it may have been delivered.
    ///
    /// It does not say that pushing again helps: an invalid notification stays invalid.
    public var isSafeToRepeat: Bool { certainty < .unknown }

    /// Why the push was not delivered, in a word of few: what `pushctl`, the queue and ``PushOutcome/reason`` call it. Suitable as
    /// a metric's label.
    ///
    /// - Not sent or not processed: `invalid_input`, `payload_too_large`, `overloaded`, `expired`, `timed_out`,
    ///   `not_connected`, `unprocessed`, `too_many_attempts`, `credential`, `cancelled`.
    /// - It may have been delivered: `timed_out`, `connection_lost`, `stream_reset`, `bad_response`, `cancelled`. The word is
    ///   that of the attempt that says so, which need not be the last one.
    public var reason: String { isSafeToRepeat ? failedReason : unknownReason }

    private var failedReason: String {
        switch code {
        case .invalidRequest, .wouldDeadlock: "invalid_input"
        case .payloadTooLarge: "payload_too_large"
        case .overloaded, .dropped: "overloaded"
        case .expired: "expired"
        case .unprocessed, .streamReset: "unprocessed"
        case .tooManyAttempts: "too_many_attempts"
        case .credentialRefused: "credential"
        case .cancelled: "cancelled"
        case .closed: "not_connected"
        case .timedOut where certainty == .notSent:
            // The last frame of one that is unprocessed was not written: it had a link.
            outage == nil && deadline != .outage ? "timed_out" : "not_connected"
        case .timedOut where deadline == .outage: "not_connected"
        default: certainty == .unprocessed ? "unprocessed" : "not_connected"
        }
    }

    private var unknownReason: String {
        switch unknownAttempt ?? code {
        // Cancelled after an outage.
        case .timedOut where unknownAttempt == nil && deadline == .outage: "cancelled"
        case .timedOut: "timed_out"
        case .streamReset: "stream_reset"
        case .badResponse: "bad_response"
        // Closing the connection cancels the pushes in flight.
        case .cancelled, .closed: "cancelled"
        default: "connection_lost"
        }
    }
}
