import ProcessRuntime

/// Finding connections.
extension PushRuntime {
    /// The connection or pool with this name.
    ///
    /// - Throws: ``LookupError``, which says whether the name was never used, or how its connection ended.
    public func connection(named name: String) throws(LookupError) -> PushConnection {
        PushConnection(self, destination: try registry.destination(named: name))
    }

    /// The connection or pool with this name; if there is none, connects with this configuration, as
    /// ``connect(name:config:owner:)`` does.
    ///
    /// Any number of tasks may call it at the same time: one of them connects, and all get that connection.
    ///
    /// ```swift
    /// let connection = try runtime.connection(named: tenant.id, orConnect: template.config(credential: tenant.credential))
    /// ```
    /// A connection that closes holds its name until its last push has its outcome, and takes no further push. It is
    /// not returned, no second one gets its name, and the call does not wait for its end, which may take as long as its
    /// `close(within:)` allows. So the call throws `nameTaken` in that time: call again when `close` has returned.
    ///
    /// - Parameters:
    ///   - name: The name of the connection.
    ///   - config: Made and used only if there is no connection. The configuration of one that exists stays as it is.
    /// - Throws: ``ConnectError``, as ``connect(name:config:owner:)``, and what `config` throws.
    public func connection(
        named name: String, orConnect config: @autoclosure () throws(ConnectError) -> PushConnection.Configuration
    ) throws(ConnectError) -> PushConnection {
        var made: PushConnection.Configuration?
        while true {
            if let found = try? registry.destination(named: name) {
                guard found.isOpen else {
                    // It may have ended since.
                    guard let holder = registry.pid(of: name) else { continue }
                    throw isShutDown ? .shutDown() : .nameCloses(name, held: holder)
                }
                return PushConnection(self, destination: found)
            }
            let config = if let made { made } else { try config() }
            made = config
            do { return try connect(name: name, config: config) } catch {
                // Another task was quicker. Its connection is found, or has already ended.
                guard error.code == .nameTaken else { throw error }
            }
        }
    }

    /// The connection or pool that this process serves. The handle means this one process, see ``PushConnection``.
    ///
    /// - Throws: ``LookupError``: `noProcess` if the process has ended.
    public func connection(_ pid: ProcessID) throws(LookupError) -> PushConnection {
        PushConnection(self, destination: try registry.destination(of: pid), process: pid)
    }

    /// The process that serves this name now; nil if no connection or pool has this name. A restart changes it.
    public func pid(of name: String) -> ProcessID? { registry.pid(of: name) }

    /// The names of all connections and pools, sorted.
    public var names: [String] { registry.names }
}

/// Calls by name, and pushes by pid. All other calls are on the handle, see ``PushConnection``.
extension PushRuntime {
    /// Pushes a notification over the connection or pool with this name and waits for APNs' answer; see
    /// ``PushConnection/push(_:options:)``.
    ///
    /// - Parameters:
    ///   - name: The connection or pool.
    ///   - notification: What to send. The connection's defaults supply what it does not set.
    ///   - deviceToken: The device to send it to.
    ///   - context: A value of yours. It is never sent; you get it back with the answer or the error, with a late
    ///     response, in feedback and in a hand-back.
    ///   - options: Timeout, deadline and other options of the push.
    /// - Returns: The answer. A rejection is also an answer: see `PushResponse`.
    /// - Throws: ``PushError``; its `certainty` says whether APNs may have processed the push. `unknownName` if no
    ///   connection has this name.
    @discardableResult
    public func push(
        name: String, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) async throws(PushError) -> PushResponse {
        try await push(.name(name), Push(notification, to: deviceToken, context: context), options: options)
    }

    /// Pushes over the connection or pool with this pid and waits for the answer; see
    /// `push(name:_:to:context:options:)`.
    @discardableResult
    public func push(
        _ pid: ProcessID, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) async throws(PushError) -> PushResponse {
        try await push(.pid(pid), Push(notification, to: deviceToken, context: context), options: options)
    }

    /// Pushes over the connection or pool with this name and calls back; see
    /// ``PushConnection/push(_:to:context:options:completion:)``. An unknown name is also reported to `completion`.
    @discardableResult
    public func push(
        name: String, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions(),
        completion: @escaping @Sendable (Result<PushResponse, PushError>) -> Void
    ) -> PushHandle {
        push(
            .name(name), Push(notification, to: deviceToken, context: context), options: options, completion: completion
        )
    }

    /// Pushes over the connection or pool with this pid and calls back; see
    /// `push(name:_:to:context:options:completion:)`.
    @discardableResult
    public func push(
        _ pid: ProcessID, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions(),
        completion: @escaping @Sendable (Result<PushResponse, PushError>) -> Void
    ) -> PushHandle {
        push(.pid(pid), Push(notification, to: deviceToken, context: context), options: options, completion: completion)
    }

    /// Pushes over the connection or pool with this name without waiting for the answer; see
    /// ``PushConnection/send(_:to:context:options:)``.
    ///
    /// - Throws: ``PushError`` if the call refuses the push. It is then not handed back.
    @discardableResult
    public func send(
        name: String, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushHandle {
        try send(.name(name), Push(notification, to: deviceToken, context: context), options: options)
    }

    /// Pushes over the connection or pool with this pid without waiting for the answer; see
    /// `send(name:_:to:context:options:)`.
    @discardableResult
    public func send(
        _ pid: ProcessID, _ notification: PushNotification, to deviceToken: DeviceToken,
        context: (any Sendable)? = nil, options: PushOptions = PushOptions()
    ) throws(PushError) -> PushHandle {
        try send(.pid(pid), Push(notification, to: deviceToken, context: context), options: options)
    }

    /// Sends the lifecycle messages of the connection or pool with this name to a mailbox from now on; see
    /// ``PushConnection/subscribe(_:)``.
    ///
    /// - Throws: ``LookupError`` if no connection has this name.
    public func subscribe(name: String, _ mailbox: Mailbox<LifecycleMessage>) throws(LookupError) {
        try connection(named: name).subscribe(mailbox)
    }

    /// Closes the connection or pool with this name; see ``PushConnection/close(within:)``.
    ///
    /// - Parameters:
    ///   - name: The connection or pool.
    ///   - time: How long closing may take. Default 10 s.
    /// - Returns: The fire-and-forget pushes that ended without an answer.
    /// - Throws: ``LookupError`` if no connection has this name.
    @discardableResult
    public func close(name: String, within time: Duration = .seconds(10)) async throws(LookupError) -> HandBack {
        await close(try registry.destination(named: name), within: time)
    }
}

/// How the caller of a push names the connection.
private enum PushTarget {
    case name(String)
    case pid(ProcessID)
}

extension PushRuntime {
    private func push(
        _ target: PushTarget, _ push: Push, options: PushOptions
    ) async throws(PushError) -> PushResponse {
        try await answer(push.context, options: options, to: { () throws(PushError) in try entrance(target) }) {
            $0.issue(push, options: options)
        }
    }

    private func push(
        _ target: PushTarget, _ push: Push, options: PushOptions,
        completion: @escaping @Sendable (OutcomeReceiver.Outcome) -> Void
    ) -> PushHandle {
        offer(
            push.context, options: options, completion: completion, to: { () throws(PushError) in try entrance(target) }
        ) {
            $0.issue(push, options: options)
        }
    }

    private func send(_ target: PushTarget, _ push: Push, options: PushOptions) throws(PushError) -> PushHandle {
        try send(push.context, options: options, to: { () throws(PushError) in try entrance(target) }) {
            $0.issue(push, options: options)
        }
    }

    private func entrance(_ target: PushTarget) throws(PushError) -> PushEntrance {
        do {
            switch target {
            case .name(let name): return try registry.entrance(named: name)
            case .pid(let pid): return try registry.destination(of: pid).entrance
            }
        } catch { throw PushError(error) }
    }
}
