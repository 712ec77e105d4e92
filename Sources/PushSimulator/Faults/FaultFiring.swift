/// One time a rule took effect: that it did, where, and what it hit.
public struct FaultFiring: Sendable, Hashable {
    /// The rule.
    public let rule: FaultRule.ID
    /// The rule's name, if it has one.
    public let name: String?
    /// The connection.
    public let connection: ConnectionID
    /// The number of the push on its connection, from 1; nil where the rule waited for none.
    public let push: Int?
    /// The push's HTTP/2 stream; nil where the rule waited for none.
    public let stream: Int32?
    /// Pushes on the connection that had arrived, at least their headers, and had no answer yet, the push itself included.
    public let openPushes: Int
    /// When, from the simulator's first start.
    public let time: Duration
}
