import SupervisedPush

extension OutcomeRow {
    /// The row of an answer.
    init(line: Int, token: String, _ id: APNSID?, _ response: PushResponse, attempts: Int) {
        let isAccepted = response.isAccepted
        self.init(
            line: line, token: token, outcome: isAccepted ? .delivered : .rejected, certainty: .answered,
            status: response.status, reason: isAccepted ? nil : response.reason?.rawValue ?? "http_\(response.status)",
            apnsID: id ?? response.apnsID,
            timestamp: isAccepted ? nil : response.timestampMilliseconds.map(Self.seconds), attempts: attempts,
            notRetried: isAccepted ? nil : response.retryHeldBack.flatMap { NotRetried(rawValue: $0.name) })
    }

    /// The row of a push that ended without an answer. `ending` is the reason why the run cancelled it, if it did.
    init(line: Int, token: String, _ id: APNSID?, _ error: PushError, attempts: Int, _ ending: RunEnding?) {
        self.init(error, ending)
        self.line = line
        self.token = token
        apnsID = id
        self.attempts = attempts
    }

    /// What the error alone says.
    init(_ error: PushError, _ ending: RunEnding?) {
        let isUnknown = error.certainty == .unknown || error.certainty == .answered
        self.init(
            line: 0, token: "", outcome: isUnknown ? .unknown : .failed, certainty: Certainty(error.certainty),
            reason: isUnknown ? error.unknownReason : error.failedReason(ending))
    }

    /// The row of a timed-out push, once its late end is known.
    func completed(_ late: LateResponse.Outcome) -> OutcomeRow {
        var row = self
        switch late {
        case .answered(let response):
            row.outcome = response.isAccepted ? .delivered : .rejected
            row.certainty = .answered
            row.status = response.status
            row.reason =
                response.isAccepted ? nil : (response.reason?.rawValue ?? "http_\(response.status)").asReason
            row.timestamp = response.timestampMilliseconds.map(Self.seconds)
        case .unprocessed:
            row.outcome = .failed
            row.certainty = .unprocessed
            row.reason = "unprocessed"
        case .noAnswer: break
        }
        return row
    }

    /// Rounded down, so that a device that registered within that second does not count as gone.
    private static func seconds(_ milliseconds: Int64) -> Int64 {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension OutcomeRow.Certainty {
    init(_ certainty: SupervisedPush.Certainty) {
        self =
            switch certainty {
            case .notSent: .notSent
            case .unprocessed: .unprocessed
            case .unknown, .answered: .unknown
            }
    }
}

extension PushError {
    /// True if the push could never have been sent as it is.
    var isInvalidInput: Bool { code == .invalidRequest || code == .payloadTooLarge }

    /// True if the push is unknown because it timed out in flight: its answer may still arrive.
    var awaitsLateAnswer: Bool {
        code == .timedOut && certainty == .unknown && unknownAttempt == nil && deadline != .outage
    }

    /// The reason of the attempt that ended unknown, which need not be the last one.
    fileprivate var unknownReason: String {
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

    fileprivate func failedReason(_ ending: RunEnding?) -> String {
        switch code {
        case .invalidRequest, .wouldDeadlock: "invalid_input"
        case .payloadTooLarge: "payload_too_large"
        case .overloaded: "overloaded"
        case .expired: "expired"
        case .unprocessed, .streamReset: "unprocessed"
        case .tooManyAttempts: "too_many_attempts"
        case .credentialRefused: "credential"
        case .cancelled, .closed:
            switch ending {
            case .signal, .outputLost, .journalLost: "cancelled"
            case .credentialRefused: "credential"
            case .outage, .refused, .givenUp, nil: code == .cancelled ? "cancelled" : "not_connected"
            }
        case .timedOut where deadline == .outage: "not_connected"
        // For example one that timed out with its last frame unwritten: it had a link.
        default: certainty == .unprocessed ? "unprocessed" : "not_connected"
        }
    }
}
