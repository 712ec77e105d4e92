import PushTerminal
import SupervisedPush

/// What outcomes files of earlier runs say of the records: which are skipped, and which are pushed again.
package struct EarlierRows {
    /// The lines that are done.
    package private(set) var settled = LineSet()
    /// The lines that are pushed again, with their outcomes.
    package private(set) var again: [Int: JournalResults.Key] = [:]
    /// What is skipped.
    package private(set) var skipped = Tally()

    package init() {}

    /// Adds a file whose done rows are skipped: a line is done if any file says so.
    ///
    /// - Throws: Status 66 if it can't be read, or is not an outcomes file.
    package mutating func addDone(_ path: String) throws(CommandError) {
        try OutcomesReader.forEachRow(of: path) { row in
            guard !settled.contains(row.line) else { return }
            guard row.outcome.isDone else { return again[row.line] = row.key }
            settled.insert(row.line)
            again[row.line] = nil
            skipped.count(row.kind, reason: row.reason)
        }
    }

    /// Adds a file whose rows are pushed again: of a line with several rows, the last one counts.
    ///
    /// - Parameter selection: Which of its rows are pushed again.
    package mutating func addRedo(_ path: String, _ selection: RedoSelection) throws(CommandError) {
        try OutcomesReader.forEachRow(of: path) { row in
            if selection.has(row) {
                again[row.line] = row.key
            } else {
                again[row.line] = nil
                skipped.count(row.kind, reason: row.reason)
            }
        }
    }

    /// Says what is skipped and what is pushed again, by outcome and reason; nil if there are no rows.
    ///
    /// - Parameter does: What happens to records: `pushing` or `putting`.
    package func line(_ path: String, does: String) -> String? {
        var tally = Tally()
        for key in again.values { tally.count(key.kind, reason: key.reason) }
        guard skipped.total + tally.total > 0 else { return nil }
        let skips = "skipping \(Figures.grouped(skipped.total))" + (skipped.total > 0 ? ": \(skipped.text)" : "")
        let redoes = "\(does) \(Figures.grouped(tally.total)) again" + (tally.total > 0 ? ": \(tally.text)" : "")
        return "\(path): \(skips); \(redoes)"
    }
}

/// The rows of an earlier run that are pushed again.
package struct RedoSelection: Sendable {
    /// Outcomes and reasons; empty for all rows that are not done.
    private let names: Set<String>

    package init(_ names: [String]) { self.names = Set(names) }

    package func has(_ row: OutcomeRow) -> Bool {
        guard !names.isEmpty else { return !row.outcome.isDone }
        return names.contains(row.kind.rawValue) || row.reason.map(names.contains) == true
    }
}

extension OutcomeRow {
    fileprivate var key: JournalResults.Key { JournalResults.Key(kind: outcome.kind, reason: outcome.reason) }
}
