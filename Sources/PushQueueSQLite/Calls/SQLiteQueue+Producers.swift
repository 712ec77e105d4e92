import PushQueue

extension SQLiteQueue {
    /// Adds entries in one transaction. Entries with a time are delayed. A call whose first id began one of the latest
    /// 10,000 calls, in the last minute, adds nothing; see `PushQueueProducer.enqueue(_:)`.
    ///
    /// - Throws: `full` if the queue or the disk has no room left, `invalidEntry` if one cannot be stored; nothing was
    ///   added.
    public func enqueue(_ entries: [QueueEntry]) async throws(QueueError) {
        guard let first = entries.first else { return }
        let stored = try Self.stored(entries)
        try await run { file in try file.add(stored, call: first.id) }
    }

    private static func stored(_ entries: [QueueEntry]) throws(QueueError) -> [StoredEntry] {
        var stored: [StoredEntry] = []
        stored.reserveCapacity(entries.count)
        for entry in entries {
            stored.append(
                StoredEntry(
                    fields: try EntryFields.encode(entry), count: entry.tokens.count,
                    due: entry.notBefore.map { max(1, unixMilliseconds($0, rounded: .up)) }
                        ?? (entry.isUrgent ? QueueSchema.urgent : nil),
                    campaign: entry.campaign))
        }
        return stored
    }

    /// Begins a campaign, or finds how much of it is in the queue.
    public func begin(
        _ campaign: CampaignName, with input: CampaignInput
    ) async throws(QueueError) -> CampaignPlace {
        try await run { file in try file.begin(campaign, with: input) }
    }

    /// Adds the entries of a batch of a campaign, in one transaction.
    public func enqueue(_ entries: [QueueEntry], as batch: CampaignBatch) async throws(QueueError) {
        let stored = try Self.stored(batch.marked(entries))
        try await run { file in try file.add(stored, of: batch, entries) }
    }

    /// Removes entries that wait or are delayed, and tells which ones go out. It reads the ids of all
    /// entries of the queue: a million take about a second, in which calls of this object wait, and those of others do
    /// not.
    public func cancel(_ entries: [EntryID]) async throws(QueueError) -> Cancellation {
        guard !entries.isEmpty else { return Cancellation() }
        return try await run { file in try file.cancel(Set(entries)) }
    }

    /// Pauses a campaign, lets it go on, sets its rate, or cancels it, in one transaction. It looks at all entries of the queue.
    @discardableResult
    public func steer(_ order: CampaignOrder, campaign: CampaignName) async throws(QueueError) -> QueueCampaign {
        try await run { file in try file.steer(order, campaign: campaign) }
    }

    /// Pauses the queue, lets it go on, or sets its rate.
    @discardableResult
    public func steer(_ order: SteeringOrder) async throws(QueueError) -> QueueSteering {
        try await run { file in try file.steer(order) }
    }
}
