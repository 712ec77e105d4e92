/// Pushes in bulk: any number of them in constant memory, read as they can go out. ``Bulk`` says what holds for all of these calls.
///
/// A source is read on a queue of its own, so the call takes it over: a value that nothing else uses any more may be passed whatever its
/// type is, a lazy sequence or a database cursor for example. Elements may be made as they are read.
extension PushConnection {
    /// Pushes everything a sequence has.
    ///
    /// - Parameters:
    ///   - pushes: What to send, each with its device token and, if you like, a context.
    ///   - options: How fast, how long an outage may last, and the options of each push.
    /// - Returns: The outcomes, in the order they come; reading begins when the first is asked for.
    public func push<Pushes: Sequence>(
        contentsOf pushes: sending Pushes, options: BulkOptions = BulkOptions()
    ) -> BulkPush where Pushes.Element == Push {
        bulk(SequenceSource(pushes) { .push($0) }, options)
    }

    /// Pushes everything an asynchronous sequence gives; see ``push(contentsOf:options:)``.
    public func push<Pushes: AsyncSequence>(
        contentsOf pushes: sending Pushes, options: BulkOptions = BulkOptions()
    ) -> BulkPush where Pushes.Element == Push {
        bulk(AsyncSequenceSource(pushes) { .push($0) }, options)
    }

    /// Pushes one notification to many devices. Its payload is kept once.
    ///
    /// - Parameters:
    ///   - notification: What to send. A fixed apns-id would be the same for all of them: leave it to be made.
    ///   - deviceTokens: Where to send it.
    ///   - options: How fast, how long an outage may last, and the options of each push.
    /// - Returns: The outcomes, in the order they come; reading begins when the first is asked for.
    public func push<Tokens: Sequence>(
        _ notification: PushNotification, to deviceTokens: sending Tokens, options: BulkOptions = BulkOptions()
    ) -> BulkPush where Tokens.Element == DeviceToken {
        bulk(SequenceSource(deviceTokens) { .push(Push(notification, to: $0)) }, options)
    }

    /// Pushes one notification to the devices an asynchronous sequence gives; see ``push(_:to:options:)``.
    public func push<Tokens: AsyncSequence>(
        _ notification: PushNotification, to deviceTokens: sending Tokens, options: BulkOptions = BulkOptions()
    ) -> BulkPush where Tokens.Element == DeviceToken {
        bulk(AsyncSequenceSource(deviceTokens) { .push(Push(notification, to: $0)) }, options)
    }

    /// Broadcasts everything a sequence has.
    ///
    /// - Parameters:
    ///   - broadcasts: What to send, each with its channel and, if you like, a context.
    ///   - options: How fast, how long an outage may last, and the options of each broadcast.
    /// - Returns: The outcomes, in the order they come; reading begins when the first is asked for.
    public func broadcast<Broadcasts: Sequence>(
        contentsOf broadcasts: sending Broadcasts, options: BulkOptions = BulkOptions()
    ) -> BulkBroadcast where Broadcasts.Element == Broadcast {
        bulk(SequenceSource(broadcasts) { .broadcast($0) }, options)
    }

    /// Broadcasts everything an asynchronous sequence gives; see ``broadcast(contentsOf:options:)``.
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
