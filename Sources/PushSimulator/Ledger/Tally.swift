extension Ledger {
    /// Counters of one kind of request beside the pushes to devices.
    public struct Tally: Sendable, Hashable {
        /// Requests that were processed: judged and entered, answered or not.
        public internal(set) var requests = 0
        /// Those that were refused, by reason.
        public internal(set) var refusals: [Refusal: Int] = [:]
        /// Those that were accepted: status 200, 201 or 204.
        public internal(set) var accepted = 0

        /// Those that were refused, for whatever reason.
        public var refused: Int { requests - accepted }

        mutating func add(_ refusal: Refusal?) {
            requests += 1
            if let refusal { refusals[refusal, default: 0] += 1 } else { accepted += 1 }
        }
    }
}
