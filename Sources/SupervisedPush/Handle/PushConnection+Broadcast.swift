/// Broadcasts: one push to every device that follows a channel.
extension PushConnection {
    /// Broadcasts a Live Activity's update to the subscribers of a channel, and waits for APNs' answer.
    ///
    /// A broadcast goes over the ordinary connection or pool and follows the rules of a push: its time, its certainty,
    /// automatic resends, late answers. It never causes feedback, and `ordered: .perDevice` means per channel.
    ///
    /// Of the connection's defaults, only the topic applies; it is the bundle id. The notification's own topic is
    /// ignored, because a broadcast has none. If the notification sets neither, the priority is 10 and the expiration
    /// 0: a channel without storage accepts no others.
    ///
    /// - Parameters:
    ///   - notification: The `update` or `end` of a Live Activity, at most 5,120 bytes of JSON.
    ///   - channel: The channel to broadcast to.
    ///   - bundleID: The app's bundle id, without a suffix; nil, the default: the topic of the connection's defaults.
    ///   - context: A value of yours. It is never sent; you get it back with the answer or the error, with a late
    ///     response and in a hand-back.
    ///   - options: Timeout, deadline and other options of the push.
    /// - Returns: The answer. A rejection is also an answer: if it is `ChannelNotRegistered` or `BadChannelId`, forget
    ///   the channel.
    /// - Throws: ``PushError``; its `certainty` says whether APNs may have processed the broadcast.
    @discardableResult
    public func broadcast(
        _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) async throws(PushError) -> PushResponse {
        let broadcast = Broadcast(notification, to: channel, bundleID: bundleID, context: context)
        return try await runtime.answer(context, options, to: find) { $0.issue(broadcast, options) }
    }

    /// Broadcasts and calls back; see ``push(_:to:context:options:completion:)`` and
    /// ``broadcast(_:to:bundleID:context:options:)``.
    ///
    /// - Returns: A handle with the stream, which can also cancel the broadcast.
    @discardableResult
    public func broadcast(
        _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions(),
        completion: @escaping @Sendable (Result<PushResponse, PushError>) -> Void
    ) -> PushHandle {
        let broadcast = Broadcast(notification, to: channel, bundleID: bundleID, context: context)
        return runtime.offer(context, options, completion, to: find) { $0.issue(broadcast, options) }
    }

    /// Broadcasts without waiting for the answer. If the broadcast ends without one, the connection's owner gets it
    /// back, see ``HandBack/broadcasts``.
    ///
    /// - Throws: ``PushError`` if the call refuses the broadcast. It is then not handed back.
    @discardableResult
    public func sendBroadcast(
        _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushHandle {
        let broadcast = Broadcast(notification, to: channel, bundleID: bundleID, context: context)
        return try runtime.send(context, options, to: find) { $0.issue(broadcast, options) }
    }

    /// Broadcasts and blocks the thread until the answer arrives or the broadcast's time is over. For synchronous code.
    ///
    /// - Throws: ``PushError``; `wouldDeadlock` on a queue of the runtime, for example in a completion.
    @available(*, noasync, message: "use the async form of broadcast")
    @discardableResult
    public func broadcastBlocking(
        _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushResponse {
        let broadcast = Broadcast(notification, to: channel, bundleID: bundleID, context: context)
        return try runtime.block(context, options, to: find) { $0.issue(broadcast, options) }
    }

    /// The request that a broadcast over this connection would send; see ``preview(_:to:)`` and
    /// ``broadcast(_:to:bundleID:context:options:)``.
    public func preview(
        _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil
    ) throws(PushError) -> PreparedRequest {
        try destination.config.request(
            notification, .channel(channel, bundleID: bundleID), with: destination.credentials.current)
    }
}
