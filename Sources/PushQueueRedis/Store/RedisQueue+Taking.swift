import PushLocking
import PushQueue

extension RedisQueue {
    /// Makes the queue if it does not exist, and checks the server's version, role and `maxmemory-policy`, and the
    /// rights of the connection's user. Stores ``RedisQueue/Configuration/maxOutcomes`` if it is set.
    ///
    /// - Throws: `unreachable` if it is a replica, `refused` if the queue would not be safe there, the user lacks a
    ///   right, or the worker is called `released`, `urgent` or `failover`, or its name begins with one of the first two and a
    ///   space: these are names of the queue.
    public func open(as worker: WorkerID) async throws(QueueError) {
        let name = worker.description
        guard Self.lane(of: name) == nil, name != "failover", !name.isEmpty else {
            throw QueueError(.refused, "A worker cannot be called '\(worker)'. Give it another name.")
        }
        try await checkServer()
        try await makeGroup()
        if let count = configuration.maxOutcomes { try await limitOutcomes(to: count) }
    }

    /// The lane of what waits with a consumer: its first word. What waits for the rate of a campaign has a consumer such as
    /// `urgent spring`. Nil for a worker.
    static func lane(of consumer: String) -> String? {
        let word = consumer.prefix { $0 != " " }
        return ["released", "urgent"].first { $0 == word }
    }

    /// Checks what ``open(as:)`` checks, and makes nothing.
    package func checkServer() async throws(QueueError) {
        try await inspectServer()
        if let problem = RedisQueueFacts.problem(ofRights: try await missingRights()) {
            throw QueueError(.refused, problem)
        }
    }

    /// The rights that a worker needs and the user of the connection does not have, as ACL SETUSER names them. Without one
    /// in the middle of a script, outcomes would be lost.
    func missingRights() async throws(QueueError) -> [String] {
        let commands = StoreScript.commandsOfWorkers.map { Array($0.utf8) }
        let reply = try await self.commands.run(StoreScript.rights.script, keys: keys.all, arguments: commands)
        if case .error(let text) = reply { throw QueueError(redisError: text) }
        return reply.elements.compactMap(\.text)
    }

    /// Checks the server's version, role and `maxmemory-policy`.
    func inspectServer() async throws(QueueError) {
        let info = try await commands.execute([RedisCommand("INFO")]).first ?? .null
        if case .error(let text) = info { throw QueueError(redisError: text) }
        let report = ServerReport(info.text ?? "")
        try report.check()
        state.withLock { $0.warnings = report.warnings }
    }

    /// Takes entries, at most 1,000 and about 1 MiB in a call. Delayed entries whose time has come are moved first.
    public func take(as worker: WorkerID, tokens: Int) async throws(QueueError) -> [TakenEntry] {
        let changes = changes
        try await catchUp()
        guard quiet == nil else { return [] }
        let room = max(1, tokens)
        let expected = state.withLock { $0.tokensPerEntry }
        let reply = try await run(
            .take,
            texts: [
                worker.description, "\(room)", "\(expected)", "1000", "100", deadLimit, "\(LaneDebt.urgentTokens)",
                "\(LaneDebt.limit)",
            ])
        let taken = StoredEntry.all(reply)
        if changes != self.changes {
            // The reply came from another server than those before. What it thinks is waiting may be in other hands.
            guard !taken.isEmpty else { return [] }
            try await catchUp()
            _ = try await run(.handBack, texts: [worker.description] + taken.map(\.key.description))
            return []
        }
        if !taken.isEmpty {
            let count = taken.reduce(0) { $0 + ((try? $1.entry.get().tokens.count) ?? 1) }
            state.withLock {
                $0.tokensPerEntry = max(1, (count + taken.count - 1) / taken.count)
                $0.memory.take(taken, as: worker)
            }
        }
        return taken
    }

    /// Asks for leave to push, in one script, by the server's clock. After a failover to a server whose clock is
    /// behind, at most one burst is waited for.
    public func permit(as worker: WorkerID, tokens: Int, rate: QueueRate) async throws(QueueError) -> PushPermit {
        try await catchUp()
        let reply = try await run(
            .permit, texts: ["\(max(0, tokens))", "\(rate.nanosecondsPerToken)", "\(rate.burst)"])
        return PushPermit(tokens: reply[0].number ?? 0, wait: .nanoseconds(Int64(reply[1].number ?? 0)))
    }

    /// How many dead letters are kept, as an argument of scripts.
    var deadLimit: String { "\(max(1, configuration.maxDeadLetters))" }

    /// Reads the worker's own pending list, in pages.
    public func recover(
        as worker: WorkerID, besides known: Set<TakenEntry.Key>
    ) async throws(QueueError) -> [TakenEntry] {
        let changes = changes
        try await catchUp()
        var unknown: [String] = []
        var start = "-"
        while true {
            let page = try await run(.heldKeys, texts: [worker.description, start, "1000"]).elements.compactMap(\.text)
            unknown += page.filter { !known.contains(TakenEntry.Key($0)) }
            guard page.count == 1_000, let last = page.last else { break }
            start = "(\(last)"
        }
        var found: [TakenEntry] = []
        var rest = unknown[...]
        while !rest.isEmpty {
            let page = try await run(.heldEntries, texts: [worker.description, deadLimit] + rest.prefix(100))
            found += StoredEntry.all(page[1])
            rest = rest.dropFirst(max(1, page[0].number ?? 1))
        }
        try checkServer(unchangedSince: changes)
        state.withLock { [found] in
            // Some of those found were asked for again: how far they are offered is still known.
            $0.memory.keepOnly(known.union(found.map(\.key)), as: worker)
            $0.memory.take(found, as: worker)
        }
        return found
    }

    /// Stores how far entries are offered, in one script.
    public func offer(as worker: WorkerID, _ ends: [TakenEntry.Key: Int]) async throws(QueueError) {
        guard !ends.isEmpty else { return }
        let changes = changes
        try await catchUp()
        let words = ends.flatMap { [$0.key.description, "\(max(0, $0.value))"] }
        guard try await run(.offer, texts: [worker.description] + words).number == 1 else {
            // The call may have reached another server before the entries were claimed there.
            try checkServer(unchangedSince: changes)
            state.withLock { $0.memory.release(ends.keys, as: worker) }
            throw QueueError(
                .fenced,
                "Another worker has taken over what worker '\(worker)' had: its heartbeats did not arrive in time.")
        }
        // What was brought to a new server meanwhile did not tell of this call.
        try checkServer(unchangedSince: changes)
        state.withLock { $0.memory.offer(ends, as: worker) }
    }

    /// Gives entries back, in one script. Those that the worker does not have any more stay where they are.
    public func release(as worker: WorkerID, _ entries: [TakenEntry.Key]) async throws(QueueError) {
        guard !entries.isEmpty else { return }
        try await catchUp()
        state.withLock { $0.memory.release(entries, as: worker) }
        _ = try await run(.release, texts: [worker.description] + entries.map(\.description))
    }
}
