/// The forms of push. Each push ends exactly once.
extension PushConnection: PushSending {
    /// Pushes and waits for APNs' answer, without blocking a thread.
    ///
    /// Where the connection's queue is full it waits for room, first come, first served, within its time. If the task is cancelled, so is
    /// the push; the error's `certainty` then says what is known of it.
    ///
    /// - Parameters:
    ///   - push: What to send and where to; what the notification leaves open comes from the connection's defaults.
    ///   - options: Timeout, deadline and what else a push may ask for.
    /// - Returns: The answer. A rejection is an answer, too: see `PushResponse`.
    /// - Throws: ``PushError``, with what is known of the push.
    @discardableResult
    public func push(_ push: Push, options: PushOptions) async throws(PushError) -> PushResponse {
        try await runtime.answer(push.context, options) { () throws(PushError) in try issue(push, options) }
    }

    /// Pushes and calls back: the fast path.
    ///
    /// Completions run in batches, in the order the answers came, on a queue of the connection that is not its process's own. Every end
    /// comes to `completion`, once, also that of a closed connection or a full queue; nothing is thrown.
    ///
    /// A push that is refused at the call is no exception, until 10,000 such refusals wait behind a completion that blocks: then the
    /// refusal comes on the caller's thread, before this returns. After `overloaded` use ``whenRoom(completion:)``: to push again at once
    /// from within the completion keeps that thread busy until there is room.
    ///
    /// - Parameters:
    ///   - notification: What to send; what it leaves open comes from the connection's defaults.
    ///   - deviceToken: Where to send it.
    ///   - context: Yours; never sent, given back with the answer or the error, with a late response, in feedback and in a hand-back.
    ///   - options: Timeout, deadline and what else a push may ask for.
    ///   - completion: Called once with the answer, or with why there is none.
    /// - Returns: A handle to ask for the stream or to cancel.
    @discardableResult
    public func push(
        _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions(),
        completion: @escaping @Sendable (Result<PushResponse, PushError>) -> Void
    ) -> PushHandle {
        let push = Push(notification, to: deviceToken, context: context)
        return runtime.offer(context, options, completion) { () throws(PushError) in try issue(push, options) }
    }

    /// Fire and forget. What ends without an answer is handed back to the connection's owner, see `LifecycleMessage.handedBack`. Answers
    /// show in feedback and, as numbers, in ``status``, the metrics and the flight record.
    ///
    /// - Returns: A handle to ask for the stream or to cancel.
    /// - Throws: ``PushError`` if the push was refused at the call; then nothing is kept of it.
    @discardableResult
    public func send(
        _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushHandle {
        let push = Push(notification, to: deviceToken, context: context)
        return try runtime.send(context, options) { () throws(PushError) in try issue(push, options) }
    }

    /// Fire and forget, for ``PushSending``; see ``send(_:to:context:options:)``.
    public func send(_ push: Push, options: PushOptions) throws(PushError) {
        _ = try runtime.send(push.context, options) { () throws(PushError) in try issue(push, options) }
    }

    /// Pushes and blocks the thread until the answer is there or the push's time is over: for synchronous code.
    ///
    /// - Throws: ``PushError``; `wouldDeadlock` on a queue of the runtime, for example in a completion.
    @available(*, noasync, message: "use the async form of push")
    public func pushBlocking(
        _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushResponse {
        let push = Push(notification, to: deviceToken, context: context)
        return try runtime.block(context, options) { () throws(PushError) in try issue(push, options) }
    }

    /// The request that a push over this connection would send, checked as the push would be. Nothing is sent, and no provider token is
    /// made or shown. The connection need not be up.
    ///
    /// - Throws: ``PushError``, as the push would throw it at the call: what APNs would refuse.
    public func request(
        _ notification: PushNotification, to deviceToken: DeviceToken
    ) throws(PushError) -> PreparedRequest {
        try destination.config.request(notification, .device(deviceToken), with: destination.credentials.current)
    }

    func issue(_ push: Push, _ options: PushOptions) throws(PushError) -> (PushEntrance, PushRecord) {
        let entrance = try entrance
        return (entrance, entrance.outbox.issue(push, options))
    }

    /// Where pushes go; an error if they go nowhere any more.
    var entrance: PushEntrance {
        get throws(PushError) {
            do { return try served().entrance } catch { throw PushError(error) }
        }
    }
}
