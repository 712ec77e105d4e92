import PushHTTP2
import PushTransport

extension WriteFate {
    /// The certainty that follows from what the wire knows about one attempt.
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
    /// An error whose certainty follows from all attempts of the push.
    private init(
        _ code: PushError.Code, at layer: ErrorLayer, after push: PushTrace, deadline: Deadline? = nil,
        outage: Outage? = nil, _ description: String
    ) {
        self.init(
            code, at: layer, certainty: push.history.worst, pushID: push.record.id, streamID: push.streamID,
            deadline: deadline,
            outage: outage, description)
        unknownAttempt = push.history.unknownAttempt?.code
    }

    static func timedOutWaiting(_ push: PushTrace, for obstacle: Obstacle) -> Self {
        let kind = push.kind
        let what =
            switch kind {
            case .timeout: "its timeout"
            case .deadline: "its deadline"
            case .outage: "the longest outage of its bulk"
            case .expiration: "its apns-expiration"
            }
        return Self(
            kind == .expiration ? .expired : .timedOut, at: obstacle.layer, after: push, deadline: kind,
            outage: obstacle.outage,
            "The push still waited for \(obstacle.missing) when \(what) was over. "
                + obstacle.asReason + push.history.worst.adviceOnResending)
    }

    static func cancelled(_ push: PushTrace) -> Self {
        Self(
            .cancelled, at: .request, after: push, "The push was cancelled. " + push.history.worst.adviceOnResending)
    }

    static func closedWhileWaiting(_ push: PushTrace, for obstacle: Obstacle) -> Self {
        Self(
            .closed, at: .process, after: push, outage: obstacle.outage,
            "The connection was closed before the push could go out. " + obstacle.asReason
                + push.history.worst.adviceOnResending)
    }

    static func givenUp(_ push: PushTrace) -> Self {
        Self(
            .processFailed, at: .process, after: push,
            "The connection's process failed too often and is not restarted: connect again. "
                + push.history.worst.adviceOnResending)
    }

    static func credentialRefused(_ push: PushTrace, refusal: CredentialRefusal) -> Self {
        .credentialRefused(push.record.id, refusal: refusal, certainty: push.history.worst, streamID: push.streamID)
    }

    static func notResent(_ entry: PushEntry) -> Self {
        let advice = entry.history.worst.adviceOnResending
        guard entry.record.policy.resend != .never else {
            return Self(
                .unprocessed, at: .http2, after: entry.trace,
                "APNs did not process the push, and its resend policy is never. \(advice)")
        }
        return Self(
            .tooManyAttempts, at: .http2, after: entry.trace,
            "The push was written \(entry.history.attempts) times and never answered; last it came back unprocessed. "
                + advice)
    }

    static func unsendable(_ entry: PushEntry, because why: UnsendablePush) -> Self {
        var error = Self(
            why.code, at: .request, certainty: entry.history.worst, pushID: entry.record.id,
            "\(why.sentence) \(entry.history.worst.adviceOnResending)")
        error.unknownAttempt = entry.history.unknownAttempt?.code
        return error
    }

    static func streamClosed(_ entry: PushEntry, end: StreamEnd) -> Self {
        let (code, what): (PushError.Code, String) =
            switch end {
            case .reset(let code): (.streamReset, "APNs reset the push's stream (\(code)).")
            case .malformedAnswer: (.badResponse, "The answer has no valid status.")
            }
        return Self(
            code, at: .http2, certainty: .unknown, pushID: entry.record.id, streamID: entry.streamID,
            "\(what) \(Certainty.unknown.adviceOnResending)")
    }

    static func connectionLost(_ entry: PushEntry, cause: LinkFailure) -> Self {
        Self(
            .connectionLost, at: cause.layer, certainty: .unknown, pushID: entry.record.id, streamID: entry.streamID,
            "The link was lost before the answer came: \(cause.description) "
                + Certainty.unknown.adviceOnResending)
    }

    static func drainedTooLong(_ entry: PushEntry) -> Self {
        Self(
            .connectionLost, at: .http2, certainty: .unknown, pushID: entry.record.id, streamID: entry.streamID,
            "APNs sent GOAWAY and did not answer the push before the link was closed. "
                + Certainty.unknown.adviceOnResending)
    }

    /// The error of a push in flight that ends for its caller while its link is up.
    ///
    /// - Parameter certainty: That of its present attempt.
    static func ended(_ entry: PushEntry, because why: PushEntry.Withdrawal, certainty: Certainty) -> Self {
        let advice = entry.history.worst.adviceOnResending
        switch why {
        case .timedOut where certainty == .unprocessed:
            return Self(
                .timedOut, at: .http2, after: entry.trace, deadline: entry.limit.kind,
                "The push had not left whole when its \(entry.limit.kind) was over. \(LinkFailure.noMoreBytes) \(advice)"
            )
        case .timedOut:
            return Self(
                .timedOut, at: .apns, after: entry.trace, deadline: entry.limit.kind,
                "No answer came before the push's \(entry.limit.kind) was over. \(advice)")
        case .cancelled:
            return cancelled(entry.trace)
        case .closing, .drained, .stalled:
            return Self(
                .closed, at: .process, after: entry.trace,
                "The connection was closed before the push's answer came. \(advice)")
        }
    }
}

extension RoomEnding {
    /// The outcome for its receiver.
    ///
    /// - Parameter outage: Why no link is up, if none is.
    func outcome(_ outage: Outage?) -> Result<PushResponse, PushError> {
        if case .answered(let response) = reason { return .success(response) }
        return trace.record.outcome(error(Obstacle(outage: outage, isShort: isShort)))
    }

    private func error(_ obstacle: Obstacle) -> PushError {
        switch reason {
        case .expired: .timedOutWaiting(trace, for: obstacle)
        case .cancelled: .cancelled(trace)
        case .dropped(let load): .dropped(trace.record.id, load: load)
        case .closed, .answered: .closedWhileWaiting(trace, for: obstacle)
        case .givenUp: .givenUp(trace)
        case .refused(let refusal): .credentialRefused(trace, refusal: refusal)
        }
    }
}

/// What kept a push from going out.
struct Obstacle {
    /// Why no link is up; nil if one is.
    let outage: Outage?
    /// A link is up, and its flow-control windows were too small.
    let isShort: Bool

    var layer: ErrorLayer { outage?.cause.layer ?? (isShort ? .http2 : .request) }

    fileprivate var missing: String {
        if outage != nil { return "a link" }
        return isShort ? "the server to take its bytes" : "a link or a free stream"
    }

    /// A sentence followed by a space; empty if nothing is known.
    fileprivate var asReason: String {
        outage == nil && isShort ? LinkFailure.noMoreBytes + " " : outage.asReason
    }
}
