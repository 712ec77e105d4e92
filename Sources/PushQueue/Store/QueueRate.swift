/// How many tokens all workers of a queue together push at most, on average and at once.
///
/// The rule is the generic cell rate algorithm (ITU-T I.371): a queue stores one instant, at which all that was permitted
/// would have been pushed at the rate.
public struct QueueRate: Sendable, Hashable {
    /// Tokens a second, from 0.001 to 10,000,000.
    public let perSecond: Double
    /// How many may be pushed at once after a pause; at least 1.
    public let burst: Int

    /// Makes a rate.
    ///
    /// - Parameters:
    ///   - perSecond: Tokens a second, from 0.001 to 10,000,000. A value outside this range becomes the
    ///     nearest one in it; NaN becomes 0.001.
    ///   - burst: How many may be pushed at once after a pause, from 1 to 1,000,000. Default: those of one second.
    public init(perSecond: Double, burst: Int? = nil) {
        let rate = perSecond.isNaN ? 0.001 : min(max(perSecond, 0.001), 10_000_000)
        self.perSecond = rate
        self.burst = min(max(1, burst ?? Int(rate.rounded(.up))), 1_000_000)
    }

    /// The time that one token takes, in nanoseconds.
    package var nanosecondsPerToken: Double { 1_000_000_000 / perSecond }

    /// Permits as many tokens as the rate allows now.
    ///
    /// - Parameters:
    ///   - tokens: How many are asked for.
    ///   - stored: When all that was permitted would have been pushed, in nanoseconds since 1970; 0 at first. A value
    ///     that lies further ahead than the burst comes from a clock that has been set back: it counts as that far ahead.
    ///   - now: The time, in nanoseconds since 1970.
    package func permit(_ tokens: Int, stored: inout Int64, now: Int64) -> PushPermit {
        let wanted = max(0, tokens)
        let step = nanosecondsPerToken
        let window = step * Double(burst)
        // Differences of large numbers: as a Double, a time since 1970 is exact to 256 ns only.
        let ahead = min(max(0, Double(stored &- now)), window)
        let granted = min(wanted, Int(((window - ahead) / step + 1e-6).rounded(.down)))
        let after = ahead + Double(granted) * step
        stored = now &+ Int64(after)
        guard granted == 0, wanted > 0 else { return PushPermit(tokens: granted) }
        // Not for each token by itself: a call for a quarter of the burst costs the same.
        let enough = Double(min(wanted, max(1, burst / 4))) * step
        return PushPermit(tokens: 0, wait: .nanoseconds(Int64(max(1, after + enough - window))))
    }
}

/// A queue's answer to a worker that requests permits.
public struct PushPermit: Sendable, Hashable {
    /// How many tokens may be pushed now, at most as many as were asked for.
    public let tokens: Int
    /// If there are none, when it is worth asking again.
    public let wait: Duration

    /// Makes a permit.
    public init(tokens: Int, wait: Duration = .zero) {
        self.tokens = tokens
        self.wait = wait
    }
}
