import PushTerminal
import SupervisedPush

/// The rows at the end of an outcomes file that its journal does not know: a run ended between writing and committing
/// them.
///
/// They are true, because rows are written once an outcome is known. A row that is torn, or that does not fit the
/// journal, ends them, and is cut off with all that follows.
enum OutcomesTail {
    /// Reads the rows behind a position, and adds them to the state.
    ///
    /// - Returns: The results, and where the last of them ends.
    static func adopt(
        from position: UInt64, _ state: inout Journal.State, fill: @escaping ByteWindow.Fill
    ) throws(CommandError) -> (results: JournalResults, end: UInt64) {
        var results = JournalResults()
        var rows = WrittenRows(fill: fill)
        var end = position
        while let row = try rows.next(), state.fits(row) {
            results.add(line: row.line, row.kind, reason: row.reason)
            state.settle(row.line, JournalResults.Key(kind: row.kind, reason: row.reason))
            end = position + rows.bytesRead
        }
        return (results, end)
    }
}

extension Journal.State {
    /// Whether a row can be that of a push without an outcome, or of a record that was not pushed.
    fileprivate func fits(_ row: OutcomeRow) -> Bool {
        // A push that was unknown may have been made again.
        if let known = unknown[row.line] { return row.apnsID == known.id }
        guard !settled.contains(row.line) else { return false }
        guard let apnsID = row.apnsID else { return row.kind == .failed }
        return open[row.line] == apnsID
    }
}
