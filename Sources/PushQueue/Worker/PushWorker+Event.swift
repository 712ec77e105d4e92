import SupervisedPush

extension PushWorker {
    /// Something about a worker that an operator may want to know.
    @nonexhaustive public enum Event: Sendable {
        /// It got entries of a worker that died. So many of their tokens may have been sent.
        case tookOver(from: WorkerID, entries: Int, tokensInDoubt: Int)
        /// An entry was made a dead letter, and why. The entry is nil if it cannot be read.
        case deadLetter(entry: EntryID?, reason: String)
        /// Another worker has taken over this many of its entries: its heartbeats came too late.
        case lostEntries(Int)
        /// The store does not answer. Sent once, until ``storeBack(after:)``.
        case storeUnreachable(QueueError)
        /// The store answers again; `after` is the time since its last answer. Sent once every kind of call that had failed
        /// (heartbeat, wait, other) has succeeded.
        case storeBack(after: Duration)
        /// A call to the store failed although the store answered: it refused, it has no room, or it is damaged. Sent
        /// at the first failure with each code, and once a minute while such failures go on. The call is repeated.
        case storeFailed(QueueError)
        /// The queue is not in its store any more, for example after FLUSHALL. The entries that waited are lost. What the
        /// worker has pushed gets its outcomes on Redis. In a file that was removed or replaced, it gets none.
        case queueLost(QueueError)
        /// Ten seconds have passed since the last heartbeat that was acknowledged. Nothing is pushed until the next one.
        case leaseLost
        /// APNs refuses what all pushes share, or does not serve. Nothing is pushed but a probe now and then. Sent when the
        /// pause begins, and for each probe that is refused.
        case paused(PushPause)
        /// The pause is over.
        case resumed
        /// The queue was paused, goes on, or has another rate, see ``PushQueueProducer/steer(_:)``.
        case steered(QueueSteering)
    }
}
