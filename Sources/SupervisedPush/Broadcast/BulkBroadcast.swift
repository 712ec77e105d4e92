/// The outcomes of many broadcasts, see ``Bulk``.
///
/// ```swift
/// let goals = matches.map { Broadcast($0.update, to: $0.channel, context: $0.id) }
/// for try await outcome in live.broadcasts.bulk(goals) where outcome.isChannelGone {
///     await forget(outcome.broadcast.channel)
/// }
/// ```
public typealias BulkBroadcast = Bulk<BulkBroadcastOutcome>

/// How one broadcast of a bulk ended.
public struct BulkBroadcastOutcome: Sendable {
    /// Its position in the source, from 0.
    public let index: Int
    /// The broadcast with its context, and with the bundle id that it was sent for.
    public let broadcast: Broadcast
    /// The broadcast's number, as in a ``LateResponse``.
    public let pushID: PushID
    /// The answer, or an error. A rejection is an answer, see `PushResponse`.
    public let result: Result<PushResponse, PushError>
    /// How often it was written: 0 if never, more than 1 if it was resent.
    public let attempts: Int

    /// How it ended, as a value to store and to count. Without the time.
    public var outcome: PushOutcome { PushOutcome(result, attempts: attempts) }

    /// Whether APNs said that the channel does not exist.
    public var isChannelGone: Bool { (try? result.get())?.advice == .forgetChannel }

    init?(_ result: BulkResult) {
        guard let broadcast = result.record.broadcast else { return nil }
        index = result.index
        self.broadcast = broadcast
        pushID = result.record.id
        self.result = result.result
        attempts = result.attempts
    }
}
