/// How often a child may be restarted before its supervisor gives it up, and how long each restart waits.
///
/// By default three restarts in any 60 seconds, after 0, 1 and 2 seconds; with the fourth end in that time the child
/// is given up. A child that failed is so started again at once, one that keeps failing is not started for ever.
public struct RestartIntensity: Sendable, Hashable {
    /// How many restarts a period may hold. 0: the first end is the last.
    public let limit: Int
    /// The length of the window that slides along with each restart.
    public let period: Duration
    /// How long the first, second, … restart of a window waits. Beyond the last one, the last one holds.
    public let delays: [Duration]

    /// Three in 60 seconds, after 0, 1 and 2 seconds.
    public static let standard = RestartIntensity(
        unchecked: 3, period: .seconds(60), delays: [.zero, .seconds(1), .seconds(2)])

    /// An intensity that can give up.
    ///
    /// - Parameters:
    ///   - limit: How many restarts a period may hold; 0 or more.
    ///   - period: The length of the window; more than zero.
    ///   - delays: How long the restarts of a window wait; none negative. Empty: not at all.
    /// - Throws: ``InvalidRestartIntensity`` if a value is out of range, or if the delays of `limit` restarts take
    ///   the whole period: then a child that fails at each start would never exceed the limit, and be started for ever.
    public init(
        limit: Int = 3, period: Duration = .seconds(60), delays: [Duration] = [.zero, .seconds(1), .seconds(2)]
    ) throws(InvalidRestartIntensity) {
        guard limit >= 0 else { throw InvalidRestartIntensity("the limit \(limit) is negative") }
        guard period > .zero else { throw InvalidRestartIntensity("the period \(period) is not positive") }
        guard delays.allSatisfy({ $0 >= .zero }) else { throw InvalidRestartIntensity("a delay is negative") }
        self.init(unchecked: limit, period: period, delays: delays)
        guard waitsLess(than: period) else {
            throw InvalidRestartIntensity(
                "the delays of \(limit) restarts do not fit into the period \(period): the limit could not be exceeded")
        }
    }

    private init(unchecked limit: Int, period: Duration, delays: [Duration]) {
        self.limit = limit
        self.period = period
        self.delays = delays
    }

    /// How long restart number `count` of a window waits, counted from 1.
    func delay(ofRestart count: Int) -> Duration {
        delays.isEmpty ? .zero : delays[min(max(count, 1), delays.count) - 1]
    }

    /// Whether the delays of `limit` restarts together stay below `period`. However large the limit is, only the
    /// listed delays are added one by one.
    private func waitsLess(than period: Duration) -> Bool {
        guard let last = delays.last else { return true }
        var listed = Duration.zero
        for delay in delays.prefix(limit) {
            // Compared before it is added, so that no sum runs over.
            guard delay < period - listed else { return false }
            listed += delay
        }
        let repeats = max(0, limit - delays.count)
        return repeats == 0 || last == .zero || (period - listed) / last > Double(repeats)
    }
}

/// A restart intensity that makes no sense.
public struct InvalidRestartIntensity: Error, Hashable, CustomStringConvertible {
    /// What is wrong, in words.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
