/// How often a child may be restarted before its supervisor gives it up, and the delay of each restart.
///
/// By default three restarts in any 60 seconds, after 0, 1 and 2 seconds. The supervisor gives the child up at the
/// fourth end in that time. So a child that fails once restarts at once, and one that keeps failing does not restart
/// endlessly.
public struct RestartIntensity: Sendable, Hashable {
    /// How many restarts a period may hold. With 0, the first end is final.
    public let limit: Int
    /// The length of the sliding window.
    public let period: Duration
    /// The delays of the first, second, … restart in a window. The last one also applies to all later restarts.
    public let delays: [Duration]

    /// Three in 60 seconds, after 0, 1 and 2 seconds.
    public static let standard = RestartIntensity(
        unchecked: 3, period: .seconds(60), delays: [.zero, .seconds(1), .seconds(2)])

    /// Creates an intensity whose limit can be reached.
    ///
    /// - Parameters:
    ///   - limit: How many restarts a period may hold; 0 or more.
    ///   - period: The length of the window; more than zero.
    ///   - delays: The delays of the restarts in a window; none is negative. If empty, restarts are not delayed.
    /// - Throws: ``InvalidRestartIntensity`` if a value is out of range, or if the delays of `limit` restarts fill the
    ///   whole period: a child that fails at each start would then never exceed the limit, and would restart endlessly.
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

    /// The delay of restart number `count` in a window, counted from 1.
    func delay(ofRestart count: Int) -> Duration {
        delays.isEmpty ? .zero : delays[min(max(count, 1), delays.count) - 1]
    }

    /// Whether the delays of `limit` restarts together are shorter than `period`. Adds only the listed delays one by
    /// one, however large the limit is.
    private func waitsLess(than period: Duration) -> Bool {
        guard let last = delays.last else { return true }
        var listed = Duration.zero
        for delay in delays.prefix(limit) {
            // Compare before adding, so that the sum cannot overflow.
            guard delay < period - listed else { return false }
            listed += delay
        }
        let repeats = max(0, limit - delays.count)
        return repeats == 0 || last == .zero || (period - listed) / last > Double(repeats)
    }
}

/// A restart intensity is invalid.
public struct InvalidRestartIntensity: Error, Hashable, CustomStringConvertible {
    /// A sentence that says what is wrong.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The restarts of one child within its window.
package struct RestartHistory: Sendable {
    private let intensity: RestartIntensity
    private var restarts: [MonotonicInstant] = []

    package init(_ intensity: RestartIntensity) {
        self.intensity = intensity
    }

    /// Records a restart and returns its delay; nil if the limit is reached and the child must be given up.
    package mutating func recordRestart(at now: MonotonicInstant) -> Duration? {
        restarts.removeAll { $0.duration(to: now) > intensity.period }
        guard restarts.count < intensity.limit else { return nil }
        restarts.append(now)
        return intensity.delay(ofRestart: restarts.count)
    }

    /// How many restarts were in the window at the last call of `recordRestart`.
    package var count: Int { restarts.count }
}
