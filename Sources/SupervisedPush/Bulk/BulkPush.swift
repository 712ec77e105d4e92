/// The outcomes of many pushes, see ``Bulk``.
public typealias BulkPush = Bulk<BulkOutcome>

/// How one push of a bulk ended.
public struct BulkOutcome: Sendable {
    /// Its position in the source, from 0.
    public let index: Int
    /// The push as the source returned it, with its context.
    public let push: Push
    /// The push's number. A ``LateResponse`` to a push that timed out has the same number, and the stream of its error.
    public let pushID: PushID
    /// The apns-id that was made for it, or that it had; nil if APNs makes one.
    public let apnsID: APNSID?
    /// The answer, or an error. A rejection is an answer, see `PushResponse`.
    public let result: Result<PushResponse, PushError>
    /// How often it was written: 0 if never, more than 1 if it was resent.
    public let attempts: Int

    /// How it ended, as a value to store and to count. Without the time.
    public var outcome: PushOutcome { PushOutcome(result, apnsID: apnsID, attempts: attempts) }

    init?(_ result: BulkResult) {
        guard let push = result.record.push else { return nil }
        index = result.index
        self.push = push
        pushID = result.record.id
        apnsID = result.record.apnsID
        self.result = result.result
        attempts = result.attempts
    }
}
