/// Receives outcomes in batches, for a caller of many pushes: a closure and a lock for each would cost too much.
protocol OutcomeCollector: AnyObject, Sendable {
    /// The outcomes of pushes that were offered with this collector; each arrives once. Called on the delivery queue of
    /// their connection, in the order in which the answers arrived.
    func collect(_ settled: [SettledPush])
}

/// A push that has its outcome.
struct SettledPush: Sendable {
    let record: PushRecord
    /// The collector's number for the push.
    let ticket: Int
    let outcome: OutcomeReceiver.Outcome
    /// How often it was written.
    var attempts = 0
}
