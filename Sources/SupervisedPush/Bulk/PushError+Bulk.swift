extension PushError {
    static func noLink(for time: Duration, _ outage: Outage?) -> Self {
        Self(
            .timedOut, .process, .notSent, deadline: .outage, outage: outage,
            "No link was up for \(time), so the bulk ended. \(outage.map { $0.sentence + " " } ?? "")"
                + "Push the rest later, or allow a longer outage.")
    }

    static func iteratedTwice() -> Self {
        Self(
            .invalidRequest, .request, .notSent,
            "The outcomes of a bulk can be iterated only once, and an iterator exists: start another bulk instead."
        )
    }

    /// The error of a push that its bulk, not its caller, cancelled after an outage.
    func withdrawn(after time: Duration) -> Self {
        guard code == .cancelled else { return self }
        var error = Self(
            .timedOut, layer, certainty, pushID: pushID, streamID: streamID, deadline: .outage,
            "No link was up for \(time), so the bulk ended and cancelled the push. " + certainty.adviceOnResending)
        error.unknownAttempt = unknownAttempt
        return error
    }
}
