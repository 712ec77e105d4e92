/// Where a queue of one name keeps its entries and outcomes: a server, a file, the memory of a test.
///
/// Each call is one atomic step: it happens as a whole or not at all. On Redis, some calls are several such steps:
/// ``cancel(_:)``, ``requeue(_:)`` and ``discard(_:)`` happen as a whole for each entry only, ``recover(as:besides:)`` and
/// ``deadLetters(limit:)`` read in pages, and ``reclaim(from:at:as:limit:)`` passes entries that were deleted in steps of
/// their own. If such a call throws, a part of it may have happened.
///
/// Any call may throw `unreachable` if the store does not answer, `refused` if the store does not permit it, `lost` if
/// what the queue consists of is gone, and `failed` for a failure of the store's own. What a call throws besides is said
/// there. A call that throws `unreachable` may have happened. Each call can be repeated.
///
/// Calls of one worker do not overlap, except ``wait(as:upTo:)`` and ``beat(as:)``: one of each may be under way beside
/// another call, but no beat beside ``leave(as:)``. A store has no clock for judging workers: they judge each other.
///
/// An entry is *waiting*, *delayed*, *taken* by one worker, or *dead*. A worker's name is new for each of its lives.
public protocol PushQueueStore: Sendable {
    // MARK: Producers

    /// Adds entries, all or none. Those with a time of ``QueueEntry/notBefore`` are delayed.
    ///
    /// A call that begins with the same id as an earlier one adds nothing: it is the same call, repeated because its
    /// answer was lost. The store remembers the calls of the last minute, at least the latest 10,000 of them.
    ///
    /// An id that the queue has already is added again.
    ///
    /// - Throws: `full`; `invalidEntry` if an entry has a number of tokens that is not in ``QueueEntry/tokenCounts``, a
    ///   time that cannot be stored, or its own provider token. Nothing was added.
    func enqueue(_ entries: [QueueEntry]) async throws(QueueError)

    /// Removes entries that wait or are delayed. They get no outcome. What a worker has taken goes out, and so does what
    /// a worker that died may have sent: its tokens get their outcomes.
    func cancel(_ entries: [EntryID]) async throws(QueueError) -> Cancellation

    // MARK: Workers

    /// Prepares the queue if it does not exist, and checks that the store can keep what it promises.
    func open(as worker: WorkerID) async throws(QueueError)

    /// Takes entries: those that were released first, then the oldest, as long as their tokens fit. At least one is taken
    /// if there is one, so that an entry with more tokens than that is not passed over for good.
    ///
    /// - Parameters:
    ///   - worker: Who takes them.
    ///   - tokens: How many tokens fit, from 1; less counts as 1.
    func take(as worker: WorkerID, tokens: Int) async throws(QueueError) -> [TakenEntry]

    /// Asks for leave to push tokens, where all workers of the queue together keep a rate. What a worker got and does not
    /// use is lost. The store goes by its own clock, see ``QueueRate``.
    ///
    /// - Parameters:
    ///   - worker: Who asks.
    ///   - tokens: How many, from 0; less counts as 0.
    ///   - rate: What all workers keep together.
    func permit(as worker: WorkerID, tokens: Int, rate: QueueRate) async throws(QueueError) -> PushPermit

    /// The entries that the worker has taken and that are not in `known`, for example after a lost reply, or after it lost
    /// them to another worker and got them back. They are returned as ``take(as:tokens:)`` would return them.
    func recover(as worker: WorkerID, besides known: Set<TakenEntry.Key>) async throws(QueueError) -> [TakenEntry]

    /// Stores that the first `end` tokens of an entry may be sent from now on. A worker that takes the entry over finds
    /// this number as ``TakenEntry/offered``.
    ///
    /// - Throws: `fenced` if the worker does not have one of the entries any more; then nothing was stored.
    func offer(as worker: WorkerID, _ ends: [TakenEntry.Key: Int]) async throws(QueueError)

    /// Stores outcomes, of tokens that have none, and what becomes of the entries. The outcome counts, whichever worker
    /// stores it. What is told a second time changes nothing.
    func settle(as worker: WorkerID, _ settlements: [Settlement]) async throws(QueueError)

    /// Gives entries back of which nothing was sent since they were taken. They are not in doubt, and are taken first.
    func release(as worker: WorkerID, _ entries: [TakenEntry.Key]) async throws(QueueError)

    /// Raises the worker's counter, and moves delayed entries whose time has come.
    ///
    /// - Returns: The counters of all workers that have taken something or raised a counter.
    func beat(as worker: WorkerID) async throws(QueueError) -> [WorkerID: UInt64]

    /// Takes over what a dead worker had taken. Each entry of which something was offered has one doubt more. The last
    /// call also forgets the dead worker.
    ///
    /// - Parameters:
    ///   - dead: The worker that is taken for dead.
    ///   - counter: What its counter was. If it has another value by now, the worker lives, and nothing is taken over.
    ///   - worker: Who takes the entries over.
    ///   - limit: How many entries, from 1; less counts as 1. A store may return fewer.
    /// - Returns: The entries; empty if there are no more, or if the worker lives after all.
    func reclaim(
        from dead: WorkerID, at counter: UInt64, as worker: WorkerID, limit: Int
    ) async throws(QueueError) -> [TakenEntry]

    /// Returns when there may be something to take, and after `time` at the latest.
    func wait(as worker: WorkerID, upTo time: Duration) async throws(QueueError)

    /// Stores why a worker takes nothing, for those who look at the queue: ``WorkerStanding/note``. It is forgotten with the
    /// worker. Of a worker that never raised its counter, nothing is stored. May be called beside the worker's other calls.
    ///
    /// - Parameters:
    ///   - worker: Whose note it is.
    ///   - note: One line for a person, without a key or a token; nil if it takes entries again.
    func note(as worker: WorkerID, _ note: String?) async throws(QueueError)

    /// Forgets the worker, if it has taken nothing any more.
    func leave(as worker: WorkerID) async throws(QueueError)

    // MARK: Readers

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

    /// Removes dead letters for good. Their tokens keep the outcomes that they have.
    ///
    /// - Returns: Those removed.
    func discard(_ letters: [DeadLetter.Key]) async throws(QueueError) -> [DeadLetter.Key]

    /// How full the queue is.
    func status() async throws(QueueError) -> QueueStatus
}

extension PushQueueStore {
    /// Outcomes in the order they were stored. Those up to `position` count as read from now on.
    public func outcomes(
        _ list: OutcomeList, after position: String?, limit: Int
    ) async throws(QueueError) -> OutcomePage {
        try await outcomes(list, after: position, limit: limit, marking: true)
    }
}

/// One life of a worker. Two lives never have the same name.
public struct WorkerID: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let description: String

    /// Makes a name.
    public init(_ name: String) { description = name }
}

/// Which outcomes are read.
public enum OutcomeList: String, Sendable, Hashable, CaseIterable {
    /// All.
    case all = "outcomes"
    /// Those in which APNs reported the token as invalid, see ``QueueOutcome/isFeedback``.
    case feedback
}
