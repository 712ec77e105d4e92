/// What an application needs to push. Depend on it to replace a connection by a fake in tests.
///
/// ``PushConnection`` conforms. A service that takes `some PushSending` or `any PushSending` can be tested with a fake
/// of two methods, without network and runtime. The product `PushTesting` has one, `RecordingPushes`, and a simulator to test
/// what reaches APNs. ``BroadcastSending`` is the same for broadcasts.
///
/// ```swift
/// struct Recorder: PushSending {
///     func push(_ push: Push, options: PushOptions) async throws(PushError) -> PushResponse {
///         PushResponse(status: 200)
///     }
///     func send(_ push: Push, options: PushOptions) throws(PushError) {}
/// }
/// ```
public protocol PushSending: Sendable {
    /// Pushes and waits for APNs' answer.
    ///
    /// - Returns: The answer. A rejection is also an answer.
    /// - Throws: ``PushError``; its `certainty` says whether APNs may have processed the push.
    func push(_ push: Push, options: PushOptions) async throws(PushError) -> PushResponse

    /// Pushes and does not wait for the answer.
    ///
    /// - Throws: ``PushError`` if the call refuses the push.
    func send(_ push: Push, options: PushOptions) throws(PushError)
}

extension PushSending {
    /// Pushes with the default options and waits for APNs' answer.
    public func push(_ push: Push) async throws(PushError) -> PushResponse {
        try await self.push(push, options: PushOptions())
    }

    /// Pushes a notification to a device and waits for APNs' answer.
    ///
    /// ```swift
    /// try await orders.push(.alert(title: "Flight A998", body: "Boarding"), to: device).accepted()
    /// ```
    /// - Parameters:
    ///   - notification: What to send. It may be made in the call: if a rule is broken, the call throws `invalidRequest`.
    ///   - deviceToken: The device to send it to.
    ///   - context: A value of yours. It is never sent; you get it back with the answer or the error.
    ///   - options: Timeout, deadline and other options of the push.
    /// - Returns: The answer. A rejection is also an answer: look at it, or call `accepted()` on it, which throws.
    /// - Throws: ``PushError``; its `certainty` says whether APNs may have processed the push.
    public nonisolated(nonsending) func push(
        _ notification: @autoclosure () throws(InvalidPush) -> PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) async throws(PushError) -> PushResponse {
        let made: PushNotification
        do { made = try notification() } catch { throw PushError.invalid(error, pushID: nil).carrying(context) }
        return try await push(Push(made, to: deviceToken, context: context), options: options)
    }

    /// A text is no device token yet.
    @available(*, unavailable, message: "make a device token: try DeviceToken(text)")
    public nonisolated(nonsending) func push(
        _ notification: @autoclosure () throws(InvalidPush) -> PushNotification, to text: String,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) async throws(PushError) -> PushResponse {
        throw PushError(.invalidRequest, certainty: .notSent)
    }

    /// Pushes with the default options and does not wait for the answer.
    public func send(_ push: Push) throws(PushError) { try send(push, options: PushOptions()) }

    /// Pushes a notification to a device and does not wait for the answer.
    public func send(
        _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) {
        try send(Push(notification, to: deviceToken, context: context), options: options)
    }
}

/// What an application needs to push in bulk, as ``PushSending`` is what it needs for single pushes.
///
/// ``PushConnection`` conforms, and so does `RecordingPushes` of the product `PushTesting`, a fake. In both nothing is read or sent before
/// the first outcome is asked for.
public protocol BulkSending: Sendable {
    /// The outcomes of pushes, one for each, as they arrive: ``BulkPush`` of a connection.
    associatedtype Pushes: AsyncSequence & Sendable where Pushes.Element == BulkOutcome, Pushes.Failure == any Error

    /// Pushes all elements of a sequence.
    func bulk<Source: Sequence>(_ pushes: sending Source, options: BulkOptions) -> Pushes
    where Source.Element == Push

    /// Pushes all elements of an asynchronous sequence.
    func bulk<Source: AsyncSequence>(_ pushes: sending Source, options: BulkOptions) -> Pushes
    where Source.Element == Push
}

extension BulkSending {
    /// Pushes all elements of a sequence with the default options.
    public func bulk<Source: Sequence>(_ pushes: sending Source) -> Pushes where Source.Element == Push {
        bulk(pushes, options: BulkOptions())
    }

    /// Pushes one notification to many devices.
    public func bulk<Tokens: Sequence>(
        _ notification: PushNotification, to deviceTokens: sending Tokens, options: BulkOptions = BulkOptions()
    ) -> Pushes where Tokens.Element == DeviceToken {
        bulk(deviceTokens.lazy.map { Push(notification, to: $0) }, options: options)
    }
}

extension PushConnection: BulkSending {}

/// For a fake.
extension BulkOutcome {
    package init(index: Int, push: Push, result: Result<PushResponse, PushError>) {
        self.index = index
        self.push = push
        pushID = PushID(UInt64(index))
        apnsID = nil
        self.result = result
        attempts = 1
    }
}

/// For a fake.
extension BulkBroadcastOutcome {
    package init(index: Int, broadcast: Broadcast, result: Result<PushResponse, PushError>) {
        self.index = index
        self.broadcast = broadcast
        pushID = PushID(UInt64(index))
        self.result = result
        attempts = 1
    }
}

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
