/// What happens to a connection when its owner's mailbox is closed or released.
///
/// From then on, fire-and-forget pushes that would have been handed back to that mailbox are counted in the log.
public struct OwnerPolicy: Sendable, Hashable {
    /// How long the connection may continue; nil: without limit.
    let limit: Duration?

    /// The connection continues. The default.
    public static let keep = Self(limit: nil)

    /// The connection is closed, as by `PushConnection.close(within:)`, within 10 s.
    public static let close = Self.close(within: .seconds(10))

    /// The connection is closed, as by `PushConnection.close(within:)`: waiting pushes are still sent and pushes in
    /// flight may finish, until the time is over. Its other subscribers get `down` with the reason normal.
    public static func close(within time: Duration) -> Self { Self(limit: time) }
}
