/// Watching connections, and ending them.
extension PushRuntime {
    /// The pid of the process that serves this name now; nil if no connection has it. It changes when the process is
    /// restarted.
    public func pid(of name: String) -> ProcessID? { directory.pid(of: name) }

    /// The names of all connections, sorted.
    public var names: [String] { directory.names }

    /// Sends the connection's lifecycle messages to a mailbox, from now on: first `current`, then what happens. The
    /// subscription follows the name through a restart; it ends when the mailbox is closed or released.
    ///
    /// - Throws: ``PushError`` if there is no such connection.
    public func subscribe(name: String, _ mailbox: Mailbox<LifecycleMessage>) throws(PushError) {
        guard try directory.destination(.name(name)).hub.subscribe(mailbox) else { throw .unknownName(name) }
    }

    /// Sends the lifecycle messages of the connection of this pid to a mailbox; see `subscribe(name:_:)`.
    public func subscribe(_ pid: ProcessID, _ mailbox: Mailbox<LifecycleMessage>) throws(PushError) {
        guard try directory.destination(.pid(pid)).hub.subscribe(mailbox) else { throw .noProcess(pid) }
    }

    /// Returns once the connection is up; at once, if it is.
    ///
    /// - Throws: ``PushError``: `timedOut` after `timeout` (15 s by default), `credentialRefused` if APNs refuses the
    ///   credential, `closed` if the connection ends before, `cancelled` if the task is cancelled.
    public func waitUntilUp(name: String, timeout: Duration = .seconds(15)) async throws(PushError) {
        try await waitUntilUp(.name(name), timeout)
    }

    /// Returns once the connection of this pid is up; see `waitUntilUp(name:timeout:)`.
    public func waitUntilUp(_ pid: ProcessID, timeout: Duration = .seconds(15)) async throws(PushError) {
        try await waitUntilUp(.pid(pid), timeout)
    }

    /// Returns once every push of the connection has its outcome and every completion has returned.
    ///
    /// - Returns: false if some were still on their way when the time was over. Nothing is closed either way.
    /// - Throws: ``PushError`` if there is no such connection.
    public func drain(name: String, within time: Duration) async throws(PushError) -> Bool {
        await drain(try directory.destination(.name(name)).outbox.room, time)
    }

    /// As `drain(name:within:)`, for the connection of this pid.
    public func drain(_ pid: ProcessID, within time: Duration) async throws(PushError) -> Bool {
        await drain(try directory.destination(.pid(pid)).outbox.room, time)
    }

    /// How full the connection is: in flight, waiting, and how many may wait.
    ///
    /// - Throws: ``PushError`` if there is no such connection.
    public func load(name: String) throws(PushError) -> PushError.Load {
        try directory.destination(.name(name)).load
    }

    /// As `load(name:)`, for the connection of this pid.
    public func load(_ pid: ProcessID) throws(PushError) -> PushError.Load {
        try directory.destination(.pid(pid)).load
    }

    /// The bytes that may wait in all connections together, and those of them that no connection has reserved: for tests.
    package var waitingBudget: (free: Int, limit: Int) { (budget.free, budget.limit) }

    /// Kills the process of this pid, as a fault would: for tests of what survives it.
    package func kill(_ pid: ProcessID) { system.exit(pid, .killed) }

    /// Asks the process of this pid to end: for tests of which ends another process follows.
    package func exit(_ pid: ProcessID, _ reason: ExitReason) { system.exit(pid, reason) }

    /// The provider token that the connection uses now, signed if there is none or it is due; nil with a certificate,
    /// with a token source of your own, and while a key has to be loaded.
    ///
    /// Handle it as a secret: whoever has it can push in your name for an hour.
    public func providerToken(name: String) throws(PushError) -> ProviderToken? {
        try providerToken(.name(name))
    }

    /// The provider token that the connection or pool of this pid uses now; see `providerToken(name:)`.
    public func providerToken(_ pid: ProcessID) throws(PushError) -> ProviderToken? { try providerToken(.pid(pid)) }

    private func providerToken(_ target: PushTarget) throws(PushError) -> ProviderToken? {
        guard let tokens = try directory.destination(target).credentials.current.authority else { return nil }
        do { return try tokens.providerToken(now) } catch {
            throw PushError(.credentialRefused, .apns, .notSent, "The provider token could not be signed: \(error)")
        }
    }

    private func drain(_ room: SharedWaitingRoom, _ time: Duration) async -> Bool {
        let mailbox = Mailbox<IdleMessage>(limit: 1, time: system.time)
        let watcher = room.newWatcher()
        room.whenIdle(watcher) { [weak mailbox] in _ = mailbox?.post(.idle) }
        defer { room.stopWatching(watcher) }
        return await mailbox.receive(timeout: time) != nil
    }

    private enum IdleMessage: MailboxMessage {
        case idle
        case overflowed(_ count: Int)
    }

    private func waitUntilUp(_ target: PushTarget, _ timeout: Duration) async throws(PushError) {
        let hub = try directory.destination(target).hub
        if hub.phase == .up { return }
        let deadline = now.advanced(by: timeout)
        let mailbox = Mailbox<LifecycleMessage>(limit: 64, time: system.time)
        guard hub.subscribe(mailbox, isCaller: true) else { throw .closed(nil) }
        defer { hub.unsubscribe(mailbox) }
        while let message = await mailbox.receive(timeout: now.duration(to: deadline)) {
            switch message {
            case .current(.up, _, _), .connectionUp: return
            case .current(.suspended, _, _): throw .suspended()
            case .suspended(_, _, let refusal, _): throw .notUp(refusal)
            case .down(_, .failure(let refusal as CredentialRefusal)): throw .notUp(refusal)
            case .givenUp: throw .closed(nil)
            default: continue
            }
        }
        if mailbox.isClosed { throw .closed(nil) }
        throw Task.isCancelled ? .stoppedWaiting() : .notUp(within: timeout)
    }
}
