import FoundationEssentials
import SupervisedPush

/// How the push to one device token of an entry ended: a `PushOutcome` with its place. Each token gets one. A token of a
/// cancelled entry gets none, and a requeued dead letter can add another.
///
/// The members of the outcome are its own: `outcome.kind`, `outcome.status`.
@dynamicMemberLookup
public struct QueueOutcome: Sendable, Hashable {
    /// The entry.
    public let entry: EntryID
    /// The token's position in the entry, from 0.
    public let index: Int
    /// The token.
    public let token: DeviceToken
    /// The campaign of the entry; nil if it has none, and in rows that a version before this one stored.
    public let campaign: CampaignName?
    /// How the push ended, and when. Rows that a version before this one stored do not say when.
    public let outcome: PushOutcome

    /// Makes an outcome.
    public init(
        entry: EntryID, index: Int, token: DeviceToken, campaign: CampaignName? = nil, _ outcome: PushOutcome
    ) {
        self.entry = entry
        self.index = index
        self.token = token
        self.campaign = campaign
        self.outcome = outcome
    }

    /// A member of the outcome.
    public subscript<Value>(dynamicMember member: KeyPath<PushOutcome, Value>) -> Value { outcome[keyPath: member] }

    /// Whether the token should be removed if it was registered at this time: see `PushOutcome`.
    public func invalidates(registeredAt date: Date?) -> Bool { outcome.invalidates(registeredAt: date) }
}
