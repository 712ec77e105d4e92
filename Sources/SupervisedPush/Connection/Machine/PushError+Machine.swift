import HTTP2Session
import WireTransport

extension WriteFate {
    /// What the wire's knowledge of one attempt says about its certainty.
    var certainty: Certainty {
        switch self {
        case .notSent: .notSent
        case .unprocessed: .unprocessed
        case .written: .unknown
        }
    }
}

/// The errors a machine ends pushes with.
extension PushError {
    /// An error that is judged by all attempts of the push.
    private init(
        _ code: PushErrorCode, _ layer: ErrorLayer, after entry: PushEntry, deadline: Deadline? = nil,
        _ description: String
    ) {
        self.init(
            code, layer, entry.worst, pushID: entry.record.id, streamID: entry.streamID, deadline: deadline,
            description)
        unknownAttempt = entry.unknownAttempt?.code
    }

    static func timedOutWaiting(_ entry: PushEntry) -> Self {
        let kind = entry.limit.kind
        let what =
            switch kind {
            case .timeout: "its timeout"
            case .deadline: "its deadline"
            case .outage: "the longest outage of its bulk"
            case .expiration: "its apns-expiration"
            }
        return Self(
            kind == .expiration ? .expired : .timedOut, .request, after: entry, deadline: kind,
            "The push was still waiting for a link or a free stream when \(what) was over. "
                + entry.worst.adviceOnResending)
    }

    static func cancelled(_ entry: PushEntry) -> Self {
        Self(
            .cancelled, .request, after: entry, "The push was cancelled. " + entry.worst.adviceOnResending)
    }

    static func closedWhileWaiting(_ entry: PushEntry) -> Self {
        Self(
            .closed, .process, after: entry,
            "The connection was closed before the push could go out. " + entry.worst.adviceOnResending)
    }

    static func notResent(_ entry: PushEntry) -> Self {
        let advice = entry.worst.adviceOnResending
        guard entry.record.policy.resend != .never else {
            return Self(
                .unprocessed, .http2, after: entry,
                "APNs did not process the push, and its resend policy is never. \(advice)")
        }
        return Self(
            .tooManyAttempts, .http2, after: entry,
            "The push was written \(entry.attempts) times and never answered, the last time it came back unprocessed. "
                + advice)
    }

    static func unsendable(_ entry: PushEntry, _ why: UnsendablePush) -> Self {
        var error = Self(
            why.code, .request, entry.worst, pushID: entry.record.id,
            "\(why.sentence) \(entry.worst.adviceOnResending)")
        error.unknownAttempt = entry.unknownAttempt?.code
        return error
    }

    static func streamClosed(_ entry: PushEntry, _ end: StreamEnd) -> Self {
        let (code, what): (PushErrorCode, String) =
            switch end {
            case .reset(let code): (.streamReset, "APNs reset the push's stream (\(code)).")
            case .malformedAnswer: (.badResponse, "The answer has no valid status.")
            }
        return Self(
            code, .http2, .unknown, pushID: entry.record.id, streamID: entry.streamID,
            "\(what) \(Certainty.unknown.adviceOnResending)")
    }

    static func connectionLost(_ entry: PushEntry, _ cause: LinkFailure) -> Self {
        Self(
            .connectionLost, cause.layer, .unknown, pushID: entry.record.id, streamID: entry.streamID,
            "The link was lost before the answer came: \(cause.description) "
                + Certainty.unknown.adviceOnResending)
    }

    static func drainedTooLong(_ entry: PushEntry) -> Self {
        Self(
            .connectionLost, .http2, .unknown, pushID: entry.record.id, streamID: entry.streamID,
            "APNs said goodbye and did not answer the push before the link was closed. "
                + Certainty.unknown.adviceOnResending)
    }

    /// The error of a push in flight that ends for its caller while its link lives.
    static func ended(_ entry: PushEntry, _ why: PushEntry.Withdrawal) -> Self {
        let advice = entry.worst.adviceOnResending
        switch why {
        case .timedOut:
            return Self(
                .timedOut, .apns, after: entry, deadline: entry.limit.kind,
                "No answer came before the push's \(entry.limit.kind) was over. \(advice)")
        case .cancelled:
            return cancelled(entry)
        case .closing, .drained, .stalled:
            return Self(
                .closed, .process, after: entry,
                "The connection was closed before the push's answer came. \(advice)")
        }
    }
}

extension PassedOnPush {
    /// How it ends if nobody goes on with it.
    var outcomeWhenClosed: Result<PushResponse, PushError> {
        if let answered = record.answered { return .success(answered.response) }
        var error = PushError(
            .closed, .process, worst, pushID: record.id,
            "The connection was closed before the push could go out. " + worst.adviceOnResending)
        error.unknownAttempt = unknownAttempt?.code
        return .failure(error)
    }
}
