import PushQueue
import SupervisedPush

extension SQLiteQueue {
    /// Reads outcomes after a position. If it is `marking`, what a reader asks for next says what it has read: that is
    /// not counted as removed unread. If it is not, the right to read the file is enough.
    ///
    /// - Throws: `invalidEntry` if the position is not one that an earlier call returned.
    public func outcomes(
        _ list: OutcomeList, after position: String?, limit: Int, marking: Bool
    ) async throws(QueueError) -> OutcomePage {
        let start = try OutcomePosition(position)
        let (rows, end) = try await run { file in
            try file.rows(of: list, after: start, limit: max(1, limit), marking: marking)
        }
        var outcomes: [QueueOutcome] = []
        outcomes.reserveCapacity(rows.count)
        var (positions, unreadable) = ([String](), [String]())
        for row in rows {
            do throws(QueueError) {
                outcomes.append(try QueueOutcome(row: row.line))
                positions.append(row.end.description)
            } catch {
                unreadable.append(row.end.description)
            }
        }
        return OutcomePage(outcomes, positions: positions, unreadable: unreadable, position: end?.description)
    }

    /// Stores how many outcomes each list keeps.
    public func limitOutcomes(to count: Int) async throws(QueueError) {
        try await run { file in try file.limitOutcomes(to: max(1, count)) }
    }

    /// Removes outcomes that count as read, in groups of up to 256 that were stored together: a group with an unread row,
    /// or with one beyond the bound, stays.
    public func trim(_ list: OutcomeList, _ bound: OutcomeBound) async throws(QueueError) -> Int {
        let bound = try RecordBound(bound)
        return try await run { file in try file.trim(list, bound) }
    }

    /// The position behind the last outcome; nil if none was ever stored. The right to read the file is enough.
    public func lastPosition(of list: OutcomeList) async throws(QueueError) -> String? {
        let last = try await run { file in try file.list(list).last }
        return last.number == 0 ? nil : last.description
    }

    /// Reads the dead letters, oldest first. The right to read the file is enough.
    public func deadLetters(limit: Int) async throws(QueueError) -> [DeadLetter] {
        try await run { file in try file.deadLetters(limit: max(1, limit)) }.map { letter in
            var dead = DeadLetter(letter.entry.key, letter.entry.decoded, reason: letter.reason)
            dead.fields = EntryField.texts(letter.entry.fields)
            return dead
        }
    }

    /// Puts dead letters back into the queue. A token that APNs answered is not pushed again.
    public func requeue(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key] {
        guard !letters.isEmpty else { return [] }
        return try await run { file in try file.requeue(letters) }
    }

    /// Removes dead letters. Their tokens keep the outcomes that they have.
    public func discard(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key] {
        guard !letters.isEmpty else { return [] }
        return try await run { file in try file.discard(letters) }
    }

    /// The campaigns that the queue keeps. The right to read the file is enough.
    public func campaigns() async throws(QueueError) -> [CampaignStanding] {
        try await run { file in try file.standings() }
    }

    /// The entries that have this token without an outcome. The right to read the file is enough.
    public func entries(with token: DeviceToken, limit: Int) async throws(QueueError) -> [FoundEntry] {
        try await run { file in try file.find(token, limit: max(1, limit)) }
    }

    /// How the queue is steered. The right to read the file is enough.
    public func steering() async throws(QueueError) -> QueueSteering {
        try await run { file in try file.steering() }
    }

    /// Counts what is in the queue. Delayed entries whose time has come count as waiting. The right to read the file is
    /// enough.
    public func status() async throws(QueueError) -> QueueStatus {
        try await run { file in try file.status() }
    }
}
