import FoundationEssentials
import ProcessRuntime
import SupervisedPush

/// What a worker keeps of an entry that it has taken. It belongs to its run, on whose queue it is used.
final class WorkerBook {
    let key: TakenEntry.Key
    /// Its number in the run. Its pushes have it in their tickets.
    let number: Int
    /// How often it was postponed before this worker got it.
    var retries: Int
    /// Its entry, field by field: a copy of an entry retains all that it has, for each token.
    let id: EntryID?
    /// Whether it has a topic of its own.
    var namesTopic: Bool { notification?.topic != nil }
    private let notification: PushNotification?
    private let deadline: Date?
    private let deviceTokens: [DeviceToken]
    private let campaign: CampaignName?
    /// Why the entry cannot be read.
    private let error: QueueError?
    // Changed several times for each token, and on one queue only: checks at run time would cost a tenth of it.
    @exclusivity(unchecked) private var tokens: [Token]

    /// One token of the entry.
    private struct Token {
        /// Its push, until it ends.
        var push: AcceptedPush?
        /// How it ended, until the entry is over.
        var outcome: PushOutcome?
    }

    init(_ taken: TakenEntry, number: Int) {
        (key, retries, self.number) = (taken.key, taken.retries, number)
        switch taken.entry {
        case .success(let entry):
            (id, notification, deadline, deviceTokens) = (entry.id, entry.notification, entry.deadline, entry.tokens)
            (campaign, error) = (entry.campaign, nil)
        case .failure(let error):
            (id, notification, deadline, deviceTokens, campaign) = (nil, nil, nil, [], nil)
            self.error = error
        }
        tokens = Array(repeating: Token(), count: deviceTokens.count)
    }

    // MARK: Pushes

    /// Adds the pushes of tokens to a batch.
    func add(_ indices: [Int], to batch: inout [BatchedPush]) {
        guard let id, let notification else { return }
        for index in indices {
            batch.append(
                BatchedPush(
                    Push(notification, to: deviceTokens[index]), apnsID: id.apnsID(of: index),
                    ticket: WorkerBooks.ticket(self, index)))
        }
    }

    /// Those that have not ended.
    var pushes: [AcceptedPush] { tokens.compactMap(\.push) }

    func keep(_ push: AcceptedPush, of index: Int) { tokens[index].push = push }

    /// Keeps how a push ended, if it did.
    ///
    /// - Parameter attempts: How often it was written.
    func end(
        _ index: Int, _ result: Result<PushResponse, PushError>, attempts: Int, wallClock: Int64
    ) -> WorkerMachine.Ending {
        let ending = result.ending(
            namesTopic: namesTopic, deadline: deadline, retries: retries, wallClock: wallClock)
        if ending != .unsent {
            tokens[index].outcome = PushOutcome(
                result, apnsID: id?.apnsID(of: index), attempts: attempts, endedAt: Date(unixMilliseconds: wallClock))
        }
        tokens[index].push = nil
        return ending
    }

    // MARK: The store

    /// What the store stores of one entry.
    ///
    /// - Parameter now: When the tokens ended that this settlement ends.
    func settlement(_ part: WorkerMachine.Part, at now: Date) -> Settlement {
        var rows: [QueueOutcome] = []
        rows.reserveCapacity(part.rows.count)
        for row in part.rows { if let outcome = outcome(row, at: now) { rows.append(outcome) } }
        return Settlement(part.key, rows: rows, fate: fate(part.fate), campaign: campaign)
    }

    private func fate(_ fate: WorkerMachine.Fate) -> Settlement.Fate {
        switch fate {
        case .open: .open
        case .done: .done
        case .again(let date, let retries): .again(notBefore: date, retries: retries)
        case .dead: .dead("Three workers died with it.")
        case .cancelled: .cancelled
        case .unreadable: .dead(error?.description ?? "It cannot be read.")
        }
    }

    private func outcome(_ row: WorkerMachine.Row, at now: Date) -> QueueOutcome? {
        guard let id, tokens.indices.contains(row.index) else { return nil }
        let apnsID = id.apnsID(of: row.index)
        let outcome: PushOutcome? =
            switch row.kind {
            case .told: tokens[row.index].outcome
            case .interrupted: PushOutcome(.unknown, reason: "interrupted", apnsID: apnsID, endedAt: now)
            case .deadLetter: PushOutcome(.failed, reason: "dead_letter", apnsID: apnsID, endedAt: now)
            case .tooLate: PushOutcome(.failed, reason: "expired", apnsID: apnsID, endedAt: now)
            }
        return outcome.map {
            QueueOutcome(entry: id, index: row.index, token: deviceTokens[row.index], campaign: campaign, $0)
        }
    }
}

extension WorkerMachine.Facts {
    /// What the machine has to know of an entry.
    init(_ taken: TakenEntry, _ time: any TimeSource) {
        self.init(
            key: taken.key, offered: taken.offered, settled: taken.settled, doubts: taken.doubts,
            retries: taken.retries, hold: taken.hold)
        guard case .success(let entry) = taken.entry else { return }
        (id, count, neverRepeats) = (entry.id, entry.tokens.count, entry.neverRepeats)
        campaign = entry.campaign
        deadline = entry.deadline.flatMap { Self.instant($0, time) }
    }

    /// A store may keep any date, and a duration of an infinity would trap. What is not a number is not a deadline.
    private static func instant(_ date: Date, _ time: any TimeSource) -> MonotonicInstant? {
        let seconds = date.timeIntervalSince1970 - Double(time.wallClockMilliseconds) / 1_000
        return seconds.isNaN ? nil : time.now.advanced(by: .seconds(min(max(seconds, -1e12), 1e12)))
    }
}
