/// How many pushes may go out in a time.
///
/// They are spread over it evenly. After a pause a tenth of a second's worth, and one more, may go out at once, so that
/// small delays do not lower the rate; never more.
public struct PushRate: Sendable, Hashable, CustomStringConvertible {
    /// How many in one `period`. At least 1 and at most a thousand million.
    public let pushes: Int
    /// The time in which so many may go out. At least a millisecond and at most a day.
    public let period: Duration

    /// So many pushes in a time; values out of range count as the nearest one in it.
    public init(_ pushes: Int, per period: Duration = .seconds(1)) {
        self.pushes = min(max(pushes, 1), 1_000_000_000)
        self.period = min(max(period, .milliseconds(1)), .seconds(86_400))
    }

    /// So many pushes a second.
    public static func perSecond(_ pushes: Int) -> Self { Self(pushes) }

    /// For example `100 per 1.0 seconds`.
    public var description: String { "\(pushes) per \(period)" }
}
