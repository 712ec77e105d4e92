/// Pushes in bulk: any number of pushes in constant memory, read from the source as they can go out. See ``Bulk`` for
/// the rules of all these calls.
///
/// The source is read on a queue of its own, so the call takes ownership of it. You may pass a value of any type if
/// nothing else uses it any more, for example a lazy sequence or a database cursor. Elements may be created as they are
/// read.
extension PushConnection {
    /// Pushes all elements of a sequence.
    ///
    /// - Parameters:
    ///   - pushes: What to send, each with its device token and an optional context.
    ///   - options: The rate, the longest outage, and the options of each push.
    /// - Returns: The outcomes, in the order they arrive. Reading begins when you ask for the first one.
    public func push<Pushes: Sequence>(
        contentsOf pushes: sending Pushes, options: BulkOptions = BulkOptions()
    ) -> BulkPush where Pushes.Element == Push {
        bulk(SequenceSource(pushes) { .push($0) }, options)
    }

    /// Pushes all elements of an asynchronous sequence; see ``push(contentsOf:options:)``.
    public func push<Pushes: AsyncSequence>(
        contentsOf pushes: sending Pushes, options: BulkOptions = BulkOptions()
    ) -> BulkPush where Pushes.Element == Push {
        bulk(AsyncSequenceSource(pushes) { .push($0) }, options)
    }

    /// Pushes one notification to many devices. Its payload is stored once.
    ///
    /// - Parameters:
    ///   - notification: What to send. Do not set its apns-id: all pushes would have the same one.
    ///   - deviceTokens: The devices to send it to.
    ///   - options: The rate, the longest outage, and the options of each push.
    /// - Returns: The outcomes, in the order they arrive. Reading begins when you ask for the first one.
    public func push<Tokens: Sequence>(
        _ notification: PushNotification, to deviceTokens: sending Tokens, options: BulkOptions = BulkOptions()
    ) -> BulkPush where Tokens.Element == DeviceToken {
        bulk(SequenceSource(deviceTokens) { .push(Push(notification, to: $0)) }, options)
    }

    /// Pushes one notification to the devices from an asynchronous sequence; see ``push(_:to:options:)``.
    public func push<Tokens: AsyncSequence>(
        _ notification: PushNotification, to deviceTokens: sending Tokens, options: BulkOptions = BulkOptions()
    ) -> BulkPush where Tokens.Element == DeviceToken {
        bulk(AsyncSequenceSource(deviceTokens) { .push(Push(notification, to: $0)) }, options)
    }

    /// Broadcasts all elements of a sequence.
    ///
    /// - Parameters:
    ///   - broadcasts: What to send, each with its channel and an optional context.
    ///   - options: The rate, the longest outage, and the options of each broadcast.
    /// - Returns: The outcomes, in the order they arrive. Reading begins when you ask for the first one.
    public func broadcast<Broadcasts: Sequence>(
        contentsOf broadcasts: sending Broadcasts, options: BulkOptions = BulkOptions()
    ) -> BulkBroadcast where Broadcasts.Element == Broadcast {
        bulk(SequenceSource(broadcasts) { .broadcast($0) }, options)
    }

    /// Broadcasts all elements of an asynchronous sequence; see ``broadcast(contentsOf:options:)``.
    public func broadcast<Broadcasts: AsyncSequence>(
        contentsOf broadcasts: sending Broadcasts, options: BulkOptions = BulkOptions()
    ) -> BulkBroadcast where Broadcasts.Element == Broadcast {
        bulk(AsyncSequenceSource(broadcasts) { .broadcast($0) }, options)
    }

    private func bulk(_ source: any BulkSource, _ options: BulkOptions) -> BulkPush {
        BulkPush(BulkLaunch(self, source, options), BulkOutcome.init)
    }

    private func bulk(_ source: any BulkSource, _ options: BulkOptions) -> BulkBroadcast {
        BulkBroadcast(BulkLaunch(self, source, options), BulkBroadcastOutcome.init)
    }
}
