import PushTerminal
import SupervisedPush

extension Tally {
    /// Counts the records of an outcomes file: of a line with several rows, the last one counts, or its delivery.
    ///
    /// - Throws: Status 66 if it can't be read, or is not an outcomes file.
    package init(outcomes path: String) throws(CommandError) {
        self.init()
        var delivered = LineSet()
        var others: [Int: (kind: PushOutcome.Kind, reason: String?)] = [:]
        try OutcomesReader.forEachRow(of: path) { row in
            guard row.kind == .delivered else {
                if !delivered.contains(row.line) { others[row.line] = (row.kind, row.reason) }
                return
            }
            delivered.insert(row.line)
            others[row.line] = nil
        }
        count(.delivered, times: delivered.count)
        for other in others.values { count(other.kind, reason: other.reason) }
    }
}
