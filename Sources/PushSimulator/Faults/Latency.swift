/// How long answers take.
public struct Latency: Sendable, Hashable {
    /// The shortest and the longest time; each answer's is drawn between them, evenly, from the connection's seeded generator.
    public let range: ClosedRange<Duration>

    /// Every answer takes this long.
    public static func fixed(_ duration: Duration) -> Latency { Latency(duration...duration) }

    /// Every answer takes a time of its own in this range, so that they come in another order than their pushes.
    public init(_ range: ClosedRange<Duration>) { self.range = range }

    func draw(_ generator: inout SplitMix64) -> Int64 {
        let lower = Self.nanoseconds(range.lowerBound)
        let upper = Self.nanoseconds(range.upperBound)
        return lower == upper ? lower : Int64.random(in: lower...upper, using: &generator)
    }

    private static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max / 4 : max(0, min(whole, .max / 4) + attoseconds / 1_000_000_000)
    }
}
