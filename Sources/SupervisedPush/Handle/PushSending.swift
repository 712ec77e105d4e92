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
