/// The order in which pushes go out.
public struct PushOrder: Sendable, Hashable, CustomStringConvertible {
    private let isPerDevice: Bool

    /// Requests go out over one link in the order of one caller's calls; resent pushes go before waiting ones. APNs
    /// handles them concurrently, so the order in which devices receive them is not guaranteed. The default.
    public static let byCall = Self(isPerDevice: false)
    /// One push in flight per device token. A later push to the same device waits, in call order, until the earlier one
    /// has its outcome, resends and retries included. Pushes to other devices do not wait for it. For broadcasts, the
    /// same applies per channel.
    ///
    /// This applies among the pushes of one connection that ask for it. An earlier push that ended `unknown` may still
    /// reach the device after the later one. Pushes that wait count against the connection's limits and have their own
    /// deadlines.
    public static let perDevice = Self(isPerDevice: true)

    /// The order's name: `by call` or `per device`.
    public var description: String { isPerDevice ? "per device" : "by call" }
}
