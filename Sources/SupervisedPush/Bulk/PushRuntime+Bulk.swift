/// Pushes in bulk: any number of them in constant memory, read as they can go out. See ``Bulk`` for what holds for all of
/// these calls.
extension PushRuntime {
    /// Pushes everything a sequence has; its elements may be made as they are read.
    ///
    /// - Parameters:
    ///   - name: the connection; an unknown name is thrown by the iteration.
    ///   - pushes: what to send, each with its device token and, if you like, a context. It is read on a queue of its own,
    ///     so it must be Sendable: a lazy `map` is not, because its closure may belong to an actor. A small `Sequence` of your
    ///     own, or `AsyncStream(unfolding:)`, does the same.
    ///   - options: how fast, how long an outage may last, and the options of each push.
    /// - Returns: the outcomes, in the order they come; reading begins when the first is asked for.
    public func push<Pushes: Sequence & Sendable>(
        name: String, contentsOf pushes: Pushes, options: BulkOptions = BulkOptions()
    ) -> BulkPush where Pushes.Element == Push {
        bulk(.name(name), SequenceSource(pushes) { .push($0) }, options)
    }

    /// Pushes everything an asynchronous sequence gives; see `push(name:contentsOf:options:)`.
    public func push<Pushes: AsyncSequence & Sendable>(
        name: String, contentsOf pushes: Pushes, options: BulkOptions = BulkOptions()
    ) -> BulkPush where Pushes.Element == Push {
        bulk(.name(name), AsyncSequenceSource(pushes) { .push($0) }, options)
    }

    /// Pushes everything a sequence has through the connection of this pid; see `push(name:contentsOf:options:)`.
    public func push<Pushes: Sequence & Sendable>(
        _ pid: ProcessID, contentsOf pushes: Pushes, options: BulkOptions = BulkOptions()
    ) -> BulkPush where Pushes.Element == Push {
        bulk(.pid(pid), SequenceSource(pushes) { .push($0) }, options)
    }

    /// Pushes everything an asynchronous sequence gives through the connection of this pid;
    /// see `push(name:contentsOf:options:)`.
    public func push<Pushes: AsyncSequence & Sendable>(
        _ pid: ProcessID, contentsOf pushes: Pushes, options: BulkOptions = BulkOptions()
    ) -> BulkPush where Pushes.Element == Push {
        bulk(.pid(pid), AsyncSequenceSource(pushes) { .push($0) }, options)
    }

    /// Pushes one notification to many devices; see `push(name:contentsOf:options:)`. Its payload is kept once.
    ///
    /// - Parameters:
    ///   - name: the connection; an unknown name is thrown by the iteration.
    ///   - notification: what to send. A fixed apns-id would be the same for all of them: leave it to be made.
    ///   - deviceTokens: where to send it.
    ///   - options: how fast, how long an outage may last, and the options of each push.
    /// - Returns: the outcomes, in the order they come; reading begins when the first is asked for.
    public func push<Tokens: Sequence & Sendable>(
        name: String, _ notification: PushNotification, to deviceTokens: Tokens,
        options: BulkOptions = BulkOptions()
    ) -> BulkPush where Tokens.Element == DeviceToken {
        bulk(.name(name), SequenceSource(deviceTokens) { .push(Push(notification, to: $0)) }, options)
    }

    /// Pushes one notification to the devices an asynchronous sequence gives; see `push(name:_:to:options:)`.
    public func push<Tokens: AsyncSequence & Sendable>(
        name: String, _ notification: PushNotification, to deviceTokens: Tokens,
        options: BulkOptions = BulkOptions()
    ) -> BulkPush where Tokens.Element == DeviceToken {
        bulk(.name(name), AsyncSequenceSource(deviceTokens) { .push(Push(notification, to: $0)) }, options)
    }

    /// Pushes one notification to many devices through the connection of this pid; see `push(name:_:to:options:)`.
    public func push<Tokens: Sequence & Sendable>(
        _ pid: ProcessID, _ notification: PushNotification, to deviceTokens: Tokens,
        options: BulkOptions = BulkOptions()
    ) -> BulkPush where Tokens.Element == DeviceToken {
        bulk(.pid(pid), SequenceSource(deviceTokens) { .push(Push(notification, to: $0)) }, options)
    }

    /// Pushes one notification to the devices an asynchronous sequence gives, through the connection of this pid;
    /// see `push(name:_:to:options:)`.
    public func push<Tokens: AsyncSequence & Sendable>(
        _ pid: ProcessID, _ notification: PushNotification, to deviceTokens: Tokens,
        options: BulkOptions = BulkOptions()
    ) -> BulkPush where Tokens.Element == DeviceToken {
        bulk(.pid(pid), AsyncSequenceSource(deviceTokens) { .push(Push(notification, to: $0)) }, options)
    }

    private func bulk(_ target: PushTarget, _ source: any BulkSource, _ options: BulkOptions) -> BulkPush {
        BulkPush(BulkLaunch(self, target, source, options), BulkOutcome.init)
    }
}
