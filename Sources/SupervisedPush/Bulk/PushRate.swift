import ProcessRuntime

/// How many pushes may go out in a given time.
///
/// They are spread evenly over it. After a pause, a tenth of a second's worth plus one may go out at once, so that
/// small delays do not lower the rate.
public struct PushRate: Sendable, Hashable, CustomStringConvertible {
    /// How many in one `period`. At least 1, at most one billion (10⁹).
    public let pushes: Int
    /// The time for this many pushes. At least a millisecond, at most a day.
    public let period: Duration

    /// This many pushes in a period. Values out of range are replaced by the nearest one in it.
    public init(_ pushes: Int, per period: Duration = .seconds(1)) {
        self.pushes = min(max(pushes, 1), 1_000_000_000)
        self.period = min(max(period, .milliseconds(1)), .seconds(86_400))
    }

    /// This many pushes a second.
    public static func perSecond(_ pushes: Int) -> Self { Self(pushes) }

    /// For example `100 per 1.0 seconds`.
    public var description: String { "\(pushes) per \(period)" }
}

/// A token bucket: a push takes a token, and tokens arrive at a ``PushRate``.
///
/// It counts in whole numbers, so that nothing is lost over a million pushes: a token has as many units as its period
/// has nanoseconds, and each nanosecond adds as many units as the period has tokens.
struct RateLimit: Sendable, Equatable {
    /// How many tokens to wait for: ten milliseconds' worth, so that a high rate does not need a timer per push.
    let quantum: Int
    private let unitsPerToken: Int64
    private let unitsPerNanosecond: Int64
    private let capacity: Int64
    private var units: Int64
    private var filledAt: MonotonicInstant

    /// A bucket that holds one token.
    init(_ rate: PushRate, _ now: MonotonicInstant) {
        unitsPerToken = rate.period.saturatedNanoseconds
        unitsPerNanosecond = Int64(rate.pushes)
        quantum = max(1, Int(unitsPerNanosecond * 10_000_000 / unitsPerToken))
        capacity = unitsPerToken + unitsPerNanosecond * 100_000_000
        units = unitsPerToken
        filledAt = now
    }

    /// How many tokens are available.
    mutating func available(_ now: MonotonicInstant) -> Int {
        fill(now)
        return Int(max(0, units) / unitsPerToken)
    }

    /// Takes tokens. Taking more than are available leaves a debt.
    mutating func take(_ tokens: Int, _ now: MonotonicInstant) {
        fill(now)
        units -= Int64(tokens) * unitsPerToken
    }

    /// When this many tokens will be available, at most as many as the bucket holds.
    mutating func instant(of tokens: Int, _ now: MonotonicInstant) -> MonotonicInstant {
        fill(now)
        let missing = min(Int64(tokens) * unitsPerToken, capacity) - units
        guard missing > 0 else { return now }
        return now.advanced(by: .nanoseconds((missing + unitsPerNanosecond - 1) / unitsPerNanosecond))
    }

    private mutating func fill(_ now: MonotonicInstant) {
        let passed = filledAt.duration(to: now).saturatedNanoseconds
        guard passed > 0 else { return }
        filledAt = now
        let missing = capacity - units
        // Compared before multiplying, so that a pause of years does not overflow.
        units = passed > missing / unitsPerNanosecond ? capacity : units + passed * unitsPerNanosecond
    }
}
