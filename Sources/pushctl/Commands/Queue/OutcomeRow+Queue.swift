import PushCampaign
import PushQueue
import SupervisedPush

extension OutcomeRow {
    /// The row of an outcome that a worker stored.
    init(line: Int, _ outcome: QueueOutcome) {
        self.init(line: line, token: outcome.token.hex, outcome.outcome)
    }
}
