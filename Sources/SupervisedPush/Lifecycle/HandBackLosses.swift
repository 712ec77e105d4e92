import ProcessRuntime

/// Counts the pushes that no mailbox takes back, and says when to log them: at most one line a second, whatever their
/// number.
struct HandBackLosses {
    /// The content of a line.
    struct Line: Equatable {
        var notSent = 0
        var unprocessed = 0
        var unknown = 0
        /// The first of them, by number.
        var examples: [PushID] = []
        var count: Int { notSent + unprocessed + unknown }
    }

    static let interval = Duration.seconds(1)
    static let maxExamples = 10

    private var pending = Line()
    private var lastLine: MonotonicInstant?

    /// Counts a loss; returns the line to log, if it is due.
    mutating func note(_ batch: HandBackBatch, _ now: MonotonicInstant) -> Line? {
        for (record, certainty) in batch.pushes {
            switch certainty {
            case .notSent: pending.notSent += 1
            case .unprocessed: pending.unprocessed += 1
            case .unknown, .answered: pending.unknown += 1
            }
            if pending.examples.count < Self.maxExamples { pending.examples.append(record.id) }
        }
        if let lastLine, lastLine.duration(to: now) < Self.interval { return nil }
        lastLine = now
        return takeRest()
    }

    /// What was counted since the last line.
    mutating func takeRest() -> Line? {
        guard pending.count > 0 else { return nil }
        defer { pending = Line() }
        return pending
    }
}
