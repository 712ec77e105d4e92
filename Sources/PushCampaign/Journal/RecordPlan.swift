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

/// A set of lines, in a bit for each and some memory for each 64 that are near each other.
package struct LineSet: Sendable, Equatable {
    private var words: [Int: UInt64] = [:]
    package private(set) var count = 0

    package init() {}

    package init(_ lines: some Sequence<Int>) { for line in lines { insert(line) } }

    /// Adds a line; false if it was there.
    @discardableResult
    package mutating func insert(_ line: Int) -> Bool {
        let bit: UInt64 = 1 << UInt64(line & 63)
        let word = words[line >> 6, default: 0]
        guard word & bit == 0 else { return false }
        words[line >> 6] = word | bit
        count += 1
        return true
    }

    /// Removes a line, if it is there.
    package mutating func remove(_ line: Int) {
        guard contains(line) else { return }
        words[line >> 6, default: 0] &= ~(1 << UInt64(line & 63))
        count -= 1
    }

    package func contains(_ line: Int) -> Bool { words[line >> 6].map { $0 >> UInt64(line & 63) & 1 == 1 } ?? false }
}
