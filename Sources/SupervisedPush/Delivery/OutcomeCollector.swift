/// Receives outcomes in batches, for a caller of many pushes: a closure and a lock for each would cost too much.
protocol OutcomeCollector: AnyObject, Sendable {
    /// The outcomes of pushes that were offered with this collector; each arrives once. Called on the delivery queue of
    /// their connection, in the order in which the answers arrived.
    func collect(_ settled: [SettledPush])
}

/// A push that has its outcome.
package struct SettledPush: Sendable {
    let record: PushRecord
    /// The collector's number for the push.
    package let ticket: Int
    package let outcome: Result<PushResponse, PushError>
    /// How often it was written.
    package var attempts = 0
}

extension SettledPush {
    /// A push that the call refused.
    init(refused record: PushRecord, _ ticket: Int, _ error: PushError) {
        self.init(record: record, ticket: ticket, outcome: .failure(error.carrying(record.context)))
    }
}
