/// The forms of push. Each takes a connection by name or by pid, and ends exactly once.
extension PushRuntime {
    /// Pushes a notification and waits for APNs' answer, without blocking a thread.
    ///
    /// Where the connection's queue is full it waits for room, first come, first served, within its time. If the task is
    /// cancelled, so is the push; what is known of it then stands in the error's `certainty`.
    ///
    /// - Parameters:
    ///   - name: the connection.
    ///   - notification: what to send; what it leaves open comes from the connection's defaults.
    ///   - deviceToken: where to send it.
    ///   - context: yours; never sent, given back with the answer or the error, with a late response, in feedback and in a hand-back.
    ///   - options: timeout and deadline.
    /// - Returns: the answer. A rejection is an answer, too: see `PushResponse`.
    /// - Throws: ``PushError``, with what is known of the push.
    public func push(
        name: String, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) async throws(PushError) -> PushResponse {
        try await push(.name(name), Push(notification, to: deviceToken, context: context), options)
    }

    /// Pushes through the connection of this pid and waits for the answer; see `push(name:_:to:context:options:)`.
    public func push(
        _ pid: ProcessID, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) async throws(PushError) -> PushResponse {
        try await push(.pid(pid), Push(notification, to: deviceToken, context: context), options)
    }

    /// Pushes and calls back: the fast path.
    ///
    /// Completions run in batches, in the order the answers came, on a queue of the connection that is not its process's
    /// own. Every end comes to `completion`, once, also an unknown name or a full queue; nothing is thrown.
    ///
    /// A push that is refused at the call is no exception, until 10,000 such refusals wait behind a completion that blocks:
    /// then the refusal comes on the caller's thread, before this returns. After `overloaded` use ``whenRoom(name:)``: to
    /// push again at once from within the completion keeps that thread busy until there is room.
    ///
    /// - Returns: a handle to ask for the stream or to cancel.
    @discardableResult
    public func push(
        name: String, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions(),
        completion: @escaping @Sendable (Result<PushResponse, PushError>) -> Void
    ) -> PushHandle {
        push(.name(name), Push(notification, to: deviceToken, context: context), options, completion)
    }

    /// Pushes through the connection of this pid and calls back;
    /// see `push(name:_:to:context:options:completion:)`.
    @discardableResult
    public func push(
        _ pid: ProcessID, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions(),
        completion: @escaping @Sendable (Result<PushResponse, PushError>) -> Void
    ) -> PushHandle {
        push(.pid(pid), Push(notification, to: deviceToken, context: context), options, completion)
    }

    /// Fire and forget. What ends without an answer is handed back to the connection's owner, see
    /// `LifecycleMessage.handedBack`; answers show in feedback, and as numbers in `status(name:)`, the metrics and the flight record.
    ///
    /// - Throws: ``PushError`` if the push was refused at the call; then nothing is kept of it.
    @discardableResult
    public func send(
        name: String, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushHandle {
        try send(.name(name), Push(notification, to: deviceToken, context: context), options)
    }

    /// Fire and forget through the connection of this pid; see `send(name:_:to:context:options:)`.
    @discardableResult
    public func send(
        _ pid: ProcessID, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushHandle {
        try send(.pid(pid), Push(notification, to: deviceToken, context: context), options)
    }

    /// Pushes and blocks the thread until the answer is there or the push's time is over: for synchronous code.
    ///
    /// - Throws: ``PushError``; `wouldDeadlock` on a queue of the runtime, for example in a completion.
    @available(*, noasync, message: "use the async form of push")
    public func pushBlocking(
        name: String, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushResponse {
        try pushBlocking(.name(name), Push(notification, to: deviceToken, context: context), options)
    }

    /// Pushes through the connection of this pid and blocks; see `pushBlocking(name:_:to:context:options:)`.
    @available(*, noasync, message: "use the async form of push")
    public func pushBlocking(
        _ pid: ProcessID, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushResponse {
        try pushBlocking(.pid(pid), Push(notification, to: deviceToken, context: context), options)
    }
}
