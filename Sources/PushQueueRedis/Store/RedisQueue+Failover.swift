import DequeModule
import PushLocking
import PushQueue

extension RedisQueue {
    /// Tells the queue that its server may have other data than before: it was restarted, or a failover took place. Call
    /// it from `RedisConnection`'s `onSession` when `isAnotherServer` is true. It returns at once.
    ///
    /// A replica that became the primary may lack the last calls. So before its next call the queue repeats the settles
    /// of the last five seconds, and claims what its workers have. Both change nothing where nothing is missing. Then
    /// it takes nothing for ``RedisQueue/Configuration/quietAfterFailover``, so that other workers can do the same.
    ///
    /// The new server is checked as ``open(as:)`` checks it: calls throw `refused` while it would remove pushes.
    ///
    /// Entries that were put in during the lag are lost; those settled during the lag by a process that ended, too, are
    /// pushed again. The same holds for entries that were delayed then. Of a lost entry that was taken, the outcomes are
    /// stored all the same.
    public func serverChanged() {
        state.withLock { state in
            state.isServerNew = true
            state.changes += 1
        }
    }

    /// Brings a new server what it may lack, before a call. Calls that come meanwhile wait for it, because what they
    /// find before would be wrong. A failure leaves it to the next call.
    ///
    /// - Throws: `lost`, once, if the queue was not on the new server. All that it lacks was brought then.
    func catchUp() async throws(QueueError) {
        while true {
            let task = state.withLock { state -> Task<QueueError?, Never>? in
                if state.isServerNew, state.catchingUp == nil {
                    state.isServerNew = false
                    state.quietUntil = .now + configuration.quietAfterFailover
                    state.catchingUp = Task { [memory = state.memory] in await bring(memory) }
                }
                return state.catchingUp
            }
            guard let task else { break }
            if let error = await task.value { throw error }
        }
        let isLost = state.withLock { state in
            defer { state.hasLostQueue = false }
            return state.hasLostQueue
        }
        if isLost { throw Self.lostQueue }
    }

    private func bring(_ memory: QueueMemory) async -> QueueError? {
        var failure: QueueError?
        do throws(QueueError) {
            try await inspectServer()
            try await makeGroup()
            for settle in memory.settles {
                let head = settleHead(
                    settle.worker, mark: settle.mark, earlier: settle.id.isEmpty ? Self.noRows : settle.id)
                _ = try await run(.settle, with: head + settle.words)
            }
            for (worker, held) in memory.held {
                let keys = held.sorted { $0.key.precedes($1.key) }
                let words = keys.flatMap { [$0.key.description, "\($0.value.end)\($0.value.isUrgent ? "u" : "")"] }
                var cursor = ""
                repeat {
                    let reply = try await run(.adopt, texts: [worker.description, cursor] + words)
                    cursor = reply[0].text ?? ""
                    let absent = reply[1].elements.compactMap { $0.text.map { TakenEntry.Key($0) } }
                    state.withLock { $0.memory.miss(absent, as: worker) }
                } while !cursor.isEmpty
            }
        } catch { failure = error }
        return state.withLock { [failure] state in
            state.catchingUp = nil
            if failure != nil { state.isServerNew = true }
            return failure
        }
    }

    /// How often the server became another one.
    var changes: Int { state.withLock { $0.changes } }

    /// - Throws: `unreachable` if the server became another one since. What it answered may rest on entries that this
    ///   worker has settled or not claimed there.
    func checkServer(unchangedSince changes: Int) throws(QueueError) {
        guard changes != self.changes else { return }
        throw QueueError(
            .unreachable, "The connection changed to another Redis server during the call. Repeat the call.")
    }

    /// How long nothing is taken yet; nil if something may be.
    var quiet: Duration? {
        guard let end = state.withLock({ $0.quietUntil }) else { return nil }
        let rest = ContinuousClock.now.duration(to: end)
        if rest > .zero { return rest }
        state.withLock { $0.quietUntil = nil }
        return nil
    }
}

extension TakenEntry.Key {
    /// Whether it is the lower id of a stream.
    fileprivate func precedes(_ other: Self) -> Bool {
        (pair ?? (0, 0)) < (other.pair ?? (0, 0))
    }
}
