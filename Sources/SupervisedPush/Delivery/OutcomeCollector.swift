/// Takes outcomes a batch at a time: for who pushes many, and would pay for a closure and a lock with each.
protocol OutcomeCollector: AnyObject, Sendable {
    /// How pushes ended that were offered with this collector: each comes once. Called on the delivery queue of their
    /// connection, in the order the answers came.
    func take(_ settled: [SettledPush])
}

/// A push that has its outcome.
struct SettledPush: Sendable {
    let record: PushRecord
    /// What the collector knows it by.
    let ticket: Int
    let outcome: OutcomeSink.Outcome
    /// How often it was written.
    var attempts = 0
}
