/// A push that was handed over: who it is, and a way to withdraw it.
public struct PushHandle: Sendable {
    /// The push's number.
    public let id: PushID
    /// The apns-id made for it; nil where APNs is to make one, or where the push was refused at the call.
    public let apnsID: APNSID?
    private let record: PushRecord?
    private let outbox: Outbox?

    init(_ record: PushRecord, _ outbox: Outbox) {
        id = record.id
        apnsID = record.apnsID
        self.record = record
        self.outbox = outbox
    }

    /// A handle of a push that was refused at the call.
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
    /// outcome has come.
    public var attempts: Int {
        guard let record, let outbox else { return 0 }
        return outbox.room.progress(of: record).attempts
    }

    /// Withdraws the push. Its outcome comes as usual, once: `cancelled` with its certainty, or the answer, if that was
    /// quicker. Does nothing if the push has ended.
    public func cancel() {
        guard let record, let outbox else { return }
        outbox.cancel(record)
    }
}
