/// A record of a rule that took effect: where it did, and what it affected.
public struct FaultFiring: Sendable, Hashable {
    /// The rule.
    public let rule: FaultRule.ID
    /// The rule's name, if it has one.
    public let name: String?
    /// The connection.
    public let connection: ConnectionID
    /// The number of the push on its connection, from 1; nil if the rule was not triggered by a push.
    public let push: Int?
    /// The HTTP/2 stream of the push; nil if the rule was not triggered by a push.
    public let stream: Int32?
    /// How many pushes on the connection were open: at least their headers had arrived, and they had no answer yet.
    /// Includes the push itself.
    public let openPushes: Int
    /// When it took effect, counted from the simulator's first start.
    public let time: Duration
}

/// The circumstances in which a rule may take effect.
struct FaultMoment {
    let connection: ConnectionID
    var push: Int?
    var stream: Int32?
    var openPushes = 0
    /// Counted from the first start.
    let time: Duration
    /// Whether the random draw succeeded.
    var isDrawn = true
}
