import PushLocking

/// The one receiver of a push's outcome.
enum OutcomeSink: Sendable {
    typealias Outcome = Result<PushResponse, PushError>

    /// A suspended task; resumed at once.
    case task(HandOver<Outcome>)
    /// A blocked thread; signalled at once.
    case thread(BlockedCaller)
    /// A closure; called in batches on the connection's delivery queue.
    case completion(@Sendable (Outcome) -> Void)
    /// A collector of many pushes' outcomes, which knows this push by the ticket; called once per batch on the
    /// connection's delivery queue.
    case collector(any OutcomeCollector, ticket: Int)
    /// No receiver: a push that ends without an answer is handed back.
    case nobody

    /// Resumes a receiver that waits; the others are called in batches.
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

    /// True for the forms that can wait for room.
    var mayWaitForRoom: Bool {
        switch self {
        case .task, .thread, .collector: true
        case .completion, .nobody: false
        }
    }

    /// True for a caller whose pushes wait for room even if many others do: it has a limit of its own.
    var hasOwnBound: Bool {
        if case .collector = self { true } else { false }
    }

    /// True for the forms whose outcomes pass through the delivery queue, and count until they are delivered.
    var isDelivered: Bool {
        switch self {
        case .completion, .collector: true
        case .task, .thread, .nobody: false
        }
    }
}
