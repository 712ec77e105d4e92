import PushCampaign
import PushTerminal

/// How a queue and this process's work on it stand.
struct QueueFigures: Equatable, Sendable {
    /// How many entries wait; nil if the queue does not answer.
    var waiting: Int? = 0
    var taken = 0
    var inFlight = 0
    /// The outcomes that the queue has from this process.
    var delivered = 0
    var rejected = 0
    var failed = 0
    var unknown = 0
    /// Why nothing is taken, such as `paused`; nil if something is.
    var state: String?
    /// Whether it is worked on. A queue that could not be opened has no figures.
    var isWorking = true

    /// How many pushes have ended.
    var settled: Int { delivered + rejected + failed + unknown }

    mutating func set(_ tally: Tally) {
        (delivered, rejected, failed, unknown) = (tally.delivered, tally.rejected, tally.failed, tally.unknown)
    }

    /// The line of a log.
    ///
    /// - Parameter rate: How many pushes ended a second.
    func line(of queue: String, rate: Double) -> LogLine {
        guard isWorking else { return LogLine("pushctl: \(state ?? "")".onOneLine, .warning, queue: queue) }
        let counts = [
            (waiting, "waiting"), (taken, "taken"), (inFlight, "in flight"), (delivered, "delivered"),
            (rejected, "rejected"), (failed, "failed"), (unknown, "unknown"),
        ]
        let figures = counts.map { "\($0.map(Figures.grouped) ?? "–") \($1)" }
        let text = figures.joined(separator: ", ") + ", \(Figures.grouped(Int(rate.rounded())))/s"
        var fields: [LogLine.Field] = counts.map { .init($1 == "in flight" ? "in_flight" : $1, .count($0)) }
        fields.append(.init("rate", .number(rate)))
        let isSuspended = state.map { $0 != Self.paused } ?? false
        return LogLine(
            "pushctl: \(state.map { "\($0); " } ?? "")\(text)".onOneLine, isSuspended ? .warning : .info, queue: queue,
            fields)
    }

    static let paused = "paused"
}

/// Decides when a queue has a line, which it has only if something changed since the last one.
struct QueueProgress: Sendable {
    private var told = QueueFigures()
    private var before: (settled: Int, seconds: Double) = (0, 0)

    /// The line that is due now; nil if nothing changed.
    ///
    /// - Parameter seconds: The time since the run began.
    mutating func line(_ figures: QueueFigures, of queue: String, at seconds: Double) -> LogLine? {
        let time = seconds - before.seconds
        let rate = time > 0 ? Double(figures.settled - before.settled) / time : 0
        before = (figures.settled, seconds)
        guard figures != told else { return nil }
        told = figures
        return figures.line(of: queue, rate: rate)
    }
}
