import PushLocking
import PushQueue
import SupervisedPush

extension RedisQueue {
    /// Stores outcomes and what becomes of the entries, in one script.
    ///
    /// After the queue was lost, it writes the rows into the queue that was made again, and then throws `lost`. With
    /// fewer replicas than ``RedisQueue/Configuration/replicas``, it throws `unreachable` after the step has happened. It also
    /// throws `unreachable` if the server became another one during the call. A repetition writes nothing twice.
    public func settle(as worker: WorkerID, _ settlements: [Settlement]) async throws(QueueError) {
        guard !settlements.isEmpty else { return }
        let changes = changes
        var loss: QueueError?
        do throws(QueueError) { try await catchUp() } catch {
            guard error.code == .lost else { throw error }
            loss = error
        }
        let absent = state.withLock { $0.memory.absent[worker] ?? [] }
        let words = try SettleWords(settlements, absent: absent).words
        let mark = state.withLock { $0.nextMark() }
        let call = settleHead(worker, mark: mark, earlier: []) + words
        do throws(QueueError) {
            let (reply, following) = try await run(.settle, with: call, then: replication)
            // It may have reached another server before it was known which entries are absent there.
            try checkServer(unchangedSince: changes)
            let (id, now) = (reply.bytes ?? [], ContinuousClock.now)
            state.withLock { $0.memory.settle(settlements, as: worker, words: words, mark: mark, id: id, at: now) }
            try checkReplicas(following)
        } catch {
            if error.code == .lost { _ = try await run(.settle, with: call) }
            throw error
        }
        if let loss { throw loss }
    }

    /// In place of the id of an earlier call that had no rows.
    static let noRows = [UInt8(ascii: "-")]

    /// The words of the script before those of the settlements.
    ///
    /// - Parameter earlier: Empty for a first call. For a repetition, the id of the rows, or ``noRows``.
    func settleHead(_ worker: WorkerID, mark: [UInt8], earlier: [UInt8]) -> [[UInt8]] {
        let limits = [configuration.maxOutcomes ?? OutcomePage.usualLimit, configuration.maxDeadLetters]
        return limits.map { Array("\(max(1, $0))".utf8) } + [Array(worker.description.utf8), mark, earlier]
    }
}

/// The settlements of a call as the script's two words: a line for each, and the texts of all.
///
/// Words of its own for each settlement would be arrays of its own, which ``QueueMemory`` keeps for seconds.
private struct SettleWords {
    private var heads: [UInt8] = []
    private var texts: [UInt8] = []
    private var digits: [UInt8] = []
    private var tally = ""

    /// - Parameter absent: The entries that the server never had.
    init(_ settlements: [Settlement], absent: Set<TakenEntry.Key>) throws(QueueError) {
        let rows = settlements.reduce(0) { $0 + $1.rows.count }
        heads.reserveCapacity(settlements.count * 48 + rows * 5)
        texts.reserveCapacity(rows * 288)
        for settlement in settlements { try add(settlement, isAbsent: absent.contains(settlement.key)) }
    }

    var words: [[UInt8]] { [heads, texts] }

    private mutating func add(_ settlement: Settlement, isAbsent: Bool) throws(QueueError) {
        guard let key = settlement.key.pair else {
            throw QueueError(.failed, "The key of a settlement is not a stream id of this queue.")
        }
        let (fate, detail) = Self.words(settlement.fate)
        heads.append(decimal: key.0)
        heads.append(UInt8(ascii: "-"))
        heads.append(decimal: key.1)
        heads.append(UInt8(ascii: " "))
        if isAbsent { heads.append(UInt8(ascii: "-")) }
        heads.append(contentsOf: fate.utf8)
        heads.append(UInt8(ascii: " "))
        texts.append(contentsOf: detail.utf8)
        let start = texts.count
        try add(settlement.rows)
        addCampaign(settlement)
        heads.append(UInt8(ascii: " "))
        heads.append(contentsOf: digits)
        heads.append(UInt8(ascii: " "))
        heads.append(decimal: detail.utf8.count)
        heads.append(UInt8(ascii: " "))
        heads.append(decimal: texts.count - start)
        heads.append(UInt8(ascii: " "))
        heads.append(contentsOf: tally.utf8)
        heads.append(UInt8(ascii: "\n"))
    }

    /// Adds the campaign to the line, with how many outcomes of each word the rows are; for none, a star, which no
    /// name has.
    private mutating func addCampaign(_ settlement: Settlement) {
        guard let campaign = settlement.campaign else { return tally = "* -" }
        var outcomes = CampaignOutcomes()
        for row in settlement.rows { outcomes.add(row.outcome) }
        let counts = outcomes.words.map { "\($0.word)=\($0.count)" }.joined(separator: ",")
        tally = "\(campaign) \(counts.isEmpty ? "-" : counts)"
    }

    /// Adds the positions of rows to the line, and the rows to the texts.
    private mutating func add(_ rows: [QueueOutcome]) throws(QueueError) {
        digits.removeAll(keepingCapacity: true)
        var seen = TokenSet()
        for row in rows {
            guard 0..<QueueEntry.tokenCounts.upperBound ~= row.index else {
                throw QueueError(
                    .invalidEntry, "An outcome is for the token at \(row.index); an entry has 1 to 1,000 tokens.")
            }
            guard !seen.contains(row.index) else { continue }
            seen.insert(row.index)
            if !digits.isEmpty {
                heads.append(UInt8(ascii: ","))
                texts.append(UInt8(ascii: "\n"))
            }
            heads.append(decimal: row.index)
            digits.append(UInt8(ascii: "0") + (row.isFeedback ? 1 : 0) + (row.certainty == .answered ? 2 : 0))
            row.appendRow(to: &texts)
        }
    }

    private static func words(_ fate: Settlement.Fate) -> (String, String) {
        switch fate {
        case .done: ("done", "")
        case .open: ("open", "")
        case .again(let time, let retries):
            ("again", "\(RedisQueue.milliseconds(time)) \(min(max(0, retries), 1_000_000))")
        case .dead(let reason): ("dead", reason)
        case .cancelled: ("cancelled", "")
        }
    }
}
