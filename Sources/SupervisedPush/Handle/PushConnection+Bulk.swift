/// Pushes in bulk: any number of pushes in constant memory, read from the source as they can go out. See ``Bulk`` for
/// the rules of all these calls.
///
/// The source is read on a queue of its own, so the call takes ownership of it. You may pass a value of any type if
/// nothing else uses it any more, for example a lazy sequence or a database cursor. Elements may be created as they are
/// read.
///
/// A bulk sends nothing before it is iterated: `for try await outcome in orders.bulk(alert, to: devices) { … }`.
extension PushConnection {
    /// Pushes all elements of a sequence.
    ///
    /// - Parameters:
    ///   - pushes: What to send, each with its device token and an optional context.
    ///   - options: The rate, the longest outage, and the options of each push.
    /// - Returns: The outcomes, in the order they arrive. Reading begins when you ask for the first one.
    public func bulk<Pushes: Sequence>(
        _ pushes: sending Pushes, options: BulkOptions = BulkOptions()
    ) -> BulkPush where Pushes.Element == Push {
        launch(SequenceSource(pushes) { .push($0) }, options: options)
    }

    /// Pushes all elements of an asynchronous sequence; see ``bulk(_:options:)``.
    public func bulk<Pushes: AsyncSequence>(
        _ pushes: sending Pushes, options: BulkOptions = BulkOptions()
    ) -> BulkPush where Pushes.Element == Push {
        launch(AsyncSequenceSource(pushes) { .push($0) }, options: options)
    }

    /// Pushes one notification to many devices. Its payload is stored once.
    ///
    /// - Parameters:
    ///   - notification: What to send. Do not set its apns-id: all pushes would have the same one.
    ///   - deviceTokens: The devices to send it to.
    ///   - options: The rate, the longest outage, and the options of each push.
    /// - Returns: The outcomes, in the order they arrive. Reading begins when you ask for the first one.
    public func bulk<Tokens: Sequence>(
        _ notification: PushNotification, to deviceTokens: sending Tokens, options: BulkOptions = BulkOptions()
    ) -> BulkPush where Tokens.Element == DeviceToken {
        launch(SequenceSource(deviceTokens) { .push(Push(notification, to: $0)) }, options: options)
    }

    /// Pushes one notification to the devices from an asynchronous sequence; see ``bulk(_:to:options:)``.
    public func bulk<Tokens: AsyncSequence>(
        _ notification: PushNotification, to deviceTokens: sending Tokens, options: BulkOptions = BulkOptions()
    ) -> BulkPush where Tokens.Element == DeviceToken {
        launch(AsyncSequenceSource(deviceTokens) { .push(Push(notification, to: $0)) }, options: options)
    }

    private func launch(_ source: any BulkSource, options: BulkOptions) -> BulkPush {
        BulkPush(BulkLaunch(self, source, options), BulkOutcome.init)
    }
}
