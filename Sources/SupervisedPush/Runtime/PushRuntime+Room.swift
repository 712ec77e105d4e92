/// Back-pressure for callers whose form of push cannot wait.
extension PushRuntime {
    /// Returns once the connection has room for a push of any size: at once, if it has.
    ///
    /// Nothing is reserved: others may be quicker, so a push called after it may still be refused. Callers of the async
    /// form need none of this, they wait for room by themselves.
    ///
    /// - Throws: ``PushError``: `unknownName`; `closed` if the connection ends before; `cancelled` if the task is cancelled;
    ///   `overloaded` if 10,000 wait like this already.
    public func whenRoom(name: String) async throws(PushError) {
        try await whenRoom(.name(name))
    }

    /// As `whenRoom(name:)`, for the connection of this pid.
    public func whenRoom(_ pid: ProcessID) async throws(PushError) {
        try await whenRoom(.pid(pid))
    }

    /// Calls back once the connection has room, with the errors of the async form; nothing is thrown.
    ///
    /// - Parameters:
    ///   - name: the connection's or the pool's.
    ///   - completion: called once, on a queue of the runtime, perhaps before this returns. It must not block.
    public func whenRoom(name: String, completion: @escaping @Sendable (Result<Void, PushError>) -> Void) {
        whenRoom(.name(name), completion)
    }

    /// As `whenRoom(name:completion:)`, for the connection of this pid.
    public func whenRoom(_ pid: ProcessID, completion: @escaping @Sendable (Result<Void, PushError>) -> Void) {
        whenRoom(.pid(pid), completion)
    }

    private func whenRoom(_ target: PushTarget, _ completion: @escaping @Sendable (Result<Void, PushError>) -> Void) {
        do throws(PushError) {
            let outbox = try directory.destination(target).outbox
            // Never within a lock or a drain of the connection: what it does is foreign.
            outbox.room.whenRoom { result in outbox.delivery.afterwards { completion(result) } }
        } catch {
            completion(.failure(error))
        }
    }

    private func whenRoom(_ target: PushTarget) async throws(PushError) {
        let room = try directory.destination(target).outbox.room
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
}
