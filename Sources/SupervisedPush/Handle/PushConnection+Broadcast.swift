/// Broadcasts: one push to every device that follows a channel.
extension PushConnection {
    /// Broadcasts a Live Activity's update to the subscribers of a channel, and waits for APNs' answer.
    ///
    /// It goes over the ordinary connection or pool, and all that holds for a push holds for it: its time, its certainty, what is sent
    /// again by itself, late answers. It never causes feedback, and `ordered: .perDevice` means per channel.
    ///
    /// Of the connection's defaults only the topic counts, as the bundle id. The notification's own topic is ignored, because a broadcast
    /// has none. Without values of its own a broadcast goes with priority 10 and expiration 0, the only ones that a channel without
    /// storage takes.
    ///
    /// - Parameters:
    ///   - notification: The `update` or `end` of a Live Activity, at most 5,120 bytes of JSON.
    ///   - channel: Where to.
    ///   - bundleID: The app's bundle id, without a suffix; nil, the default: the topic of the connection's defaults.
    ///   - context: Yours; never sent, given back with the answer or the error, with a late response and in a hand-back.
    ///   - options: Timeout, deadline and what else a push may ask for.
    /// - Returns: The answer. A rejection is an answer, too: `ChannelNotRegistered` and `BadChannelId` mean to forget the channel.
    /// - Throws: ``PushError``, with what is known of the broadcast.
    @discardableResult
    public func broadcast(
        _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) async throws(PushError) -> PushResponse {
        let broadcast = Broadcast(notification, to: channel, bundleID: bundleID, context: context)
        return try await runtime.answer(context, options) { () throws(PushError) in try issue(broadcast, options) }
    }

    /// Broadcasts and calls back, as a push with a completion does; see ``broadcast(_:to:bundleID:context:options:)``.
    ///
    /// - Returns: A handle to ask for the stream or to cancel.
    @discardableResult
    public func broadcast(
        _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions(),
        completion: @escaping @Sendable (Result<PushResponse, PushError>) -> Void
    ) -> PushHandle {
        let broadcast = Broadcast(notification, to: channel, bundleID: bundleID, context: context)
        return runtime.offer(context, options, completion) { () throws(PushError) in try issue(broadcast, options) }
    }

    /// Broadcasts as fire and forget. What ends without an answer is handed back to the connection's owner, see ``HandBack/broadcasts``.
    ///
    /// - Throws: ``PushError`` if the broadcast was refused at the call; then nothing is kept of it.
    @discardableResult
    public func sendBroadcast(
        _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushHandle {
        let broadcast = Broadcast(notification, to: channel, bundleID: bundleID, context: context)
        return try runtime.send(context, options) { () throws(PushError) in try issue(broadcast, options) }
    }

    /// Broadcasts and blocks the thread until the answer is there or the broadcast's time is over: for synchronous code.
    ///
    /// - Throws: ``PushError``; `wouldDeadlock` on a queue of the runtime, for example in a completion.
    @available(*, noasync, message: "use the async form of broadcast")
    @discardableResult
    public func broadcastBlocking(
        _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushResponse {
        let broadcast = Broadcast(notification, to: channel, bundleID: bundleID, context: context)
        return try runtime.block(context, options) { () throws(PushError) in try issue(broadcast, options) }
    }

    /// The request that a broadcast over this connection would send; see ``request(_:to:)`` and
    /// ``broadcast(_:to:bundleID:context:options:)``.
    public func request(
        _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil
    ) throws(PushError) -> PreparedRequest {
        try destination.config.request(
            notification, .channel(channel, bundleID: bundleID), with: destination.credentials.current)
    }

    private func issue(
        _ broadcast: Broadcast, _ options: PushOptions
    ) throws(PushError) -> (PushEntrance, PushRecord) {
        let entrance = try entrance
        return (entrance, entrance.outbox.issue(broadcast, options))
    }
}
