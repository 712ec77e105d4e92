/// What an application needs to push to channels, as ``PushSending`` and ``BulkSending`` are what it needs to push to devices.
///
/// ``PushConnection/broadcasts`` of a connection conforms, and so does `RecordingPushes` of the product `PushTesting`, a fake.
public protocol BroadcastSending: Sendable {
    /// The outcomes of many broadcasts, one for each, as they arrive: ``BulkBroadcast`` of a connection.
    associatedtype Broadcasts: AsyncSequence & Sendable
    where Broadcasts.Element == BulkBroadcastOutcome, Broadcasts.Failure == any Error

    /// Pushes to a channel and waits for APNs' answer.
    ///
    /// - Returns: The answer. A rejection is also an answer.
    /// - Throws: ``PushError``; its `certainty` says whether APNs may have processed the broadcast.
    func push(_ broadcast: Broadcast, options: PushOptions) async throws(PushError) -> PushResponse

    /// Pushes to a channel and does not wait for the answer.
    ///
    /// - Throws: ``PushError`` if the call refuses the broadcast.
    func send(_ broadcast: Broadcast, options: PushOptions) throws(PushError)

    /// Pushes all broadcasts of a sequence.
    func bulk<Source: Sequence>(_ broadcasts: sending Source, options: BulkOptions) -> Broadcasts
    where Source.Element == Broadcast

    /// Pushes all broadcasts of an asynchronous sequence.
    func bulk<Source: AsyncSequence>(_ broadcasts: sending Source, options: BulkOptions) -> Broadcasts
    where Source.Element == Broadcast
}

extension BroadcastSending {
    /// Pushes a notification to the subscribers of a channel and waits for APNs' answer.
    ///
    /// - Parameters:
    ///   - notification: The `update` or `end` of a Live Activity, at most 5,120 bytes of JSON. It may be made in the call:
    ///     if a rule is broken, the call throws `invalidRequest`.
    ///   - channel: The channel to push to.
    ///   - bundleID: The app's bundle id, without a suffix; nil, the default: the topic of the connection's defaults.
    ///   - context: A value of yours. It is never sent; you get it back with the answer or the error, with a late response
    ///     and in a hand-back.
    ///   - options: Timeout, deadline and other options of the push.
    /// - Returns: The answer. A rejection is also an answer: if it is `ChannelNotRegistered` or `BadChannelId`, forget the
    ///   channel.
    /// - Throws: ``PushError``; its `certainty` says whether APNs may have processed the broadcast.
    public nonisolated(nonsending) func push(
        _ notification: @autoclosure () throws(InvalidPush) -> PushNotification, to channel: ChannelID,
        bundleID: String? = nil, context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) async throws(PushError) -> PushResponse {
        let made: PushNotification
        do { made = try notification() } catch { throw PushError.invalid(error, pushID: nil).carrying(context) }
        return try await push(
            Broadcast(made, to: channel, bundleID: bundleID, context: context), options: options)
    }

    /// Pushes a notification to the subscribers of a channel and does not wait for the answer.
    public func send(
        _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) {
        try send(Broadcast(notification, to: channel, bundleID: bundleID, context: context), options: options)
    }

    /// Pushes all broadcasts of a sequence with the default options.
    public func bulk<Source: Sequence>(_ broadcasts: sending Source) -> Broadcasts
    where Source.Element == Broadcast {
        bulk(broadcasts, options: BulkOptions())
    }
}
