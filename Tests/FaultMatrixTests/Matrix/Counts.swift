/// What became of the pushes of one cell, in both ledgers.
struct Counts: Sendable, Hashable {
    /// Answered with status 200.
    var delivered = 0
    /// Answered with another status.
    var rejected = 0
    var notSent = 0
    var unprocessed = 0
    var unknown = 0
    /// Pushes in the simulator's ledger.
    var processed = 0
    /// Pushes that stand in the simulator's ledger more than once.
    var repeated = 0

    /// Pushes with an outcome.
    var ended: Int { delivered + rejected + notSent + unprocessed + unknown }

    /// All pushes were delivered: the fault cost nothing.
    static func allDelivered(_ load: Load) -> Counts { Counts(delivered: load.total, processed: load.total) }

    /// So many are unknown, of which the simulator processed some; the rest was delivered.
    static func unknown(_ unknown: Int, processed: Int, of load: Load) -> Counts {
        let delivered = load.total - unknown
        return Counts(delivered: delivered, unknown: unknown, processed: delivered + processed)
    }
}
