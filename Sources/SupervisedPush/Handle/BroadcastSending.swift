/// What an application needs to broadcast to channels, as ``PushSending`` is what it needs to push to devices.
///
/// ``PushConnection`` conforms, and so does `RecordingPushes` of the product `PushTesting`, a fake. A service that does both takes
/// `any PushSending & BroadcastSending`.
public protocol BroadcastSending: Sendable {
    /// Broadcasts and waits for APNs' answer.
    ///
    /// - Returns: The answer. A rejection is also an answer.
    /// - Throws: ``PushError``; its `certainty` says whether APNs may have processed the broadcast.
    @discardableResult
    func broadcast(_ broadcast: Broadcast, options: PushOptions) async throws(PushError) -> PushResponse

    /// Broadcasts and does not wait for the answer.
    ///
    /// - Throws: ``PushError`` if the call refuses the broadcast.
    func sendBroadcast(_ broadcast: Broadcast, options: PushOptions) throws(PushError)
}

extension BroadcastSending {
    /// Broadcasts a notification to the subscribers of a channel and waits for APNs' answer.
    ///
    /// - Parameters:
    ///   - notification: The `update` or `end` of a Live Activity.
    ///   - channel: The channel to broadcast to.
    ///   - bundleID: The app's bundle id, without a suffix; nil, the default: the topic of the connection's defaults.
    ///   - context: A value of yours. It is never sent; you get it back with the answer or the error.
    ///   - options: Timeout, deadline and other options of the push.
    @discardableResult
    public func broadcast(
        _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) async throws(PushError) -> PushResponse {
        try await broadcast(
            Broadcast(notification, to: channel, bundleID: bundleID, context: context), options: options)
    }

    /// Broadcasts a notification to the subscribers of a channel and does not wait for the answer.
    public func sendBroadcast(
        _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) {
        try sendBroadcast(
            Broadcast(notification, to: channel, bundleID: bundleID, context: context), options: options)
    }
}

extension PushConnection: BroadcastSending {
    /// Broadcasts, for ``BroadcastSending``; see ``broadcast(_:to:bundleID:context:options:)``.
    @discardableResult
    public func broadcast(_ broadcast: Broadcast, options: PushOptions) async throws(PushError) -> PushResponse {
        try await runtime.answer(broadcast.context, options, to: find) { $0.issue(broadcast, options) }
    }

    /// Fire and forget, for ``BroadcastSending``; see ``sendBroadcast(_:to:bundleID:context:options:)``.
    public func sendBroadcast(_ broadcast: Broadcast, options: PushOptions) throws(PushError) {
        _ = try runtime.send(broadcast.context, options, to: find) { $0.issue(broadcast, options) }
    }
}
