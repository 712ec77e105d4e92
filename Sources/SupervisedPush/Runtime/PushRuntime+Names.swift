import ProcessRuntime

/// Finding connections.
extension PushRuntime {
    /// The connection or pool of this name.
    ///
    /// - Throws: ``LookupError``, which says whether there never was one, or how it ended.
    public func connection(named name: String) throws(LookupError) -> PushConnection {
        PushConnection(self, try directory.destination(named: name))
    }

    /// The connection or pool that this process serves. The handle means this one process, see ``PushConnection``.
    ///
    /// - Throws: ``LookupError``: `noProcess` if the process has ended.
    public func connection(_ pid: ProcessID) throws(LookupError) -> PushConnection {
        PushConnection(self, try directory.destination(of: pid), process: pid)
    }

    /// The process that serves this name now; nil if there is no connection or pool of this name. A restart changes it.
    public func pid(of name: String) -> ProcessID? { directory.pid(of: name) }

    /// The names of all connections and pools, sorted.
    public var names: [String] { directory.names }

    /// The supervisor with all its connections, and how each stands.
    public var supervisionTree: SupervisionTree {
        SupervisionTree(
            children: supervisor.children().compactMap { child in
                // Of pools, the connections are shown.
                (directory.destination(ofChild: child.id) as? ConnectionEntry)
                    .map { SupervisionTree.Child(child, $0.status(now)) }
            })
    }
}

/// Calls by name, and pushes by pid. All other calls are on the handle, see ``PushConnection``.
extension PushRuntime {
    /// Pushes a notification over the connection or pool of this name and waits for APNs' answer; see
    /// ``PushConnection/push(_:options:)``.
    ///
    /// - Parameters:
    ///   - name: The connection or pool.
    ///   - notification: What to send; what it leaves open comes from the connection's defaults.
    ///   - deviceToken: Where to send it.
    ///   - context: Yours; never sent, given back with the answer or the error, with a late response, in feedback and in a hand-back.
    ///   - options: Timeout, deadline and what else a push may ask for.
    /// - Returns: The answer. A rejection is an answer, too: see `PushResponse`.
    /// - Throws: ``PushError``, with what is known of the push; `unknownName` if there is no such connection.
    @discardableResult
    public func push(
        name: String, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) async throws(PushError) -> PushResponse {
        try await push(.name(name), Push(notification, to: deviceToken, context: context), options)
    }

    /// Pushes over the connection or pool of this pid and waits for the answer; see `push(name:_:to:context:options:)`.
    @discardableResult
    public func push(
        _ pid: ProcessID, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) async throws(PushError) -> PushResponse {
        try await push(.pid(pid), Push(notification, to: deviceToken, context: context), options)
    }

    /// Pushes over the connection or pool of this name and calls back; see ``PushConnection/push(_:to:context:options:completion:)``.
    /// An unknown name comes to `completion`, too.
    @discardableResult
    public func push(
        name: String, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions(),
        completion: @escaping @Sendable (Result<PushResponse, PushError>) -> Void
    ) -> PushHandle {
        push(.name(name), Push(notification, to: deviceToken, context: context), options, completion)
    }

    /// Pushes over the connection or pool of this pid and calls back; see `push(name:_:to:context:options:completion:)`.
    @discardableResult
    public func push(
        _ pid: ProcessID, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions(),
        completion: @escaping @Sendable (Result<PushResponse, PushError>) -> Void
    ) -> PushHandle {
        push(.pid(pid), Push(notification, to: deviceToken, context: context), options, completion)
    }

    /// Fire and forget over the connection or pool of this name; see ``PushConnection/send(_:to:context:options:)``.
    ///
    /// - Throws: ``PushError`` if the push was refused at the call; then nothing is kept of it.
    @discardableResult
    public func send(
        name: String, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushHandle {
        try send(.name(name), Push(notification, to: deviceToken, context: context), options)
    }

    /// Fire and forget over the connection or pool of this pid; see `send(name:_:to:context:options:)`.
    @discardableResult
    public func send(
        _ pid: ProcessID, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushHandle {
        try send(.pid(pid), Push(notification, to: deviceToken, context: context), options)
    }

    /// Sends the lifecycle messages of the connection or pool of this name to a mailbox, from now on; see
    /// ``PushConnection/subscribe(_:)``.
    ///
    /// - Throws: ``LookupError`` if there is no such connection.
    public func subscribe(name: String, _ mailbox: Mailbox<LifecycleMessage>) throws(LookupError) {
        try connection(named: name).subscribe(mailbox)
    }

    /// Closes the connection or pool of this name; see ``PushConnection/close(within:)``.
    ///
    /// - Parameters:
    ///   - name: The connection or pool.
    ///   - time: How long it may take. Default 10 s.
    /// - Returns: The fire-and-forget pushes that ended without an answer.
    /// - Throws: ``LookupError`` if there is no such connection.
    @discardableResult
    public func close(name: String, within time: Duration = .seconds(10)) async throws(LookupError) -> HandBack {
        await close(try directory.destination(named: name), within: time)
    }
}

/// How a caller of a push says which connection is meant.
private enum PushTarget {
    case name(String)
    case pid(ProcessID)
}

extension PushRuntime {
    private func push(
        _ target: PushTarget, _ push: Push, _ options: PushOptions
    ) async throws(PushError) -> PushResponse {
        try await answer(push.context, options) { () throws(PushError) in try issue(target, push, options) }
    }

    private func push(
        _ target: PushTarget, _ push: Push, _ options: PushOptions,
        _ completion: @escaping @Sendable (OutcomeSink.Outcome) -> Void
    ) -> PushHandle {
        offer(push.context, options, completion) { () throws(PushError) in try issue(target, push, options) }
    }

    private func send(_ target: PushTarget, _ push: Push, _ options: PushOptions) throws(PushError) -> PushHandle {
        try send(push.context, options) { () throws(PushError) in try issue(target, push, options) }
    }

    private func issue(
        _ target: PushTarget, _ push: Push, _ options: PushOptions
    ) throws(PushError) -> (PushEntrance, PushRecord) {
        let entrance: PushEntrance
        do {
            switch target {
            case .name(let name): entrance = try directory.destination(named: name).entrance
            case .pid(let pid): entrance = try directory.destination(of: pid).entrance
            }
        } catch { throw PushError(error) }
        return (entrance, entrance.outbox.issue(push, options))
    }
}
