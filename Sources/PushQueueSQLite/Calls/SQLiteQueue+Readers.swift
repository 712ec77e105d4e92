import PushQueue

extension SQLiteQueue {
    /// Reads outcomes after a position. What a reader asks for next says what it has read: that is not counted as removed
    /// unread.
    ///
    /// - Throws: `invalidEntry` if the position is not one that an earlier call returned.
    public func outcomes(
        _ list: OutcomeList, after position: String?, limit: Int
    ) async throws(QueueError) -> OutcomePage {
        let start = try OutcomePosition(position)
        let (rows, end) = try await run { file in try file.rows(of: list, after: start, limit: max(0, limit)) }
        var outcomes: [QueueOutcome] = []
        outcomes.reserveCapacity(rows.count)
        for row in rows { outcomes.append(try QueueOutcome(row: row)) }
        return OutcomePage(outcomes, position: end?.description)
    }

    /// Reads the dead letters, oldest first.
    public func deadLetters(limit: Int) async throws(QueueError) -> [DeadLetter] {
        try await run { file in try file.deadLetters(limit: max(0, limit)) }.map { letter in
            DeadLetter(letter.entry.decoded, reason: letter.reason)
        }
    }

    /// Puts dead letters that can be read back into the queue. A token that APNs answered is not pushed again.
    public func requeue(_ entries: [EntryID]) async throws(QueueError) -> [EntryID] {
        guard !entries.isEmpty else { return [] }
        return try await run { file in try file.requeue(Set(entries)) }
    }

    /// Counts what is in the queue. Delayed entries whose time has come count as waiting.
    public func status() async throws(QueueError) -> QueueStatus {
        try await run { file in try file.status() }
    }
}
