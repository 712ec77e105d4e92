/// An entry that a worker has: no other worker gets it, unless this one dies.
public struct TakenEntry: Sendable {
    /// Up to this many tokens, an entry is offered as a whole: that it is taken says that all of it may be sent. Of a
    /// larger one, a worker stores how far it is offered, in slices of as many tokens.
    package static let wholeOffer = 256

    /// The store's name for it.
    public let key: Key
    /// What is stored; an error if it cannot be read.
    public let entry: Result<QueueEntry, QueueError>
    /// How many of its tokens, from the first, may have been sent by an earlier worker that died, or have ended. Those
    /// from here on were never sent.
    public let offered: Int
    /// Which of its tokens have an outcome.
    public let settled: TokenSet
    /// How often it was in doubt: a worker died that may have sent a part of it.
    public let doubts: Int

    /// How often its tokens were postponed because APNs asked for it.
    public let retries: Int
    /// Why nothing more of it is pushed, because of its campaign: an entry of a paused one goes back; of a cancelled one, the tokens
    /// in doubt end as `unknown`, and ``Settlement/Fate/cancelled`` ends it. Nil: it is pushed.
    public let hold: QueueCampaign.Hold?

    /// Makes a taken entry; by default a fresh one.
    public init(
        _ key: Key, _ entry: Result<QueueEntry, QueueError>, offered: Int = 0, settled: TokenSet = TokenSet(),
        doubts: Int = 0, retries: Int = 0, hold: QueueCampaign.Hold? = nil
    ) {
        self.key = key
        self.entry = entry
        self.offered = offered
        self.settled = settled
        self.doubts = doubts
        self.retries = retries
        self.hold = hold
    }
}
