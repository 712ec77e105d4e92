import SupervisedPush

extension PushOutcome {
    /// Whether a record with this outcome needs no other push: it was judged, or it may have been processed. A rejection
    /// that judges the sender or the service says nothing about the push.
    var isDone: Bool {
        switch kind {
        case .delivered, .unknown: true
        case .failed: false
        case .rejected: judges?.leavesPushOpen != true
        }
    }
}
