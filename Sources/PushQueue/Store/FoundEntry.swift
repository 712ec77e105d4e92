import FoundationEssentials
import SupervisedPush

/// Where a push to a device token is that has no outcome yet, see ``PushQueueReader/entries(with:limit:)``.
public struct FoundEntry: Sendable, Hashable {
    /// Where an entry is.
    @nonexhaustive public enum Place: Sendable, Hashable {
        /// It waits for a worker, or for its campaign, which is paused.
        case waiting
        /// It waits for this time, which its producer gave.
        case scheduled(until: Date)
        /// It waits for this time, because APNs wants it later.
        case retrying(until: Date)
        /// A worker has it.
        case taken(by: WorkerID)
        /// It is a dead letter, with its reason.
        case dead(String)
    }

    /// The entry.
    public let id: EntryID
    /// The token's position in the entry, from 0.
    public let index: Int
    /// The campaign of the entry; nil if it has none.
    public let campaign: CampaignName?
    /// Whether it is taken before others.
    public let isUrgent: Bool
    /// Where it is.
    public let place: Place

    /// Makes one, for a store of your own.
    public init(id: EntryID, index: Int, campaign: CampaignName? = nil, isUrgent: Bool = false, place: Place) {
        (self.id, self.index, self.campaign, self.isUrgent, self.place) = (id, index, campaign, isUrgent, place)
    }

    /// The first place of a token in an entry that has no outcome; nil if there is none.
    package init?(_ token: DeviceToken, in entry: Result<QueueEntry, QueueError>, settled: TokenSet, place: Place) {
        guard let entry = try? entry.get(),
            let index = entry.tokens.indices.first(where: { entry.tokens[$0] == token && !settled.contains($0) })
        else { return nil }
        self.init(id: entry.id, index: index, campaign: entry.campaign, isUrgent: entry.isUrgent, place: place)
    }
}
