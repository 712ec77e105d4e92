extension PushError {
    static func noLink(for time: Duration, _ outage: Outage?) -> Self {
        Self(
            .timedOut, .process, .notSent, deadline: .outage, outage: outage,
            "No link was up for \(time), so the bulk ended. \(outage.map { $0.sentence + " " } ?? "")"
                + "Push what was not sent again later, or allow a longer outage.")
    }

    static func iteratedTwice() -> Self {
        Self(
            .invalidRequest, .request, .notSent,
            "The outcomes of a bulk can be iterated once, and somebody does already: push the rest as a bulk of its own."
        )
    }

    /// The error of a push that its bulk withdrew after an outage, and not its caller.
    func withdrawn(after time: Duration) -> Self {
        guard code == .cancelled else { return self }
        var error = Self(
            .timedOut, layer, certainty, pushID: pushID, streamID: streamID, deadline: .outage,
            "No link was up for \(time), so the bulk ended and withdrew the push. " + certainty.adviceOnResending)
        error.unknownAttempt = unknownAttempt
        return error
    }
}
