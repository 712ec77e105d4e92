import SupervisedPush

extension Campaign {
    /// How far a campaign is.
    public struct Progress: Sendable {
        /// How many records were read in this run, without those that were skipped.
        public let records: Int
        /// How many pushes have no outcome yet.
        public let underWay: Int
        private let tally: Tally
        private let earlierTally: Tally

        init(records: Int = 0, underWay: Int = 0, tally: Tally = Tally(), earlier: Tally = Tally()) {
            (self.records, self.underWay, self.tally, earlierTally) = (records, underWay, tally, earlier)
        }

        /// How many records have this outcome, with those of earlier runs of the journal.
        public func count(of kind: PushOutcome.Kind) -> Int { tally.count(of: kind) + earlierTally.count(of: kind) }

        /// How many records have an outcome of an earlier run of the journal.
        public var earlier: Int { earlierTally.total }

        /// The reasons of an outcome with their counts, the most frequent first. At most 64 reasons are counted apart.
        public func reasons(of kind: PushOutcome.Kind) -> [(reason: String, count: Int)] {
            tally.adding(earlierTally).reasons(of: kind)
        }
    }
}

extension Campaign.Progress: CustomStringConvertible {
    /// The outcomes that occur, with their most frequent reasons: `17 delivered, 3 rejected (Unregistered 3)`.
    public var description: String { tally.adding(earlierTally).text }
}
