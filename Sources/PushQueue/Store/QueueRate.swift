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
        let ahead = Self.ahead(stored, now, atMost: window)
        let granted = min(wanted, Int(((window - ahead) / step + 1e-6).rounded(.down)))
        let after = ahead + Double(granted) * step
        stored = now &+ Int64(after)
        guard granted == 0, wanted > 0 else { return PushPermit(tokens: granted) }
        // Not for each token by itself: a call for a quarter of the burst costs the same.
        let enough = Double(min(wanted, max(1, burst / 4))) * step
        return PushPermit(tokens: 0, wait: .nanoseconds(Int64(max(1, after + enough - window))))
    }

    // MARK: Whole entries

    /// In how many nanoseconds it is worth asking for a token again; 0 if one is permitted.
    ///
    /// By then, a quarter of the burst is permitted. Otherwise all workers would wake for each single token.
    ///
    /// - Parameters:
    ///   - stored: When all that was charged would have been pushed, in nanoseconds since 1970; 0 at first.
    ///   - now: The time, in nanoseconds since 1970.
    package func wait(stored: Int64, now: Int64) -> Int64 {
        let (step, window) = (nanosecondsPerToken, nanosecondsPerToken * Double(burst))
        let ahead = Self.ahead(stored, now, atMost: mostAhead)
        let enough = Double(max(1, burst / 4)) * step
        return (window - ahead) / step + 1e-6 >= 1 ? 0 : Int64((ahead + enough - window).rounded(.up))
    }

    /// Charges an entry as a whole, once ``wait(stored:now:)`` is over. One that has more tokens than are permitted is charged
    /// with all of them, so the rate is kept on average.
    package func charge(_ tokens: Int, stored: inout Int64, now: Int64) {
        let ahead = Self.ahead(stored, now, atMost: mostAhead)
        stored = now &+ Int64(ahead + Double(max(0, tokens)) * nanosecondsPerToken)
    }

    /// The instant that counts in place of one that lies too far ahead. A store keeps it: else that one would count until its time
    /// has come.
    ///
    /// - Parameter isNew: Whether the rate was just set. Then no more than a burst was charged. Otherwise the instant may lie ahead
    ///   by the tokens of the largest entry beyond the burst; one further ahead comes from a clock that has been set back.
    package func bounded(_ stored: Int64, isNew: Bool = false, now: Int64) -> Int64 {
        min(stored, now &+ Int64(isNew ? nanosecondsPerToken * Double(burst) : mostAhead))
    }

    private var mostAhead: Double { nanosecondsPerToken * Double(burst + QueueEntry.tokenCounts.upperBound) }

    /// Differences of large numbers: as a Double, a time since 1970 is exact to 256 ns only.
    private static func ahead(_ stored: Int64, _ now: Int64, atMost most: Double) -> Double {
        min(max(0, Double(stored &- now)), most)
    }
}

extension QueueRate: Codable {
    /// Reads what `encode(to:)` has written. A number out of its range becomes the nearest one in it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            perSecond: try container.decode(Double.self, forKey: .perSecond),
            burst: try container.decode(Int.self, forKey: .burst))
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
