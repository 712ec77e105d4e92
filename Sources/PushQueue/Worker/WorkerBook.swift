import Foundation
import ProcessRuntime
import SupervisedPush

/// What a worker keeps of an entry that it has taken. It belongs to its run, on whose queue it is used.
final class WorkerBook {
    let key: TakenEntry.Key
    /// Its number in the run. Its pushes have it in their tickets.
    let number: Int
    let entry: Result<QueueEntry, QueueError>
    /// How often it was postponed before this worker got it.
    var retries: Int
    // Changed several times for each token, and on one queue only: checks at run time would cost a tenth of it.
    @exclusivity(unchecked) private var tokens: [Token]

    /// One token of the entry.
    private struct Token {
        /// Its push, until it ends.
        var push: PushHandle?
        /// Its outcome, until the entry is over.
        var outcome: QueueOutcome?
    }

    init(_ taken: TakenEntry, number: Int) {
        (key, entry, retries, self.number) = (taken.key, taken.entry, taken.retries, number)
        tokens = Array(repeating: Token(), count: (try? taken.entry.get())?.tokens.count ?? 0)
    }

    /// The pushes that have not ended.
    var handles: [PushHandle] { tokens.compactMap(\.push) }

    func keep(_ handle: PushHandle?, of index: Int) {
        if tokens.indices.contains(index) { tokens[index].push = handle }
    }

    /// Keeps the outcome of a push, if it is one.
    ///
    /// - Parameter attempts: How often it was written; nil if its handle must be asked.
    func end(
        _ index: Int, _ result: Result<PushResponse, PushError>, attempts: Int?, wallClock: Int64
    ) -> WorkerMachine.Ending? {
        guard case .success(let entry) = entry, tokens.indices.contains(index) else { return nil }
        let ending = result.ending(entry, retries: retries, wallClock: wallClock)
        if ending != .unsent {
            let attempts = attempts ?? tokens[index].push?.attempts ?? 0
            tokens[index].outcome = result.outcome(entry, index, attempts: attempts)
        }
        tokens[index].push = nil
        return ending
    }

    /// What the store is told of one entry.
    func settlement(_ part: WorkerMachine.Part) -> Settlement {
        var rows: [QueueOutcome] = []
        rows.reserveCapacity(part.rows.count)
        for row in part.rows { if let outcome = outcome(row) { rows.append(outcome) } }
        return Settlement(part.key, rows, fate(part.fate))
    }

    private func fate(_ fate: WorkerMachine.Fate) -> Settlement.Fate {
        switch fate {
        case .open: return .open
        case .done: return .done
        case .again(let date, let retries): return .again(notBefore: date, retries: retries)
        case .dead: return .dead("Three workers died with it.")
        case .unreadable:
            guard case .failure(let error) = entry else { return .dead("It cannot be read.") }
            return .dead(error.description)
        }
    }

    private func outcome(_ row: WorkerMachine.Row) -> QueueOutcome? {
        guard case .success(let entry) = entry, entry.tokens.indices.contains(row.index) else { return nil }
        func made(_ word: QueueOutcome.Word, _ certainty: Certainty, _ reason: String) -> QueueOutcome {
            QueueOutcome(
                entry: entry.id, index: row.index, token: entry.tokens[row.index], word, certainty, reason: reason,
                apnsID: entry.id.apnsID(of: row.index))
        }
        return switch row.kind {
        case .told: tokens[row.index].outcome
        case .interrupted: made(.unknown, .unknown, "interrupted")
        case .deadLetter: made(.failed, .notSent, "dead_letter")
        case .tooLate: made(.failed, .notSent, "expired")
        }
    }
}

extension WorkerMachine.Facts {
    /// What the machine has to know of an entry.
    init(_ taken: TakenEntry, _ time: any TimeSource) {
        self.init(
            key: taken.key, offered: taken.offered, settled: taken.settled, doubts: taken.doubts,
            retries: taken.retries)
        guard case .success(let entry) = taken.entry else { return }
        (id, count, once) = (entry.id, entry.tokens.count, entry.once)
        deadline = entry.deadline.flatMap { Self.instant($0, time) }
    }

    /// A store may keep any date, and a duration of an infinity would trap. What is no number is no deadline.
    private static func instant(_ date: Date, _ time: any TimeSource) -> MonotonicInstant? {
        let seconds = date.timeIntervalSince1970 - Double(time.wallClockMilliseconds) / 1_000
        return seconds.isNaN ? nil : time.now.advanced(by: .seconds(min(max(seconds, -1e12), 1e12)))
    }
}
