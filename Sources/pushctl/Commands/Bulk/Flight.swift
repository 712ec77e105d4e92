import SupervisedPush

/// One record on its way, from the call of its push to its row. Everything that changes belongs to the lock of the
/// ``OutcomeBook``.
final class Flight: @unchecked Sendable {
    // Sendable: `line` and `token` never change, all else is touched under the book's lock only.

    enum Stage {
        case underWay
        /// Timed out: its row waits for a late answer.
        case held
        case done
    }

    let line: Int
    let token: String
    var stage = Stage.underWay
    /// Nil until the call of its push has returned, which its completion may be quicker than.
    var handle: PushHandle?
    /// The outcome, if it came before the handle.
    var outcome: Result<PushResponse, PushError>?
    /// The late end, if it came before the outcome.
    var late: LateResponse.Outcome?

    init(line: Int, token: String) {
        self.line = line
        self.token = token
    }
}
