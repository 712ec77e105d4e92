/// A push that was handed over: its id, its progress, and a way to cancel it.
public struct PushHandle: Sendable {
    /// The push's number.
    public let id: PushID
    /// The apns-id made for the push; nil if APNs makes one, or if the call refused the push.
    public let apnsID: APNSID?
    private let record: PushRecord?
    private let outbox: Outbox?

    init(_ record: PushRecord, outbox: Outbox) {
        id = record.id
        apnsID = record.apnsID
        self.record = record
        self.outbox = outbox
    }

    /// A handle of a push that the call refused.
    init(refused id: PushID) {
        self.id = id
        apnsID = nil
        record = nil
        outbox = nil
    }

    /// The stream of the latest attempt; nil while the push waits for its first one.
    public var streamID: PushStreamID? {
        guard let record, let outbox else { return nil }
        return outbox.room.progress(of: record).streamID
    }

    /// How often the push was written: 0 while it waits, more than 1 if APNs returned it unprocessed. Final once the
    /// push has its outcome.
    public var attempts: Int {
        guard let record, let outbox else { return 0 }
        return outbox.room.progress(of: record).attempts
    }

    /// Cancels the push. Its one outcome is `cancelled` with its certainty, or the answer, if that arrived first. Does
    /// nothing if the push has ended.
    public func cancel() {
        guard let record, let outbox else { return }
        outbox.cancel(record)
    }
}
