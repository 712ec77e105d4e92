import FoundationEssentials
import SupervisedPush

/// What a worker tells the store of one entry: outcomes of its tokens, and what becomes of it.
public struct Settlement: Sendable {
    /// What becomes of the entry.
    public enum Fate: Sendable, Hashable {
        /// Each token has its outcome. The entry is deleted.
        case done
        /// Other tokens are still open. The worker keeps the entry.
        case open
        /// The tokens without an outcome are to be pushed again, not before this time. `retries` is stored, and told to
        /// who takes the entry next, see ``TakenEntry/retries``.
        case again(notBefore: Date, retries: Int = 0)
        /// The entry goes to the dead-letter list, with the reason: it cannot be read, or workers died with it.
        case dead(String)
        /// Its campaign was cancelled: the entry is deleted, and its tokens without an outcome get none. The store counts
        /// them as ``CampaignOutcomes/cancelled``.
        case cancelled
    }

    /// The entry.
    public let key: TakenEntry.Key
    /// The outcomes of tokens that had none.
    public let rows: [QueueOutcome]
    /// What becomes of it.
    public let fate: Fate
    /// The campaign of the entry, whose outcomes the store counts; nil if it has none.
    public let campaign: CampaignName?

    /// Makes a settlement.
    public init(_ key: TakenEntry.Key, rows: [QueueOutcome], fate: Fate, campaign: CampaignName? = nil) {
        self.key = key
        self.rows = rows
        self.fate = fate
        self.campaign = campaign
    }
}
