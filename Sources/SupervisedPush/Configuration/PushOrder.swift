/// In which order pushes go out.
public struct PushOrder: Sendable, Hashable, CustomStringConvertible {
    private let isPerDevice: Bool

    /// Requests leave one link in the order in which one caller called; what is sent again goes before what waits. APNs
    /// handles them at the same time, so that nothing is promised about the order in which devices get them. The
    /// default.
    public static let byCall = Self(isPerDevice: false)
    /// One push in flight per device token: a later push to the same device waits, in call order, until the earlier one
    /// has its outcome, resends and retries included. Pushes to other devices do not wait for it. For broadcasts the
    /// same holds per channel.
    ///
    /// It holds among the pushes of one connection that ask for it. An earlier push that ended `unknown` may still
    /// reach the device after the later one; what waits counts against the connection's bounds and has its own
    /// deadline.
    public static let perDevice = Self(isPerDevice: true)

    /// The order's name: `by call` or `per device`.
    public var description: String { isPerDevice ? "per device" : "by call" }
}
