import PushTerminal
import SupervisedPush

/// What outcomes files of earlier runs say of the records: which are skipped, and which are pushed again.
struct EarlierRows {
    /// The lines that are done.
    private(set) var settled = LineSet()
    /// The lines that are pushed again, with their outcomes.
    private(set) var again: [Int: JournalResults.Key] = [:]
    /// What is skipped.
    private(set) var skipped = Tally()

    /// Adds a file of `--skip-done`: a line is done if any file says so.
    ///
    /// - Throws: Status 66 if it can't be read, or is not an outcomes file.
    mutating func addDone(_ path: String) throws(CommandError) {
        try OutcomesReader.forEachRow(of: path, flag: "--skip-done") { row in
            guard !settled.contains(row.line) else { return }
            guard row.outcome.isDone else { return again[row.line] = row.key }
            settled.insert(row.line)
            again[row.line] = nil
            skipped.count(row.kind, reason: row.reason)
        }
    }

    /// Adds the file of `--redo`: of a line with several rows, the last one counts.
    ///
    /// - Parameter selection: Which of its rows are pushed again.
    mutating func addRedo(_ path: String, _ selection: RedoSelection) throws(CommandError) {
        try OutcomesReader.forEachRow(of: path, flag: "--redo") { row in
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
    func line(_ path: String, _ does: String = "pushing") -> String? {
        var tally = Tally()
        for key in again.values { tally.count(key.kind, reason: key.reason) }
        guard skipped.total + tally.total > 0 else { return nil }
        let skips = "skipping \(Figures.grouped(skipped.total))" + (skipped.total > 0 ? ": \(skipped.text)" : "")
        let redoes = "\(does) \(Figures.grouped(tally.total)) again" + (tally.total > 0 ? ": \(tally.text)" : "")
        return "pushctl: \(path): \(skips); \(redoes)".onOneLine
    }
}

/// The rows that `--redo` takes.
struct RedoSelection: Sendable {
    /// Outcomes and reasons; empty for all rows that are not done.
    private let names: Set<String>

    init(_ names: [String]) { self.names = Set(names) }

    func has(_ row: OutcomeRow) -> Bool {
        guard !names.isEmpty else { return !row.outcome.isDone }
        return names.contains(row.kind.rawValue) || row.reason.map(names.contains) == true
    }
}

extension OutcomeRow {
    fileprivate var key: JournalResults.Key { JournalResults.Key(kind: outcome.kind, reason: outcome.reason) }
}
