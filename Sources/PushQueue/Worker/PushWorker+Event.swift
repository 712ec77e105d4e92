extension PushWorker {
    /// Something about a worker that an operator may want to know.
    @nonexhaustive public enum Event: Sendable {
        /// It got entries of a worker that died. So many of their tokens may have been sent.
        case tookOver(from: WorkerID, entries: Int, tokensInDoubt: Int)
        /// An entry was made a dead letter, and why. The entry is nil if it cannot be read.
        case deadLetter(entry: EntryID?, reason: String)
        /// Another worker has taken over this many of its entries: its heartbeats came too late.
        case lostEntries(Int)
        /// The store does not answer. It is told once, until ``storeBack(after:)``.
        case storeAway(QueueError)
        /// The store answers again, so long after it last did.
        case storeBack(after: Duration)
        /// Ten seconds have passed since the last heartbeat that was acknowledged. Nothing is pushed until the next one.
        case leaseLost
    }
}
