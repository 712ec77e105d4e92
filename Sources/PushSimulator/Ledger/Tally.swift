extension Ledger {
    /// The counters of one kind of request other than device pushes.
    public struct Tally: Sendable, Hashable {
        /// Requests that were processed: checked and recorded, whether they were answered or not.
        public internal(set) var requests = 0
        /// Requests that were refused, by reason.
        public internal(set) var refusals: [Refusal: Int] = [:]
        /// Requests that were accepted: status 200, 201 or 204.
        public internal(set) var accepted = 0

        /// Requests that were refused, for any reason.
        public var refused: Int { requests - accepted }

        mutating func add(_ refusal: Refusal?) {
            requests += 1
            if let refusal { refusals[refusal, default: 0] += 1 } else { accepted += 1 }
        }
    }
}
