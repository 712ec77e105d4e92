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

    /// Removes entries that wait or are delayed. They get no outcome. What a worker has taken goes out, and so does what
    /// a worker that died may have sent: its tokens get their outcomes.
    func cancel(_ entries: [EntryID]) async throws(QueueError) -> Cancellation

    /// Pauses the queue, lets it go on, or sets its rate. Running workers obey within a second or so, see
    /// ``QueueSteering``. An order that changes nothing is no error.
    ///
    /// - Returns: How the queue is steered from now on.
    @discardableResult
    func steer(_ order: SteeringOrder) async throws(QueueError) -> QueueSteering
}
