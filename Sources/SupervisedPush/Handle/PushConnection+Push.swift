/// The forms of push. Each push ends exactly once.
extension PushConnection: PushSending {
    /// Pushes and waits for APNs' answer, without blocking a thread.
    ///
    /// If the connection's queue is full, the call waits for room until the push's time is over; callers are served in
    /// order. If the task is cancelled, so is the push; the error's `certainty` then says whether APNs may have
    /// processed it.
    ///
    /// Tasks whose pushes were answered together continue together, if there are 16 or more. Their next pushes leave
    /// together, after 5 ms at the latest. A program that blocks the threads of its tasks delays these answers, too.
    ///
    /// - Parameters:
    ///   - push: The notification and its device token. The connection's defaults supply what the notification does not
    ///     set.
    ///   - options: Timeout, deadline and other options of the push.
    /// - Returns: The answer. A rejection is also an answer: look at it, or call `accepted()` on it, which throws.
    /// - Throws: ``PushError``; its `certainty` says whether APNs may have processed the push.
    public func push(_ push: Push, options: PushOptions) async throws(PushError) -> PushResponse {
        try await runtime.answer(push.context, options: options, to: find) { $0.issue(push, options: options) }
    }

    /// Pushes and calls back. This is the fastest form.
    ///
    /// Completions run in batches, in the order the answers arrived, on a queue of the connection that is not its
    /// process's queue. `completion` is called once, whatever the outcome is, also if the connection is closed or its
    /// queue is full; nothing is thrown.
    ///
    /// Pushes made by the completions of one batch leave together: when the completions have returned, or after 5 ms.
    ///
    /// A push that the call refuses is completed in the same way, until 10,000 refusals wait behind a completion that
    /// blocks. Further refusals are then delivered on the caller's thread, before this call returns. After
    /// `overloaded`, use ``whenRoom(completion:)``: pushing again from within the completion keeps that thread busy
    /// until there is room.
    ///
    /// - Parameters:
    ///   - notification: What to send. The connection's defaults supply what it does not set.
    ///   - deviceToken: The device to send it to.
    ///   - context: A value of yours. It is never sent; you get it back with the answer or the error, with a late
    ///     response, in feedback and in a hand-back.
    ///   - options: Timeout, deadline and other options of the push.
    ///   - completion: Called once, with the answer or an error.
    /// - Returns: A handle with the stream, which can also cancel the push.
    @discardableResult
    public func push(
        _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions(),
        completion: @escaping @Sendable (Result<PushResponse, PushError>) -> Void
    ) -> PushHandle {
        let push = Push(notification, to: deviceToken, context: context)
        return runtime.offer(context, options: options, completion: completion, to: find) {
            $0.issue(push, options: options)
        }
    }

    /// Pushes without waiting for the answer (fire and forget). If the push ends without one, the connection's owner
    /// gets it back, see `LifecycleMessage.handedBack`. Answers appear in feedback and are counted in ``status``, in
    /// the metrics and in the flight record.
    ///
    /// - Returns: A handle with the stream, which can also cancel the push.
    /// - Throws: ``PushError`` if the call refuses the push. It is then not handed back.
    @discardableResult
    public func send(
        _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushHandle {
        let push = Push(notification, to: deviceToken, context: context)
        return try runtime.send(context, options: options, to: find) { $0.issue(push, options: options) }
    }

    /// Fire and forget, for ``PushSending``; see ``send(_:to:context:options:)``.
    public func send(_ push: Push, options: PushOptions) throws(PushError) {
        _ = try runtime.send(push.context, options: options, to: find) { $0.issue(push, options: options) }
    }

    /// Pushes and blocks the thread until the answer arrives or the push's time is over. For synchronous code.
    ///
    /// - Throws: ``PushError``; `wouldDeadlock` on a queue of the runtime, for example in a completion.
    @available(*, noasync, message: "use the async form of push")
    public func pushBlocking(
        _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushResponse {
        let push = Push(notification, to: deviceToken, context: context)
        return try runtime.block(context, options: options, to: find) { $0.issue(push, options: options) }
    }

    /// The request that a push over this connection would send, with the checks of a push. Nothing is sent, and no
    /// provider token is made or shown. The connection need not be up.
    ///
    /// - Throws: ``PushError``, as the push would throw it at the call.
    public func preview(
        _ notification: PushNotification, to deviceToken: DeviceToken
    ) throws(PushError) -> PreparedRequest {
        try destination.config.request(notification, to: .device(deviceToken), with: destination.credentials.current)
    }

    /// The headers of pushes that have none, with the topic of the certificate in use.
    package var defaults: RequestDefaults { destination.config.defaults(destination.credentials.topics) }

    /// Whether a push without a topic is refused.
    package var requiresTopic: Bool { destination.credentials.needsTopic }

    /// The entrance, as the forms of a call ask for it.
    func find() throws(PushError) -> PushEntrance { try entrance }

    /// Where pushes go; throws if they cannot go anywhere any more.
    var entrance: PushEntrance {
        get throws(PushError) {
            do { return try served().entrance } catch { throw PushError(error) }
        }
    }
}
