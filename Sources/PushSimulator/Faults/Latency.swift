import ProcessRuntime

/// How long answers take.
public struct Latency: Sendable, Hashable {
    /// The shortest and the longest time. Each answer's time is drawn uniformly between them, from the seeded generator
    /// of its connection.
    public let range: ClosedRange<Duration>

    /// Every answer takes this long.
    public static func fixed(_ duration: Duration) -> Latency { Latency(duration...duration) }

    /// Every answer takes its own time in this range, so answers arrive in a different order than their pushes.
    public init(_ range: ClosedRange<Duration>) { self.range = range }

    func draw(_ generator: inout SeededGenerator) -> Int64 {
        let lower = Self.nanoseconds(range.lowerBound)
        let upper = Self.nanoseconds(range.upperBound)
        return lower == upper ? lower : Int64.random(in: lower...upper, using: &generator)
    }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        min(max(0, duration.saturatedNanoseconds), .max / 4)
    }
}

/// Sends bytes slowly, a few at a time.
public struct Dribble: Sendable, Hashable {
    /// How many bytes to send at once; at least 1.
    public var bytes: Int
    /// The time between two pieces.
    public var interval: Duration

    /// Creates a dribble that sends `bytes` at once, one piece per interval.
    public init(bytes: Int, every interval: Duration) {
        self.bytes = bytes
        self.interval = interval
    }
}
