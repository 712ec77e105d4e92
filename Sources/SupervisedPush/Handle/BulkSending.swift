/// What an application needs to push in bulk, as ``PushSending`` is what it needs for single pushes.
///
/// ``PushConnection`` conforms, and so does `RecordingPushes` of the product `PushTesting`, a fake. In both nothing is read or sent before
/// the first outcome is asked for.
public protocol BulkSending: Sendable {
    /// The outcomes of pushes, one for each, as they arrive: ``BulkPush`` of a connection.
    associatedtype Pushes: AsyncSequence & Sendable where Pushes.Element == BulkOutcome, Pushes.Failure == any Error

    /// Pushes all elements of a sequence.
    func bulk<Source: Sequence>(_ pushes: sending Source, options: BulkOptions) -> Pushes
    where Source.Element == Push

    /// Pushes all elements of an asynchronous sequence.
    func bulk<Source: AsyncSequence>(_ pushes: sending Source, options: BulkOptions) -> Pushes
    where Source.Element == Push
}

extension BulkSending {
    /// Pushes all elements of a sequence with the default options.
    public func bulk<Source: Sequence>(_ pushes: sending Source) -> Pushes where Source.Element == Push {
        bulk(pushes, options: BulkOptions())
    }

    /// Pushes one notification to many devices.
    public func bulk<Tokens: Sequence>(
        _ notification: PushNotification, to deviceTokens: sending Tokens, options: BulkOptions = BulkOptions()
    ) -> Pushes where Tokens.Element == DeviceToken {
        bulk(deviceTokens.lazy.map { Push(notification, to: $0) }, options: options)
    }
}

extension PushConnection: BulkSending {}

/// For a fake.
extension BulkOutcome {
    package init(index: Int, push: Push, result: Result<PushResponse, PushError>) {
        self.index = index
        self.push = push
        pushID = PushID(UInt64(index))
        apnsID = nil
        self.result = result
        attempts = 1
    }
}

/// For a fake.
extension BulkBroadcastOutcome {
    package init(index: Int, broadcast: Broadcast, result: Result<PushResponse, PushError>) {
        self.index = index
        self.broadcast = broadcast
        pushID = PushID(UInt64(index))
        self.result = result
        attempts = 1
    }
}
