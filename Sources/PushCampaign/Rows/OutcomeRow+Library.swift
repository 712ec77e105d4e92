import SupervisedPush

extension OutcomeRow {
    /// The row of a push that ended.
    ///
    /// - Parameters:
    ///   - apnsID: The id that was made for it.
    ///   - ending: Why the run cancelled it, if it did.
    package init(
        line: Int = 0, token: String = "", apnsID: APNSID? = nil, _ result: Result<PushResponse, PushError>,
        attempts: Int = 0,
        ending: RunEnding?
    ) {
        var outcome = PushOutcome(result, apnsID: apnsID, attempts: attempts)
        var notRetried: NotRetried?
        switch result {
        case .success(let response):
            notRetried = response.retryHeldBack.flatMap { NotRetried(rawValue: $0.name) }
        case .failure(let error):
            if error.isSafeToRepeat, let reason = ending?.reason(for: error.code) { outcome.reason = reason }
        }
        self.init(line: line, token: token, outcome, notRetried: notRetried)
    }
}

extension RunEnding {
    /// Why a push ended that the run itself took back; nil if the error says it.
    fileprivate func reason(for code: PushError.Code) -> String? {
        guard code == .cancelled || code == .closed else { return nil }
        return switch self {
        case .stopped, .outputLost, .journalLost: "cancelled"
        case .credentialRefused: "credential"
        case .outage, .refused, .givenUp: nil
        }
    }
}

extension PushError {
    /// True if the push could never have been sent as it is.
    package var isInvalidInput: Bool { code == .invalidRequest || code == .payloadTooLarge }
}

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
