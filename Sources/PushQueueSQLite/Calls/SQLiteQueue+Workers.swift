import PushQueue

extension SQLiteQueue {
    /// Opens the file, or makes it, and checks that it is a queue of a known version. Stores
    /// ``SQLiteQueue/Configuration/maxOutcomes`` if it is set.
    ///
    /// - Throws: `refused` for another program's file, a later version, or a missing right; `failed` for a damaged
    ///   file.
    public func open(as worker: WorkerID) async throws(QueueError) {
        try await run { file in
            try file.check()
            if let count = file.configuration.maxOutcomes { try file.limitOutcomes(to: max(0, count)) }
        }
    }

    /// Why nothing of these campaigns is taken.
    public func holds(
        of campaigns: Set<CampaignName>
    ) async throws(QueueError) -> [CampaignName: QueueCampaign.Hold] {
        try await run { file in try file.holds(of: campaigns) }
    }

    /// Takes entries: those released, those delayed whose time has come, then the others, each group oldest first.
    public func take(as worker: WorkerID, tokens: Int) async throws(QueueError) -> [TakenEntry] {
        try await run { file in try file.take(as: worker, tokens: max(1, tokens)) }.map(\.taken)
    }

    /// Asks for leave to push tokens. The workers of all processes keep one rate, by the clock of this machine.
    public func permit(as worker: WorkerID, tokens: Int, rate: QueueRate) async throws(QueueError) -> PushPermit {
        try await run { file in try file.permit(tokens, at: rate) }
    }

    /// Reads what the worker has taken, without `known`.
    public func recover(
        as worker: WorkerID, besides known: Set<TakenEntry.Key>
    ) async throws(QueueError) -> [TakenEntry] {
        try await run { file in try file.recover(as: worker, besides: known) }.map(\.taken)
    }

    /// Stores how many tokens of each entry may be sent from now on.
    ///
    /// - Throws: `fenced` if the worker does not have one of the entries any more; then nothing was stored.
    public func offer(as worker: WorkerID, _ ends: [TakenEntry.Key: Int]) async throws(QueueError) {
        guard !ends.isEmpty else { return }
        try await run { file in try file.offer(as: worker, ends) }
    }

    /// Stores outcomes, of tokens that have none, and what becomes of the entries, in one transaction.
    public func settle(as worker: WorkerID, _ settlements: [Settlement]) async throws(QueueError) {
        guard !settlements.isEmpty else { return }
        try await run { file in try file.settle(as: worker, settlements) }
    }

    /// Gives entries back of which nothing was sent.
    public func release(as worker: WorkerID, _ entries: [TakenEntry.Key]) async throws(QueueError) {
        guard !entries.isEmpty else { return }
        try await run { file in try file.release(as: worker, entries) }
    }

    /// Raises the worker's counter, and returns the counters of all workers.
    public func beat(as worker: WorkerID) async throws(QueueError) -> [WorkerID: UInt64] {
        try await run { file in try file.beat(as: worker) }
    }

    /// Takes over what a dead worker had taken, if its counter still has this value.
    public func reclaim(
        from dead: WorkerID, at counter: UInt64, as worker: WorkerID, limit: Int
    ) async throws(QueueError) -> [TakenEntry] {
        try await run { file in try file.reclaim(from: dead, at: counter, as: worker, limit: limit) }.map(\.taken)
    }

    /// Returns when there may be something to take, after `time` at the latest, and when the task is cancelled.
    ///
    /// What this object puts in ends the wait at once; what others put in, within 250 ms.
    public func wait(as worker: WorkerID, upTo time: Duration) async throws(QueueError) {
        try await watch(upTo: time)
    }

    /// Stores why a worker takes nothing.
    public func note(as worker: WorkerID, _ note: String?) async throws(QueueError) {
        try await run { file in try file.note(as: worker, note) }
    }

    /// Forgets the worker, if it has taken nothing any more.
    public func leave(as worker: WorkerID) async throws(QueueError) {
        try await run { file in try file.leave(as: worker) }
    }
}
