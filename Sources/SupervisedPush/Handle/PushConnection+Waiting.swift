import ProcessRuntime

/// Waiting until a connection is up, has room, is idle, or has ended.
extension PushConnection {
    /// Sends the connection's lifecycle messages to a mailbox from now on: first `current`, then each event. The
    /// subscription survives a restart of the connection's process. It ends when the mailbox is closed or released.
    ///
    /// - Throws: ``LookupError`` if the connection has ended, or the process that this handle means.
    public func subscribe(_ mailbox: Mailbox<LifecycleMessage>) throws(LookupError) {
        guard try served().hub.subscribe(mailbox) else { throw LookupError(ended: destination) }
    }

    /// Returns once the connection is up; at once, if it is up already.
    ///
    /// - Parameter timeout: How long to wait. Default 15 s.
    /// - Throws: ``NotUpError``, which says why the connection is not up, with the last failure to connect.
    public func waitUntilUp(timeout: Duration = .seconds(15)) async throws(NotUpError) {
        let hub: LifecycleHub
        do { hub = try served().hub } catch { throw .ended(error) }
        if hub.phase == .up { return }
        let deadline = runtime.now.advanced(by: timeout)
        let mailbox = Mailbox<LifecycleMessage>(limit: 64, time: runtime.system.time)
        guard hub.subscribe(mailbox, closesAtEnd: true) else { throw .ended(LookupError(ended: destination)) }
        defer { hub.unsubscribe(mailbox) }
        // Its process may have ended before the mailbox heard of it.
        try mustBeServed()
        try await waitUntilUp(by: deadline, hub: hub, reading: mailbox, timeout: timeout)
    }

    /// - Parameter mailbox: Receives the connection's messages. The ones that count may have been dropped.
    func waitUntilUp(
        by deadline: MonotonicInstant, hub: LifecycleHub, reading mailbox: Mailbox<LifecycleMessage>,
        timeout: Duration
    ) async throws(NotUpError) {
        while let message = await mailbox.receive(timeout: runtime.now.duration(to: deadline)) {
            switch message {
            case .current(.up, _, _), .connectionUp: return try mustBeServed()
            case .overflowed:
                try mustBeServed()
                if hub.phase == .up { return }
                if hub.phase == .suspended { throw .refused(destination.refusal) }
            case .current(.suspended, _, _): throw .refused(destination.refusal)
            case .suspended(_, _, let refusal, _): throw .refused(refusal)
            case .down(_, .failure(let refusal as CredentialRefusal)): throw .refused(refusal)
            case .down(let pid, _) where pid == process: throw .ended(.noProcess(pid))
            case .givenUp: throw .ended(LookupError(ended: destination))
            default: continue
            }
        }
        if mailbox.isClosed { throw .ended(LookupError(ended: destination)) }
        throw Task.isCancelled ? .cancelled() : .timedOut(after: timeout, outage: hub.standing.outage)
    }

    private func mustBeServed() throws(NotUpError) {
        do { _ = try served() } catch { throw .ended(error) }
    }

    /// Returns once every push of the connection has its outcome, every completion has returned, and ``status`` counts
    /// them. Closes nothing. Tasks that wait for an answer may continue a moment later.
    ///
    /// - Parameter time: How long to wait.
    /// - Returns: False if the time was over before that, or if the task was cancelled.
    public func drain(within time: Duration) async -> Bool {
        let room = destination.room
        let mailbox = Mailbox<IdleMessage>(limit: 1, time: runtime.system.time)
        let watcher = room.newWatcher()
        let processes = room.processes
        room.whenIdle(watcher) { [weak mailbox] in _ = mailbox?.post(.idle) }
        defer { room.stopWatching(watcher) }
        guard await mailbox.receive(timeout: time) != nil else { return false }
        // A process publishes what it counted after the room has heard of its last push.
        for process in processes + room.processes { await process.catchUp() }
        return true
    }

    private enum IdleMessage: MailboxMessage {
        case idle
        case overflowed(_ count: Int)
    }

    /// Returns once the connection has room for a push of any size; at once, if it has room already.
    ///
    /// Nothing is reserved. Another caller may be faster, so a push after this call may still be refused. Callers of
    /// the async forms need not call this: those forms wait for room themselves.
    ///
    /// - Throws: ``PushError``: `closed` if the connection ends first, `cancelled` if the task is cancelled,
    ///   `overloaded` if 10,000 callers are waiting already, `noProcess` if the process that this handle means has
    ///   ended.
    public func whenRoom() async throws(PushError) {
        let room = try entrance.outbox.room
        let watcher = room.newWatcher()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                room.whenRoom(watcher) { continuation.resume(returning: $0) }
                // The cancellation handler may have run before there was a watcher to remove.
                if Task.isCancelled { room.stopWatching(watcher) }
            }
        } onCancel: {
            room.stopWatching(watcher)
        }
        try result.get()
    }

    /// Calls back once the connection has room, or with one of the errors of the async form. Nothing is thrown.
    ///
    /// - Parameter completion: Called once, on a queue of the runtime, perhaps before this call returns. It must not
    ///   block.
    public func whenRoom(completion: @escaping @Sendable (Result<Void, PushError>) -> Void) {
        do throws(PushError) {
            let outbox = try entrance.outbox
            // Never under a lock or within a drain of the connection, because the completion is the caller's code.
            outbox.room.whenRoom { result in outbox.delivery.afterwards { completion(result) } }
        } catch {
            completion(.failure(error))
        }
    }

    /// Closes the connection and frees its name. Later pushes are refused. Waiting pushes are still sent and pushes in
    /// flight may finish, until all have their outcome or the time is over. May be called in any state, and again.
    ///
    /// A connection of a pool leaves the pool: it takes no more pushes, and the other connections take what waits. The
    /// pool makes another one if it has fewer than it should.
    ///
    /// If a completion blocks, the call returns at most a second after its time; the name is free once the completion
    /// returns.
    ///
    /// - Parameter time: How long closing may take. Default 10 s.
    /// - Returns: The fire-and-forget pushes that ended without an answer. All other outcomes have been delivered by
    ///   then, except to tasks that have not resumed yet. If there are several callers, the first gets the pushes, the
    ///   others an empty hand-back.
    @discardableResult
    public func close(within time: Duration = .seconds(10)) async -> HandBack {
        guard let destination = try? served() else { return HandBack() }
        return await runtime.close(destination, within: time)
    }
}
