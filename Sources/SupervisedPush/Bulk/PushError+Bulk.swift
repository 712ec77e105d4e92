extension PushError {
    static func noLink(for time: Duration, _ outage: Outage?) -> Self {
        Self(
            .timedOut, at: .process, certainty: .notSent, deadline: .outage, outage: outage,
            "No link was up for \(time), so the bulk ended. \(outage.map { $0.sentence + " " } ?? "")"
                + "Push the rest later, or allow a longer outage.")
    }

    /// - Parameter response: The latest answer that said so.
    static func refused(_ subject: PushResponse.Subject, _ response: PushResponse?, for time: Duration) -> Self {
        let what = subject == .sender ? "refused the sender of all pushes" : "did not serve"
        let said = response.map { " (\($0.reason?.rawValue ?? String($0.status)))" } ?? ""
        let remedy = response.flatMap { $0.reason?.remedy ?? $0.advice?.sentence }.map { $0 + " " } ?? ""
        return Self(
            subject == .sender ? .credentialRefused : .timedOut, at: .apns, certainty: .notSent,
            deadline: .outage,
            "APNs \(what) for \(time)\(said), so the bulk ended. \(remedy)Then push the rest.")
    }

    static func iteratedTwice() -> Self {
        Self(
            .invalidRequest, at: .request, certainty: .notSent,
            "The outcomes of a bulk can be iterated only once, and an iterator exists: start another bulk instead."
        )
    }

    /// The error of a push that its bulk, not its caller, cancelled after an outage.
    func withdrawn(after time: Duration) -> Self {
        withdrawn("No link was up for \(time)")
    }

    /// The error of a push that its bulk cancelled because APNs refused its pushes for too long.
    func withdrawn(refused subject: PushResponse.Subject, for time: Duration) -> Self {
        withdrawn(subject == .sender ? "APNs refused the sender for \(time)" : "APNs did not serve for \(time)")
    }

    private func withdrawn(_ cause: String) -> Self {
        guard code == .cancelled else { return self }
        var error = Self(
            .timedOut, at: layer, certainty: certainty, pushID: pushID, streamID: streamID, deadline: .outage,
            "\(cause), so the bulk ended and cancelled the push. " + certainty.adviceOnResending)
        error.unknownAttempt = unknownAttempt
        return error
    }
}
