import SupervisedPush

/// What a run does with each record, given what earlier runs did.
package struct RecordPlan: Sendable {
    enum Decision: Equatable, Sendable {
        case push
        /// It has its outcome, or is before the first line.
        case skip
        /// An earlier run may have pushed it, and ended before its outcome: it gets its row without a push.
        case interrupted(APNSID)
        /// The same, and it is pushed again, with the same id.
        case pushAgain(APNSID)
    }

    /// Records that begin before this line are skipped.
    package var firstLine = 1
    /// The lines that are done.
    package var settled = LineSet()
    /// The pushes that an earlier run was about to send, and whose outcome is not known.
    package var open: [Int: APNSID] = [:]
    package var pushesAgain = false
    /// The lines that are pushed; nil for all.
    package var only: LineSet?

    package init(
        firstLine: Int = 1, settled: LineSet = LineSet(), open: [Int: APNSID] = [:], pushesAgain: Bool = false,
        only: LineSet? = nil
    ) {
        (self.firstLine, self.settled, self.open) = (firstLine, settled, open)
        (self.pushesAgain, self.only) = (pushesAgain, only)
    }

    func decision(line: Int) -> Decision {
        guard line >= firstLine, !settled.contains(line), only?.contains(line) != false else { return .skip }
        guard let id = open[line] else { return .push }
        return pushesAgain ? .pushAgain(id) : .interrupted(id)
    }
}
