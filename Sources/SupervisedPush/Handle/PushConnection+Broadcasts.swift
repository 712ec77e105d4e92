extension PushConnection {
    /// Pushes to channels over this connection or pool.
    ///
    /// ```swift
    /// try await live.broadcasts.push(goal, to: channel).accepted()
    /// ```
    public var broadcasts: Broadcasts { Broadcasts(connection: self) }

    /// The forms of push for channels: one push to every device that follows the channel.
    ///
    /// A broadcast follows the rules of a push: its time, its certainty, automatic resends, late answers. It never causes
    /// feedback, and `ordered: .perDevice` means per channel.
    ///
    /// Of the connection's defaults, only the topic applies; it is the bundle id. The notification's own topic is ignored,
    /// because a broadcast has none. If the notification sets neither, the priority is 10 and the expiration 0: a channel
    /// without storage accepts no others.
    public struct Broadcasts: BroadcastSending {
        let connection: PushConnection
    }
}

extension PushConnection.Broadcasts {
    /// Pushes to a channel and waits for APNs' answer, without blocking a thread.
    public func push(_ broadcast: Broadcast, options: PushOptions) async throws(PushError) -> PushResponse {
        try await connection.runtime.answer(broadcast.context, options: options, to: connection.find) {
            $0.issue(broadcast, options: options)
        }
    }

    /// Pushes to a channel and calls back; see ``PushConnection/push(_:to:context:options:completion:)``.
    ///
    /// - Returns: A handle with the stream, which can also cancel the broadcast.
    @discardableResult
    public func push(
        _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions(),
        completion: @escaping @Sendable (Result<PushResponse, PushError>) -> Void
    ) -> PushHandle {
        let broadcast = Broadcast(notification, to: channel, bundleID: bundleID, context: context)
        return connection.runtime.offer(context, options: options, completion: completion, to: connection.find) {
            $0.issue(broadcast, options: options)
        }
    }

    /// Pushes to a channel without waiting for the answer. If the broadcast ends without one, the connection's owner gets
    /// it back, see ``HandBack/broadcasts``.
    ///
    /// - Returns: A handle with the stream, which can also cancel the broadcast.
    /// - Throws: ``PushError`` if the call refuses the broadcast. It is then not handed back.
    @discardableResult
    public func send(
        _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushHandle {
        let broadcast = Broadcast(notification, to: channel, bundleID: bundleID, context: context)
        return try connection.runtime.send(context, options: options, to: connection.find) {
            $0.issue(broadcast, options: options)
        }
    }

    /// Fire and forget, for ``BroadcastSending``; see ``send(_:to:bundleID:context:options:)``.
    public func send(_ broadcast: Broadcast, options: PushOptions) throws(PushError) {
        _ = try connection.runtime.send(broadcast.context, options: options, to: connection.find) {
            $0.issue(broadcast, options: options)
        }
    }

    /// Pushes to a channel and blocks the thread until the answer arrives or the broadcast's time is over. For synchronous
    /// code.
    ///
    /// - Throws: ``PushError``; `wouldDeadlock` on a queue of the runtime, for example in a completion.
    @available(*, noasync, message: "use the async form of push")
    public func pushBlocking(
        _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushResponse {
        let broadcast = Broadcast(notification, to: channel, bundleID: bundleID, context: context)
        return try connection.runtime.block(context, options: options, to: connection.find) {
            $0.issue(broadcast, options: options)
        }
    }

    /// Pushes all broadcasts of a sequence, see ``Bulk``. A bulk sends nothing before it is iterated.
    ///
    /// - Parameters:
    ///   - broadcasts: What to send, each with its channel and an optional context.
    ///   - options: The rate, the longest outage, and the options of each broadcast.
    /// - Returns: The outcomes, in the order they arrive. Reading begins when you ask for the first one.
    public func bulk<Source: Sequence>(
        _ broadcasts: sending Source, options: BulkOptions = BulkOptions()
    ) -> BulkBroadcast where Source.Element == Broadcast {
        launch(SequenceSource(broadcasts) { .broadcast($0) }, options: options)
    }

    /// Pushes all broadcasts of an asynchronous sequence; see ``bulk(_:options:)``.
    public func bulk<Source: AsyncSequence>(
        _ broadcasts: sending Source, options: BulkOptions = BulkOptions()
    ) -> BulkBroadcast where Source.Element == Broadcast {
        launch(AsyncSequenceSource(broadcasts) { .broadcast($0) }, options: options)
    }

    private func launch(_ source: any BulkSource, options: BulkOptions) -> BulkBroadcast {
        BulkBroadcast(BulkLaunch(connection, source, options), BulkBroadcastOutcome.init)
    }

    /// The request that a broadcast over this connection would send; see ``PushConnection/preview(_:to:)``.
    ///
    /// - Throws: ``PushError``, as the push would throw it at the call.
    public func preview(
        _ notification: PushNotification, to channel: ChannelID, bundleID: String? = nil
    ) throws(PushError) -> PreparedRequest {
        let destination = connection.destination
        return try destination.config.request(
            notification, to: .channel(channel, bundleID: bundleID), with: destination.credentials.current)
    }
}
