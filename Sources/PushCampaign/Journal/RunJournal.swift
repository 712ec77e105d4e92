import PushTerminal
import SupervisedPush

/// What a run tells its journal: results are collected, and committed with the next intents.
final class RunJournal {
    /// As many results as are collected without a commit.
    private static let mostResults = 4_096

    let isDurable: Bool
    /// Nil after the end.
    private var journal: Journal?
    private var results = JournalResults()
    /// Pushes of earlier runs without an outcome.
    private var open: [Int: APNSID]
    private(set) var failure: CommandError?

    init(_ journal: Journal, open: [Int: APNSID], isDurable: Bool) {
        self.journal = journal
        self.open = open
        self.isDurable = isDurable
    }

    /// Collects the result of a row. A push that an earlier run may have sent has an attempt more; if it was not judged
    /// in this run, it is unknown.
    func collect(_ row: inout OutcomeRow) {
        if !open.isEmpty, let id = open.removeValue(forKey: row.line) {
            if !row.outcome.isDone { row = row.interrupted(id) }
            row.outcome.attempts += 1
        }
        if failure == nil { results.add(line: row.line, row.kind, reason: row.reason) }
    }

    var needsCommit: Bool { results.count >= Self.mostResults }

    /// Commits intents, and the results of rows that are in the outcomes file by now. After a failure, nothing more is
    /// committed: rows that follow are read from the outcomes file by the next run.
    func commit(_ intents: [Intent] = [], outcomesSize: UInt64) throws(CommandError) {
        if let failure { throw failure }
        guard !intents.isEmpty || results.count > 0 else { return }
        do throws(CommandError) {
            try journal?.commit(intents, &results, outcomesSize: outcomesSize)
        } catch {
            failure = error
            throw error
        }
    }

    /// Completes and closes the journal.
    ///
    /// - Parameters:
    ///   - unoffered: How many of the latest intents were not offered.
    ///   - records: How many records the input has, if its end was reached.
    func finish(unoffered: Int, records: Int?) {
        defer { journal = nil }
        guard failure == nil else { return }
        do throws(CommandError) {
            try journal?.retract(unoffered)
            if let records { try journal?.finish(records: records) }
        } catch { failure = error }
    }
}
