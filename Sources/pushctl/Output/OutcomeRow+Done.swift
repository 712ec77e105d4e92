import SupervisedPush

extension OutcomeRow.Outcome {
    /// Whether a record with this outcome needs no other push: it was judged, or it may have been processed. A rejection
    /// that judges the sender or the service says nothing about the push.
    ///
    /// - Parameter status: The status, for a reason that no version knew.
    func isDone(reason: String?, status: Int? = nil) -> Bool {
        switch self {
        case .delivered, .unknown: true
        case .failed: false
        case .rejected: reason.map { !Self.leavesPushOpen($0, status) } ?? true
        }
    }

    private static func leavesPushOpen(_ reason: String, _ status: Int?) -> Bool {
        if let subject = RejectionReason(rawValue: reason).judges { return subject.leavesPushOpen }
        let written = reason.hasPrefix("http_") ? Int(reason.dropFirst(5)) : nil
        return (status ?? written).map { PushResponse.Subject(status: $0).leavesPushOpen } ?? false
    }
}
