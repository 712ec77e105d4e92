import SupervisedPush

/// The readers' part of a queue: outcomes, dead letters, and how full it is. A program that only looks needs no more, so
/// let its functions take `any PushQueueReader`.
///
/// What each call may throw, and what is atomic, is said at ``PushQueueStore``.
public protocol PushQueueReader: Sendable {
    /// Outcomes in the order they were stored. A row that cannot be read hides no other, see ``OutcomePage/unreadable``.
    ///
    /// - Parameters:
    ///   - list: Which outcomes.
    ///   - position: A position that an earlier call returned: those after it are read. Nil for the first. One ahead of
    ///     the list, for example of a queue that was lost, counts as nil.
    ///   - limit: How many, from 1; less counts as 1. A store may return fewer, but not none if there are more.
    ///   - marking: Whether those up to `position` count as read from now on, see ``QueueStatus/outcomesCut``: who asks for
    ///     what follows them has them.
    /// - Throws: `invalidEntry` if this queue did not return the position.
    func outcomes(
        _ list: OutcomeList, after position: String?, limit: Int, marking: Bool
    ) async throws(QueueError) -> OutcomePage

    /// Stores how many outcomes the queue keeps in each of its lists, for all processes that use it. With more, the oldest
    /// are removed. Readers begin with the oldest, so read ones go before unread ones.
    ///
    /// - Parameter count: From 1; less counts as 1.
    func limitOutcomes(to count: Int) async throws(QueueError)

    /// Removes the oldest outcomes that count as read, within a bound. Unread ones stay, and all that follow them.
    ///
    /// - Returns: How many were removed. A store may remove fewer than there are, but not none: call it until it returns 0.
    /// - Throws: `invalidEntry` if this queue did not return the position.
    func trim(_ list: OutcomeList, _ bound: OutcomeBound) async throws(QueueError) -> Int

    /// The position behind the last outcome; nil if none was ever stored.
    func lastPosition(of list: OutcomeList) async throws(QueueError) -> String?

    /// The dead letters, oldest first.
    ///
    /// - Parameter limit: How many, from 1; less counts as 1. A store may return fewer, but not none if there are some.
    func deadLetters(limit: Int) async throws(QueueError) -> [DeadLetter]

    /// Puts dead letters back into the queue, with no doubts. Those that still cannot be read will be dead again.
    ///
    /// - Returns: Those put back.
    func requeue(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key]

    /// Removes dead letters. Their tokens keep the outcomes that they have.
    ///
    /// - Returns: Those removed.
    func discard(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key]

    /// The campaigns that the queue keeps, in the order in which they were begun. A store may count where their tokens are in
    /// pages, so that what moves meanwhile is counted twice or not at all.
    func campaigns() async throws(QueueError) -> [CampaignStanding]

    /// The entries that have this device token, for which it has no outcome. The whole queue is searched, so it takes a store
    /// seconds for a million tokens. What moves meanwhile may be found twice, or not at all.
    ///
    /// - Parameters:
    ///   - token: The device token, in either case of its digits.
    ///   - limit: How many, from 1; less counts as 1.
    func entries(with token: DeviceToken, limit: Int) async throws(QueueError) -> [FoundEntry]

    /// How the queue is steered. Workers ask for it about every second, beside their other calls.
    func steering() async throws(QueueError) -> QueueSteering

    /// How full the queue is.
    func status() async throws(QueueError) -> QueueStatus
}

extension PushQueueReader {
    /// Outcomes in the order they were stored. Those up to `position` count as read from now on.
    public func outcomes(
        _ list: OutcomeList, after position: String?, limit: Int
    ) async throws(QueueError) -> OutcomePage {
        try await outcomes(list, after: position, limit: limit, marking: true)
    }
}

/// Which outcomes are read.
public enum OutcomeList: String, Sendable, Hashable, CaseIterable {
    /// All.
    case all = "outcomes"
    /// Those in which APNs reported the token as invalid, see `PushOutcome.isFeedback`.
    case feedback
}
