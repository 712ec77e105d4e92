/// Where a queue of one name keeps its entries and outcomes: a server, a file, the memory of a test.
///
/// Each call is one atomic step: it happens as a whole or not at all. On Redis, some calls are several such steps:
/// ``PushQueueProducer/cancel(_:)``, ``PushQueueReader/requeue(_:)`` and ``PushQueueReader/discard(_:)`` happen as a whole
/// for each entry only, ``recover(as:besides:)`` and ``PushQueueReader/deadLetters(limit:)`` read in pages, and
/// ``reclaim(from:at:as:limit:)`` passes entries that were deleted in steps of their own. If such a call throws, a part of
/// it may have happened.
///
/// Any call may throw `unreachable` if the store does not answer, `refused` if the store does not permit it, `lost` if
/// what the queue consists of is gone, and `failed` for a failure of the store's own. What a call throws besides is said
/// there. A call that throws `unreachable` may have happened. Each call can be repeated.
///
/// Calls of one worker do not overlap, except ``wait(as:upTo:)`` and ``beat(as:)``: one of each may be under way beside
/// another call, but no beat beside ``leave(as:)``. A store has no clock for judging workers: they judge each other.
///
/// What is declared here is the workers' part: ``PushWorker`` calls it. Programs that put pushes in or read what became of
/// them need ``PushQueueProducer`` or ``PushQueueReader``, which each store is, too.
///
/// An entry is *waiting*, *delayed*, *taken* by one worker, or *dead*. A worker's name is new for each of its lives.
public protocol PushQueueStore: PushQueueProducer, PushQueueReader {
    /// Prepares the queue if it does not exist, and checks that the store can keep what it promises.
    func open(as worker: WorkerID) async throws(QueueError)

    /// Why nothing of these campaigns is taken, by their names. A worker asks for those that it has entries of, so that an order
    /// reaches what it has taken and not sent.
    ///
    /// - Parameter campaigns: The names, of at most ``QueueCampaign/most`` campaigns. Those that nobody holds are not in the
    ///   answer.
    func holds(of campaigns: Set<CampaignName>) async throws(QueueError) -> [CampaignName: QueueCampaign.Hold]

    /// Takes entries: those that were released first, then the oldest, as long as their tokens fit. At least one is taken
    /// if there is one, so that an entry with more tokens than that has its turn.
    ///
    /// Urgent entries are taken before the others, each lane in this order. Of each eight tokens that are taken while both
    /// lanes have something, by all workers together, one is of the others. They are returned in the order in which they are
    /// taken, and an entry keeps its lane wherever it goes.
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
    /// stores it. What is reported a second time changes nothing.
    func settle(as worker: WorkerID, _ settlements: [Settlement]) async throws(QueueError)

    /// Gives entries back of which nothing was sent since they were taken. They are not in doubt, and are taken first in
    /// their lane.
    func release(as worker: WorkerID, _ entries: [TakenEntry.Key]) async throws(QueueError)

    /// Raises the worker's counter, and moves delayed entries whose time has come.
    ///
    /// - Returns: The counters of all workers that have taken something or raised a counter.
    func beat(as worker: WorkerID) async throws(QueueError) -> [WorkerID: UInt64]

    /// Takes over what a dead worker had taken. Each entry of which something was offered has one doubt more. The last
    /// call also forgets the dead worker. What a paused campaign has of it goes back to the queue, with its doubts; what a
    /// cancelled one has and is not in doubt is removed.
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
}

/// One life of a worker. Two lives never have the same name.
public struct WorkerID: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let description: String

    /// Makes a name.
    public init(_ name: String) { description = name }
}
