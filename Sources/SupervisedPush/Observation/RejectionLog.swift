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

/// Notices that APNs rejects most pushes: a wrong topic, environment or payload, which nobody may look at. It warns once a
/// minute while more than half of the answers of the last minute are rejections.
struct RejectionAlarm {
    /// The answers of the last minute.
    struct Warning: Equatable {
        var answers = 0
        var rejections: [String: Int] = [:]

        var rejected: Int { rejections.values.reduce(0, +) }
    }

    private static let minute = Duration.seconds(60)
    /// Answers leave the last minute in portions of this length.
    private static let portion = Duration.seconds(10)

    private var portions: [(begin: MonotonicInstant, sum: Warning)] = []
    private var lastWarning: MonotonicInstant?

    /// For tests.
    var portionCount: Int { portions.count }

    /// Adds the answers of a burst.
    ///
    /// - Parameters:
    ///   - accepted: How many pushes were accepted.
    ///   - rejections: How many were rejected, for each reason.
    /// - Returns: What to warn of, if it is time.
    mutating func add(accepted: Int, rejections: [String: Int], _ now: MonotonicInstant) -> Warning? {
        guard accepted > 0 || !rejections.isEmpty else { return nil }
        if portions.last.map({ $0.begin.duration(to: now) >= Self.portion }) ?? true {
            portions.append((now, Warning()))
        }
        let last = portions.count - 1
        portions[last].sum.answers += accepted
        guard !rejections.isEmpty else {
            // Without rejections nothing else looks at them.
            if portions.count > 7 { portions.removeFirst() }
            return nil
        }
        for (reason, count) in rejections {
            portions[last].sum.answers += count
            portions[last].sum.rejections[reason, default: 0] += count
        }
        portions.removeAll { $0.begin.duration(to: now) >= Self.minute }
        if let lastWarning, lastWarning.duration(to: now) < Self.minute { return nil }
        let sum = portions.reduce(into: Warning()) { sum, portion in
            sum.answers += portion.sum.answers
            sum.rejections.merge(portion.sum.rejections, uniquingKeysWith: +)
        }
        guard sum.rejected * 2 > sum.answers else { return nil }
        lastWarning = now
        return sum
    }
}
