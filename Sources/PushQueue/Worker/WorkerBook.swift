import Foundation
import ProcessRuntime
import SupervisedPush

/// What a worker keeps of an entry that it has taken.
struct WorkerBook: Sendable {
    let entry: Result<QueueEntry, QueueError>
    /// The pushes that have not ended, by their tokens' positions.
    var pushes: [PushHandle?]
    /// The outcomes of tokens, until the entry is over.
    var rows: [Int: QueueOutcome] = [:]

    init(_ taken: TakenEntry) {
        entry = taken.entry
        pushes = Array(repeating: nil, count: (try? entry.get())?.tokens.count ?? 0)
    }

    /// Keeps the outcome of a push, if it is one.
    mutating func end(
        _ index: Int, _ result: Result<PushResponse, PushError>, wallClock: Int64
    ) -> WorkerMachine.Ending? {
        guard case .success(let entry) = entry, pushes.indices.contains(index) else { return nil }
        let ending = result.ending(entry, wallClock: wallClock)
        if ending != .unsent { rows[index] = result.outcome(entry, index, attempts: pushes[index]?.attempts ?? 0) }
        pushes[index] = nil
        return ending
    }

    /// What the store is told of one entry.
    func settlement(_ part: WorkerMachine.Part) -> Settlement {
        let rows = part.rows.compactMap(outcome)
        return Settlement(part.key, rows, fate(part.fate))
    }

    private func fate(_ fate: WorkerMachine.Fate) -> Settlement.Fate {
        switch fate {
        case .open: return .open
        case .done: return .done
        case .again(let date): return .again(notBefore: date)
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
        case .told: rows[row.index]
        case .interrupted: made(.unknown, .unknown, "interrupted")
        case .deadLetter: made(.failed, .notSent, "dead_letter")
        case .tooLate: made(.failed, .notSent, "timed_out")
        }
    }
}

extension WorkerMachine.Facts {
    /// What the machine has to know of an entry.
    init(_ taken: TakenEntry, _ time: any TimeSource) {
        self.init(key: taken.key, offered: taken.offered, settled: taken.settled, doubts: taken.doubts)
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
