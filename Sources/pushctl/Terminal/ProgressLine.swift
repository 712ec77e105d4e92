/// Renders progress from counts and the time, and decides when to. Knows no terminal or clock.
struct ProgressLine: Sendable {
    enum Style: Sendable {
        /// One line that updates itself several times a second.
        case live(width: Int)
        /// A line every few seconds, for logs.
        case plain
        case none

        init(_ mode: ProgressMode, isTerminal: Bool, width: Int) {
            switch mode {
            case .auto: self = isTerminal ? .live(width: width) : .none
            case .plain: self = .plain
            case .none: self = .none
            }
        }

        /// Seconds between two lines.
        var interval: Double {
            switch self {
            case .live: 0.2
            case .plain: 5
            case .none: .infinity
            }
        }
    }

    struct Counts: Sendable, Equatable {
        var tally = Tally()
        var inFlight = 0
        /// The bytes read of the input; a pipe's size is unknown.
        var bytesRead: UInt64 = 0
        var size: UInt64?
        /// Once the run was asked to end: how many seconds it waits for pushes in flight.
        var secondsToStop: Double?

        init() {}
    }

    private let style: Style
    private var last: (seconds: Double, settled: Int)?
    private var rate = 0.0
    private var isOnScreen = false

    init(_ style: Style) {
        self.style = style
    }

    /// The text to write at `seconds` since the start; nil if it is too early or progress is off.
    mutating func render(_ counts: Counts, at seconds: Double) -> String? {
        if let last, seconds - last.seconds < style.interval { return nil }
        measure(counts.tally.total, at: seconds)
        let line = text(counts, at: seconds)
        switch style {
        case .none: return nil
        case .plain: return line + "\n"
        case .live(let width):
            isOnScreen = true
            // Moves to the first column and erases the line. A line as wide as the terminal would wrap.
            return "\r\u{1B}[2K" + line.shortened(to: max(1, width - 2))
        }
    }

    /// The text that removes the live line, so that other lines can be written; empty if there is none.
    mutating func erase() -> String {
        guard isOnScreen else { return "" }
        isOnScreen = false
        last = nil
        return "\r\u{1B}[2K"
    }

    private mutating func measure(_ settled: Int, at seconds: Double) {
        if let last, seconds > last.seconds {
            let now = Double(settled - last.settled) / (seconds - last.seconds)
            // Smoothed, so that the estimate does not jump with every burst.
            rate = rate == 0 ? now : 0.7 * rate + 0.3 * now
        } else if seconds > 0 {
            rate = Double(settled) / seconds
        }
        last = (seconds, settled)
    }

    private func text(_ counts: Counts, at seconds: Double) -> String {
        let tally = counts.tally
        var parts = ["\(Figures.grouped(tally.total)) done"]
        if let left = counts.secondsToStop {
            // Nothing is read any more, so there is no rate and no share.
            parts.append("stopping, up to \(Figures.clock(left))")
        } else {
            parts.append("\(Figures.grouped(Int(rate.rounded())))/s")
        }
        if counts.secondsToStop == nil, let share = share(counts) {
            parts.append("\(Int(share * 100))%")
            let remaining = share > 0 ? seconds * (1 - share) / share : .infinity
            parts.append("ETA \(Figures.clock(remaining))")
        }
        parts.append("\(Figures.grouped(counts.inFlight)) in flight")
        for outcome in [OutcomeRow.Outcome.rejected, .failed, .unknown] where tally.count(of: outcome) > 0 {
            parts.append("\(Figures.grouped(tally.count(of: outcome))) \(outcome.rawValue)")
        }
        return parts.joined(separator: "  ")
    }

    /// Bytes read, minus those of pushes that have not ended, relative to the size.
    private func share(_ counts: Counts) -> Double? {
        guard let size = counts.size, size > 0, counts.bytesRead > 0 else { return nil }
        let read = Double(counts.tally.total + counts.inFlight)
        let settled = read > 0 ? Double(counts.tally.total) / read : 0
        return min(1, Double(counts.bytesRead) / Double(size) * settled)
    }
}
