import ProcessRuntime

/// Sums up rejections for the log: at most one line a second, with the number for each reason.
struct RejectionLog {
    /// The shortest time between two lines.
    static let pause = Duration.seconds(1)

    private var reasons: [String: Int] = [:]
    private var lastLine: MonotonicInstant?

    /// The content of the next line; nil if it is too early for one. What it omits goes into a later line.
    mutating func add(_ rejections: [String: Int], _ now: MonotonicInstant) -> [String: Int]? {
        reasons.merge(rejections, uniquingKeysWith: +)
        if let lastLine, lastLine.duration(to: now) < Self.pause { return nil }
        return takeRest(now)
    }

    /// What no line has reported yet; nil if nothing.
    mutating func takeRest(_ now: MonotonicInstant) -> [String: Int]? {
        guard !reasons.isEmpty else { return nil }
        lastLine = now
        defer { reasons = [:] }
        return reasons
    }
}
