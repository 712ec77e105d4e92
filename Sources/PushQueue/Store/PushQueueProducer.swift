/// The producers' part of a queue: putting entries in, cancelling them, and steering the queue. A program that only asks for pushes needs no
/// more, so let its functions take `any PushQueueProducer`.
///
/// What each call may throw, and what is atomic, is said at ``PushQueueStore``.
public protocol PushQueueProducer: Sendable {
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

    /// Begins a campaign, or finds how much of it is in the queue. Whoever puts it again, after a crash or after its entries
    /// were pushed, goes on where it ended, and adds nothing twice. The queue keeps the ``QueueCampaign/most`` campaigns that
    /// were begun last.
    ///
    /// - Returns: Where to go on.
    /// - Throws: `refused` if the campaign was begun with another file, or if it is to be pushed again and was never put;
    ///   `full` if it was put ``QueueCampaign/mostRounds`` times.
    func begin(_ campaign: CampaignName, with input: CampaignInput) async throws(QueueError) -> CampaignPlace

    /// Adds the entries of a batch of a campaign and notes that they are put: both or nothing. Their ids should be those of
    /// ``CampaignBatch/id(ofLine:)``. A batch that was put before adds nothing, whatever became of its entries.
    ///
    /// - Parameters:
    ///   - entries: Those of the batch; none if no record of it can be pushed.
    ///   - batch: Which lines of the input they are.
    /// - Throws: What ``enqueue(_:)`` throws; `refused` if the campaign was not begun, or if another process has put a part of
    ///   the batch.
    func enqueue(_ entries: [QueueEntry], as batch: CampaignBatch) async throws(QueueError)

    /// Removes entries that wait or are delayed. They get no outcome. What a worker has taken goes out, and so does what
    /// a worker that died may have sent: its tokens get their outcomes.
    func cancel(_ entries: [EntryID]) async throws(QueueError) -> Cancellation

    /// Pauses a campaign, lets it go on, sets its rate, or cancels it. What a worker has sent gets its answer. What it has not
    /// sent comes back after a pause and a cancellation, and is pushed after a change of the rate. Tokens that are cancelled get no outcome; they are counted as ``CampaignOutcomes/cancelled``. Those that a
    /// worker that died may have sent end as `unknown`. What comes back to the queue later is held, too.
    ///
    /// - Returns: What is kept of the campaign.
    /// - Throws: `refused` if the queue has no such campaign, or if it was cancelled and the order is another one.
    @discardableResult
    func steer(_ order: CampaignOrder, campaign: CampaignName) async throws(QueueError) -> QueueCampaign

    /// Pauses the queue, lets it go on, or sets its rate. Running workers obey within a second or so, see
    /// ``QueueSteering``. An order that changes nothing is no error.
    ///
    /// - Returns: How the queue is steered from now on.
    @discardableResult
    func steer(_ order: SteeringOrder) async throws(QueueError) -> QueueSteering
}
