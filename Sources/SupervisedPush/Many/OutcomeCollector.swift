/// Receives outcomes in batches, for a caller of many pushes: a closure and a lock for each would cost too much.
///
/// Both calls are made on the delivery queue of the connection, in the order in which the answers arrived.
protocol OutcomeCollector: AnyObject, Sendable {
    /// The outcomes of pushes that were offered with this collector; each arrives once.
    func collect(_ settled: [SettledPush])
    /// How pushes ended after all whose outcome was not final (``SettledPush/isFinal``): once for each of them, after its
    /// outcome.
    func collect(late: [LatePush])
}

/// A push that has its outcome.
package struct SettledPush: Sendable {
    let record: PushRecord
    /// The collector's number for the push.
    package let ticket: Int
    package let outcome: Result<PushResponse, PushError>
    /// How often it was written.
    package var attempts: Int32 = 0
    /// False for a push that timed out and whose stream stays open: its late end follows.
    package var isFinal = true
}

extension SettledPush {
    /// A push that the call refused.
    init(refused record: PushRecord, _ ticket: Int, _ error: PushError) {
        self.init(record: record, ticket: ticket, outcome: .failure(error.carrying(record.context)))
    }
}

/// The late end of a push.
package struct LatePush: Sendable {
    /// The collector's number for the push.
    package let ticket: Int
    package let end: LateResponse.Outcome
}
