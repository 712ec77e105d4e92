import ProcessRuntime

/// How many streams of a link may be reset: a hundred in a burst, twenty a second after that. Servers answer rapid
/// resets with GOAWAY.
struct ResetBudget {
    static let burst = 100
    static let interval = Duration.milliseconds(50)

    /// When the bucket is full again.
    private var fullAt: MonotonicInstant

    init(now: MonotonicInstant) { fullAt = now }

    /// Takes one reset from the budget; false if it is empty.
    mutating func take(_ now: MonotonicInstant) -> Bool {
        guard nextAvailable <= now else { return false }
        fullAt = max(fullAt, now).advanced(by: Self.interval)
        return true
    }

    /// When the next one can be taken.
    var nextAvailable: MonotonicInstant { fullAt.advanced(by: Self.interval * -(Self.burst - 1)) }

    /// How many can be taken now.
    func available(_ now: MonotonicInstant) -> Int {
        guard fullAt > now else { return Self.burst }
        let missing = Int(clamping: Int64(now.duration(to: fullAt) / Self.interval)) + 1
        return nextAvailable <= now ? max(1, Self.burst - missing) : 0
    }
}
