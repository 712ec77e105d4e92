import PushQueue
import SupervisedPush

extension OutcomeRow {
    /// The row of an outcome that a worker stored.
    init(line: Int, _ outcome: QueueOutcome) {
        self.init(
            line: line, token: outcome.token.hex, outcome: Outcome(outcome.word),
            certainty: Certainty(stored: outcome.certainty), status: outcome.status, reason: outcome.reason,
            apnsID: outcome.apnsID, timestamp: outcome.timestamp?.nearestUnixSeconds,
            attempts: outcome.attempts)
    }
}

extension OutcomeRow.Outcome {
    init(_ word: QueueOutcome.Word) {
        self =
            switch word {
            case .delivered: .delivered
            case .rejected: .rejected
            case .failed: .failed
            case .unknown: .unknown
            }
    }
}

extension OutcomeRow.Certainty {
    /// The certainty of an outcome; an answered one is answered.
    init(stored certainty: SupervisedPush.Certainty) {
        self = certainty == .answered ? .answered : Self(certainty)
    }
}
