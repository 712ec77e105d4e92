import ProcessRuntime

/// Waiting for a connection: to be up, to have room, to be idle, to end.
extension PushConnection {
    /// Sends the connection's lifecycle messages to a mailbox, from now on: first `current`, then what happens. The subscription follows
    /// the connection through a restart; it ends when the mailbox is closed or released.
    ///
    /// - Throws: ``LookupError`` if the connection, or the process that is meant, has ended.
    public func subscribe(_ mailbox: Mailbox<LifecycleMessage>) throws(LookupError) {
        guard try served().hub.subscribe(mailbox) else { throw LookupError(ended: destination) }
    }

    /// Returns once the connection is up; at once, if it is.
    ///
    /// - Parameter timeout: How long to wait. Default 15 s.
    /// - Throws: ``NotUpError``: why it is not up, with the last failure where connecting failed.
    public func waitUntilUp(timeout: Duration = .seconds(15)) async throws(NotUpError) {
        let hub: LifecycleHub
        do { hub = try served().hub } catch { throw .ended(error) }
        if hub.phase == .up { return }
        let deadline = runtime.now.advanced(by: timeout)
        let mailbox = Mailbox<LifecycleMessage>(limit: 64, time: runtime.system.time)
        guard hub.subscribe(mailbox, isCaller: true) else { throw .ended(LookupError(ended: destination)) }
        defer { hub.unsubscribe(mailbox) }
        while let message = await mailbox.receive(timeout: runtime.now.duration(to: deadline)) {
            switch message {
            case .current(.up, _, _), .connectionUp: return
            case .current(.suspended, _, _): throw .refused(destination.refusal)
            case .suspended(_, _, let refusal, _): throw .refused(refusal)
            case .down(_, .failure(let refusal as CredentialRefusal)): throw .refused(refusal)
            case .givenUp: throw .ended(LookupError(ended: destination))
            default: continue
            }
        }
        if mailbox.isClosed { throw .ended(LookupError(ended: destination)) }
        throw Task.isCancelled ? .cancelled() : .timedOut(timeout, hub.standing.outage)
    }

    /// Returns once every push of the connection has its outcome and every completion has returned.
    ///
    /// - Returns: False if some were still on their way when the time was over. Nothing is closed either way.
    public func drain(within time: Duration) async -> Bool {
        let room = destination.room
        let mailbox = Mailbox<IdleMessage>(limit: 1, time: runtime.system.time)
        let watcher = room.newWatcher()
        room.whenIdle(watcher) { [weak mailbox] in _ = mailbox?.post(.idle) }
        defer { room.stopWatching(watcher) }
        return await mailbox.receive(timeout: time) != nil
    }

    private enum IdleMessage: MailboxMessage {
        case idle
        case overflowed(_ count: Int)
    }

    /// Returns once the connection has room for a push of any size: at once, if it has.
    ///
    /// Nothing is reserved: others may be quicker, so a push called after it may still be refused. Callers of the async form need none of
    /// this, they wait for room by themselves.
    ///
    /// - Throws: ``PushError``: `closed` if the connection ends before; `cancelled` if the task is cancelled; `overloaded` if 10,000 wait
    ///   like this already; `noProcess` if the process that is meant has ended.
    public func whenRoom() async throws(PushError) {
        let room = try entrance.outbox.room
        let watcher = room.newWatcher()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                room.whenRoom(watcher) { continuation.resume(returning: $0) }
                // The handler below may have run before there was anything to take back.
                if Task.isCancelled { room.stopWatching(watcher) }
            }
        } onCancel: {
            room.stopWatching(watcher)
        }
        try result.get()
    }

    /// Calls back once the connection has room, with the errors of the async form; nothing is thrown.
    ///
    /// - Parameter completion: Called once, on a queue of the runtime, perhaps before this returns. It must not block.
    public func whenRoom(completion: @escaping @Sendable (Result<Void, PushError>) -> Void) {
        do throws(PushError) {
            let outbox = try entrance.outbox
            // Never within a lock or a drain of the connection: what it does is foreign.
            outbox.room.whenRoom { result in outbox.delivery.afterwards { completion(result) } }
        } catch {
            completion(.failure(error))
        }
    }

    /// Closes the connection: later pushes are refused, what waits is still sent, what is in flight may finish, until everything has its
    /// outcome or the time is over. Then the name is free. May be called in any state, and again.
    ///
    /// A completion that blocks holds the caller up for a second beyond the time at most; the name becomes free when it returns.
    ///
    /// - Parameter time: How long it may take. Default 10 s.
    /// - Returns: The fire-and-forget pushes that ended without an answer. Their callers have had all other outcomes by then, but for
    ///   tasks that have not run yet. Of several callers the first gets them, the others an empty hand-back.
    @discardableResult
    public func close(within time: Duration = .seconds(10)) async -> HandBack {
        guard let destination = try? served() else { return HandBack() }
        return await runtime.close(destination, within: time)
    }
}
