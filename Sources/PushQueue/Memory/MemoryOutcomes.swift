import FoundationEssentials
import SupervisedPush

/// The outcomes of a queue in memory: of all tokens, and of those that APNs reported as invalid.
struct MemoryOutcomes: Sendable {
    /// One list. Positions count from the first outcome ever.
    private struct List: Sendable {
        var outcomes: [QueueOutcome] = []
        /// When each was stored.
        var times: [Date] = []
        /// How many were removed.
        var cut = 0
        /// How many of those were not read before.
        var cutUnread = 0
        /// The outcomes before this position have been read.
        var read = 0

        mutating func append(_ outcome: QueueOutcome, at time: Date, limit: Int) {
            outcomes.append(outcome)
            times.append(time)
            // Half as much again before the oldest are removed, so that each is moved at most twice.
            guard outcomes.count > limit + limit / 2 else { return }
            let count = outcomes.count - limit
            remove(count)
            cutUnread += max(0, min(count, cut - read))
        }

        private mutating func remove(_ count: Int) {
            outcomes.removeFirst(count)
            times.removeFirst(count)
            cut += count
        }

        mutating func trim(_ bound: OutcomeBound) throws(QueueError) -> Int {
            var count = max(0, min(read - cut, outcomes.count))
            switch bound {
            case .upTo(let position): count = min(count, max(0, try Self.start(position) - cut))
            case .before(let time): count = times.prefix(count).prefix { $0 < time }.count
            }
            remove(count)
            return count
        }

        private static func start(_ position: String?) throws(QueueError) -> Int {
            guard let position else { return 0 }
            guard let start = Int(position), start >= 0 else { throw .invalidPosition }
            return start
        }

        var lastPosition: String? { cut + outcomes.count == 0 ? nil : String(cut + outcomes.count) }

        mutating func page(
            after position: String?, limit: Int, marking: Bool
        ) throws(QueueError) -> OutcomePage {
            let start = try Self.start(position)
            // A position of an earlier process may lie behind all that this queue has.
            let known = start > cut + outcomes.count ? 0 : start
            let first = max(cut, known)
            let page = outcomes.dropFirst(first - cut).prefix(max(1, limit))
            let end = first + page.count
            if marking { read = max(read, known) }
            let positions = page.indices.map { String(first + 1 + $0 - page.startIndex) }
            return OutcomePage(Array(page), positions: positions, position: end == 0 ? nil : String(end))
        }
    }

    /// The limit without a stored one.
    let firstLimit: Int
    /// The limit that a call has stored.
    private(set) var storedLimit: Int?
    private var limit: Int { storedLimit ?? firstLimit }
    private var all = List()
    private var feedback = List()

    init(limit: Int) { firstLimit = max(1, limit) }

    /// How many there are, and how many were removed unread because there were more.
    var count: Int { all.outcomes.count }
    var cut: Int { all.cutUnread }

    mutating func keep(_ count: Int) { storedLimit = max(1, count) }

    mutating func append(_ outcome: QueueOutcome, at time: Date) {
        all.append(outcome, at: time, limit: limit)
        if outcome.isFeedback { feedback.append(outcome, at: time, limit: limit) }
    }

    mutating func trim(_ list: OutcomeList, _ bound: OutcomeBound) throws(QueueError) -> Int {
        switch list {
        case .all: try all.trim(bound)
        case .feedback: try feedback.trim(bound)
        }
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
