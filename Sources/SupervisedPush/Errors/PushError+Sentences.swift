extension PushError {
    static func closed(_ pushID: PushID?) -> Self {
        Self(
            .closed, at: .process, certainty: .notSent, pushID: pushID,
            "The connection is closed or closing: push over another one, or connect again.")
    }

    static func overloadedSentence(_ load: ConnectionLoad, isBudget: Bool, outage: Outage?) -> String {
        let what =
            isBudget
            ? "The runtime is full: the waiting pushes of all its connections use up its byte budget. "
            : "The connection is full: \(load.waiting) of \(load.limit) pushes wait, \(load.inFlight) are in flight. "
        return what + outage.asReason
            + "Push more slowly, wait with the async form or whenRoom, or use more connections."
    }

    static func dropped(_ pushID: PushID, load: ConnectionLoad) -> Self {
        Self(
            .dropped, at: .request, certainty: .notSent, pushID: pushID, load: load,
            "The push waited in a full queue and was dropped for a later one: \(load.waiting) of \(load.limit) waited. "
                + Certainty.notSent.adviceOnResending)
    }

    static func stoppedWaiting() -> Self {
        Self(.cancelled, at: .request, certainty: .notSent, "The task that waited for the connection was cancelled.")
    }

    static func cancelledBeforeTheCall(_ pushID: PushID) -> Self {
        Self(
            .cancelled, at: .request, certainty: .notSent, pushID: pushID,
            "The push was cancelled before it was handed over.")
    }

    static func cancelledWhileCounting() -> Self {
        Self(.cancelled, at: .request, certainty: .notSent, "It was cancelled while the channels were counted.")
    }

    static func suspended(_ refusal: CredentialRefusal) -> Self {
        Self(.credentialRefused, at: refusal.layer, certainty: .notSent, refusal.description)
    }

    static func wouldDeadlock() -> Self {
        Self(
            .wouldDeadlock, at: .request, certainty: .notSent,
            "pushBlocking was called on a queue of the runtime, which it would block indefinitely: "
                + "use the async or the completion form there.")
    }

    static func invalid(_ problem: InvalidPush, pushID: PushID?) -> Self {
        let code: PushError.Code = problem.code == .payloadTooLarge ? .payloadTooLarge : .invalidRequest
        return Self(code, at: .request, certainty: .notSent, pushID: pushID, problem.description)
    }

    static func aboveLimit(_ bytes: Int, limit: Int, pushID: PushID?) -> Self {
        Self(
            .payloadTooLarge, at: .request, certainty: .notSent, pushID: pushID,
            "The payload has \(bytes) bytes, but the connection's maxPayloadBytes is \(limit): "
                + "shorten it, or raise the limit."
        )
    }

    static func invalid(options problem: String, pushID: PushID) -> Self {
        Self(
            .invalidRequest, at: .request, certainty: .notSent, pushID: pushID,
            "The push's options cannot be used: \(problem)")
    }

    /// The error of a process that failed while it held the push.
    static func processFailed(_ pushID: PushID, certainty: Certainty, streamID: PushStreamID?) -> Self {
        Self(
            .processFailed, at: .process, certainty: certainty, pushID: pushID, streamID: streamID,
            "The connection's process failed while it held the push. "
                + certainty.adviceOnResending)
    }
}

extension Certainty {
    /// What a caller may do with a push that ended with this certainty.
    var adviceOnResending: String {
        switch self {
        case .notSent, .unprocessed: "It was not processed: it is safe to push again."
        case .unknown: "It may have been delivered: push again only if a duplicate does no harm."
        case .answered: "It was answered."
        }
    }
}
