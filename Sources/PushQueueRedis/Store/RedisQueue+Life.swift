import PushLocking
import PushQueue

extension RedisQueue {
    /// The longest time of one XREAD BLOCK, in milliseconds.
    private static let longestBlock = 15_000.0

    /// Raises the worker's counter, and moves at most 1,000 delayed entries, or about 1 MiB of them, whose time has come by
    /// the server's clock.
    public func beat(as worker: WorkerID) async throws(QueueError) -> [WorkerID: UInt64] {
        try await catchUp()
        let words = try await run(.beat, texts: [worker.description, "1000", deadLimit]).elements.map { $0.text ?? "" }
        var counters: [WorkerID: UInt64] = [:]
        for index in stride(from: 0, to: words.count - 1, by: 2) {
            counters[WorkerID(words[index])] = UInt64(words[index + 1]) ?? 0
        }
        return counters
    }

    /// Takes over a page of what a dead worker has, in one script; pages without an entry that can be taken over are
    /// passed. The last page also forgets the dead worker.
    public func reclaim(
        from dead: WorkerID, at counter: UInt64, as worker: WorkerID, limit: Int
    ) async throws(QueueError) -> [TakenEntry] {
        let changes = changes
        try await catchUp()
        let page = "\(min(max(1, limit), 1_000))"
        let words = [dead.description, "\(counter)", worker.description, page, "\(TakenEntry.wholeOffer)", deadLimit]
        var (taken, hasMore): ([TakenEntry], Bool) = ([], true)
        // Each page takes something from the dead worker.
        while taken.isEmpty, hasMore {
            let reply = try await run(.reclaim, texts: words)
            (taken, hasMore) = (StoredEntry.all(reply[1]), reply[0].number == 1)
        }
        try checkServer(unchangedSince: changes)
        state.withLock {
            $0.memory.release(taken.map(\.key), as: dead)
            $0.memory.take(taken, as: worker)
        }
        return taken
    }

    /// Waits for a new entry with XREAD BLOCK on the second connection. A release and a delayed entry end it, too. It
    /// returns after 15 s at the latest, so that a server that vanished and closed no connection is noticed.
    public func wait(as worker: WorkerID, upTo time: Duration) async throws(QueueError) {
        guard time > .zero else { return }
        if let quiet {
            try? await Task.sleep(for: min(time, quiet))
            return
        }
        let tip = try await run(.tip, with: [])
        guard let last = tip[0].text, let woken = tip[1].text, let due = tip[2].number else { return }
        var limit = Int(max(1, min(time / .milliseconds(1), Self.longestBlock)))
        if due > 0 { limit = min(limit, due) }
        let read = RedisCommand(
            "XREAD", "COUNT", "1", "BLOCK", "\(limit)", "STREAMS", keys.stream, keys.wake, last, woken)
        // UNBLOCKED: an operator ended it, or the server became a replica. The next call will tell.
        let replies: [RedisReply]
        do throws(QueueError) { replies = try await waiting.execute([read]) } catch {
            // A new record that does not fit into a reply ended the connection. The next take buries it.
            if try await run(.tip, with: []).elements.isEmpty { return }
            throw error
        }
        guard case .error(let text)? = replies.first, RedisErrorCode(text).word != "UNBLOCKED" else { return }
        throw QueueError(redisError: text)
    }

    /// Stores why a worker takes nothing.
    public func note(as worker: WorkerID, _ note: String?) async throws(QueueError) {
        _ = try await run(.note, texts: [worker.description, note ?? ""])
    }

    /// Forgets the worker and its consumer, in a script that finds nothing pending.
    public func leave(as worker: WorkerID) async throws(QueueError) {
        try await catchUp()
        _ = try await run(.leave, texts: [worker.description])
        state.withLock { $0.memory.forget(worker) }
    }
}
