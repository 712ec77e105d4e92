import ProcessRuntime

/// Sums up rejections for the log: a line a second at most, which says how many there were for each reason.
struct RejectionLog {
    /// How long after a line the next one comes at the earliest.
    static let pause = Duration.seconds(1)

    private var reasons: [String: Int] = [:]
    private var lastLine: MonotonicInstant?

    /// What the next line says; nil if it is too early for one. What it leaves out stands in a later line.
    mutating func note(_ rejections: [String: Int], _ now: MonotonicInstant) -> [String: Int]? {
        reasons.merge(rejections, uniquingKeysWith: +)
        if let lastLine, lastLine.duration(to: now) < Self.pause { return nil }
        return takeRest(now)
    }

    /// What no line has said yet; nil for nothing.
    mutating func takeRest(_ now: MonotonicInstant) -> [String: Int]? {
        guard !reasons.isEmpty else { return nil }
        lastLine = now
        defer { reasons = [:] }
        return reasons
    }
}
