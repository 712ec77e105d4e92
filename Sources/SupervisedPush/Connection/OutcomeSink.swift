import PushLocking

/// Who receives the outcome of a push: exactly one owner.
enum OutcomeSink: Sendable {
    typealias Outcome = Result<PushResponse, PushError>

    /// A suspended task; resumed at once.
    case task(HandOver<Outcome>)
    /// A blocked thread; signalled at once.
    case thread(BlockedCaller)
    /// A closure; called in batches on the connection's delivery queue.
    case completion(@Sendable (Outcome) -> Void)
    /// One who gathers the outcomes of many pushes, and knows this one by the ticket; called once a batch on the
    /// connection's delivery queue.
    case collector(any OutcomeCollector, ticket: Int)
    /// Nobody: what ends without an answer is handed back.
    case nobody

    /// Resumes an owner who waits for the outcome himself; the others are called in batches.
    func resume(_ outcome: Outcome) {
        switch self {
        case .task(let handOver): handOver.resume(returning: outcome)
        case .thread(let caller): caller.resume(outcome)
        case .completion, .collector, .nobody: break
        }
    }

    /// True for fire and forget.
    var isNobody: Bool {
        if case .nobody = self { true } else { false }
    }

    /// True for the forms whose caller can wait for room.
    var mayWaitForRoom: Bool {
        switch self {
        case .task, .thread, .collector: true
        case .completion, .nobody: false
        }
    }

    /// True for a caller whose pushes wait for room however many others do: it has a bound of its own.
    var hasOwnBound: Bool {
        if case .collector = self { true } else { false }
    }

    /// True for the forms whose outcomes go over the delivery queue, and count until they were taken there.
    var isDelivered: Bool {
        switch self {
        case .completion, .collector: true
        case .task, .thread, .nobody: false
        }
    }
}
