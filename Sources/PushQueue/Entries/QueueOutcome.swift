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
    /// How the push ended. Stores do not keep when.
    public let outcome: PushOutcome

    /// Makes an outcome.
    public init(entry: EntryID, index: Int, token: DeviceToken, _ outcome: PushOutcome) {
        self.entry = entry
        self.index = index
        self.token = token
        self.outcome = outcome
    }

    /// A member of the outcome.
    public subscript<Value>(dynamicMember member: KeyPath<PushOutcome, Value>) -> Value { outcome[keyPath: member] }

    /// Whether the token should be removed if it was registered at this time: see `PushOutcome`.
    public func invalidates(registeredAt date: Date?) -> Bool { outcome.invalidates(registeredAt: date) }
}
