/// Broadcasts: one push for everybody who follows a channel.
extension PushRuntime {
    /// Broadcasts a Live Activity's update to everybody who subscribed to a channel, and waits for APNs' answer.
    ///
    /// It goes over the ordinary connection of this name, or over a pool, and all that holds for a push holds for it: its
    /// time, its certainty, what is sent again by itself, late answers. It never fires feedback, and `ordered: .perDevice`
    /// means per channel.
    ///
    /// Of the connection's defaults only the topic counts, as the bundle id; the notification's own topic is not looked at, since a
    /// broadcast has none. Without values of its own a broadcast goes with the priority 10 and the expiration 0, which is all that a
    /// channel without storage takes.
    ///
    /// - Parameters:
    ///   - name: the connection or pool.
    ///   - notification: the `update` or `end` of a Live Activity, at most 5,120 bytes of JSON.
    ///   - channel: where to.
    ///   - bundleID: the app's bundle id, without a suffix; nil, the default: the topic of the connection's defaults.
    ///   - context: yours; never sent, given back with the answer or the error, with a late response and in a hand-back.
    ///   - options: timeout, deadline and what else a push may ask for.
    /// - Returns: the answer. A rejection is an answer, too: `ChannelNotRegistered` and `BadChannelId` mean to forget the channel.
    /// - Throws: ``PushError``, with what is known of the broadcast.
    @discardableResult
    public func broadcast(
        name: String, _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) async throws(PushError) -> PushResponse {
        try await broadcast(
            .name(name), Broadcast(notification, to: channel, bundleID: bundleID, context: context), options)
    }

    /// Broadcasts through the connection or pool of this pid; see `broadcast(name:_:to:bundleID:context:options:)`.
    @discardableResult
    public func broadcast(
        _ pid: ProcessID, _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) async throws(PushError) -> PushResponse {
        try await broadcast(
            .pid(pid), Broadcast(notification, to: channel, bundleID: bundleID, context: context), options)
    }

    /// Broadcasts and calls back, as a push with a completion does; see `broadcast(name:_:to:bundleID:context:options:)`.
    ///
    /// - Returns: a handle to ask for the stream or to cancel.
    @discardableResult
    public func broadcast(
        name: String, _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions(),
        completion: @escaping @Sendable (Result<PushResponse, PushError>) -> Void
    ) -> PushHandle {
        broadcast(
            .name(name), Broadcast(notification, to: channel, bundleID: bundleID, context: context), options, completion
        )
    }

    /// Broadcasts through the connection or pool of this pid and calls back;
    /// see `broadcast(name:_:to:bundleID:context:options:completion:)`.
    @discardableResult
    public func broadcast(
        _ pid: ProcessID, _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions(),
        completion: @escaping @Sendable (Result<PushResponse, PushError>) -> Void
    ) -> PushHandle {
        broadcast(
            .pid(pid), Broadcast(notification, to: channel, bundleID: bundleID, context: context), options, completion)
    }

    /// Broadcasts as fire and forget. What ends without an answer is handed back to the connection's owner, see ``HandBack/broadcasts``.
    ///
    /// - Throws: ``PushError`` if the broadcast was refused at the call; then nothing is kept of it.
    @discardableResult
    public func sendBroadcast(
        name: String, _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushHandle {
        try send(.name(name), Broadcast(notification, to: channel, bundleID: bundleID, context: context), options)
    }

    /// Broadcasts as fire and forget through the connection or pool of this pid;
    /// see `sendBroadcast(name:_:to:bundleID:context:options:)`.
    @discardableResult
    public func sendBroadcast(
        _ pid: ProcessID, _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushHandle {
        try send(.pid(pid), Broadcast(notification, to: channel, bundleID: bundleID, context: context), options)
    }

    /// Broadcasts and blocks the thread until the answer is there or the broadcast's time is over: for synchronous code.
    ///
    /// - Throws: ``PushError``; `wouldDeadlock` on a queue of the runtime, for example in a completion.
    @available(*, noasync, message: "use the async form of broadcast")
    @discardableResult
    public func broadcastBlocking(
        name: String, _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushResponse {
        try block(.name(name), Broadcast(notification, to: channel, bundleID: bundleID, context: context), options)
    }

    /// Broadcasts through the connection or pool of this pid and blocks;
    /// see `broadcastBlocking(name:_:to:bundleID:context:options:)`.
    @available(*, noasync, message: "use the async form of broadcast")
    @discardableResult
    public func broadcastBlocking(
        _ pid: ProcessID, _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushResponse {
        try block(.pid(pid), Broadcast(notification, to: channel, bundleID: bundleID, context: context), options)
    }
}

extension PushRuntime {
    private func broadcast(
        _ target: PushTarget, _ broadcast: Broadcast, _ options: PushOptions
    ) async throws(PushError) -> PushResponse {
        try await answer(broadcast.context, options) { () throws(PushError) in try issue(target, broadcast, options) }
    }

    private func broadcast(
        _ target: PushTarget, _ broadcast: Broadcast, _ options: PushOptions,
        _ completion: @escaping @Sendable (OutcomeSink.Outcome) -> Void
    ) -> PushHandle {
        offer(broadcast.context, options, completion) { () throws(PushError) in
            try issue(target, broadcast, options)
        }
    }

    private func send(
        _ target: PushTarget, _ broadcast: Broadcast, _ options: PushOptions
    ) throws(PushError) -> PushHandle {
        try send(broadcast.context, options) { () throws(PushError) in try issue(target, broadcast, options) }
    }

    private func block(
        _ target: PushTarget, _ broadcast: Broadcast, _ options: PushOptions
    ) throws(PushError) -> PushResponse {
        try block(broadcast.context, options) { () throws(PushError) in try issue(target, broadcast, options) }
    }

    private func issue(
        _ target: PushTarget, _ broadcast: Broadcast, _ options: PushOptions
    ) throws(PushError) -> (PushEntrance, PushRecord) {
        let entrance = try directory.destination(target).entrance
        return (entrance, entrance.outbox.issue(broadcast, options))
    }
}
