/// What an application needs of a connection to push: a seam to put a fake in a connection's place.
///
/// ``PushConnection`` conforms. A service that takes `some PushSending` or `any PushSending` runs in its own tests with a fake of two
/// methods, and neither network nor runtime. To test what reaches APNs, use the product `PushTesting` instead.
///
/// ```swift
/// struct Recorder: PushSending {
///     func push(_ push: Push, options: PushOptions) async throws(PushError) -> PushResponse { PushResponse(status: 200) }
///     func send(_ push: Push, options: PushOptions) throws(PushError) {}
/// }
/// ```
public protocol PushSending: Sendable {
    /// Pushes and waits for APNs' answer.
    ///
    /// - Returns: The answer. A rejection is an answer, too.
    /// - Throws: ``PushError``, with what is known of the push.
    @discardableResult
    func push(_ push: Push, options: PushOptions) async throws(PushError) -> PushResponse

    /// Pushes and does not wait for the answer.
    ///
    /// - Throws: ``PushError`` if the push is refused at the call.
    func send(_ push: Push, options: PushOptions) throws(PushError)
}

extension PushSending {
    /// Pushes with the default options and waits for APNs' answer.
    @discardableResult
    public func push(_ push: Push) async throws(PushError) -> PushResponse {
        try await self.push(push, options: PushOptions())
    }

    /// Pushes a notification to a device and waits for APNs' answer.
    ///
    /// - Parameters:
    ///   - notification: What to send.
    ///   - deviceToken: Where to send it.
    ///   - context: Yours; never sent, given back with the answer or the error.
    ///   - options: Timeout, deadline and what else a push may ask for.
    @discardableResult
    public func push(
        _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) async throws(PushError) -> PushResponse {
        try await push(Push(notification, to: deviceToken, context: context), options: options)
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
