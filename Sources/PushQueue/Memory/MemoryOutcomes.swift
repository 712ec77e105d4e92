/// The outcomes of a queue in memory: of all tokens, and of those that APNs reported as invalid.
struct MemoryOutcomes: Sendable {
    /// One list. Positions count from the first outcome ever.
    private struct List: Sendable {
        var outcomes: [QueueOutcome] = []
        /// How many were removed.
        var cut = 0
        /// How many of those were not read before.
        var cutUnread = 0
        /// The outcomes before this position have been read.
        var read = 0

        mutating func append(_ outcome: QueueOutcome, limit: Int) {
            outcomes.append(outcome)
            // Half as much again before the oldest are removed, so that each is moved at most twice.
            guard outcomes.count > limit + limit / 2 else { return }
            let count = outcomes.count - limit
            outcomes.removeFirst(count)
            cut += count
            cutUnread += max(0, min(count, cut - read))
        }

        var lastPosition: String? { cut + outcomes.count == 0 ? nil : String(cut + outcomes.count) }

        mutating func page(
            after position: String?, limit: Int, marking: Bool
        ) throws(QueueError) -> OutcomePage {
            let start = position.map { Int($0) ?? -1 } ?? 0
            guard start >= 0 else { throw .invalidPosition }
            // A position of an earlier process may lie behind all that this queue has.
            let first = max(cut, start > cut + outcomes.count ? 0 : start)
            let page = outcomes.dropFirst(first - cut).prefix(max(1, limit))
            let end = first + page.count
            if marking { read = max(read, end) }
            return OutcomePage(Array(page), position: end == 0 ? nil : String(end))
        }
    }

    let limit: Int
    private var all = List()
    private var feedback = List()

    init(limit: Int) { self.limit = max(1, limit) }

    /// How many there are, and how many were removed unread because there were more.
    var count: Int { all.outcomes.count }
    var cut: Int { all.cutUnread }

    mutating func append(_ outcome: QueueOutcome) {
        all.append(outcome, limit: limit)
        if outcome.isFeedback { feedback.append(outcome, limit: limit) }
    }

    mutating func page(
        _ list: OutcomeList, after position: String?, limit: Int, marking: Bool
    ) throws(QueueError) -> OutcomePage {
        switch list {
        case .all: try all.page(after: position, limit: limit, marking: marking)
        case .feedback: try feedback.page(after: position, limit: limit, marking: marking)
        }
    }

    func lastPosition(of list: OutcomeList) -> String? { list == .all ? all.lastPosition : feedback.lastPosition }
}
