import PushTerminal

/// How a queue of a worker stands, in a word.
enum QueueState: String, Sendable {
    case working, paused
    case noLink = "no link"
    case noHeartbeat = "no heartbeat"
    case suspended

    /// How urgently someone should look at it.
    var trouble: Int {
        switch self {
        case .working: 0
        case .paused: 1
        case .noLink: 2
        case .noHeartbeat: 3
        case .suspended: 4
        }
    }

    var tone: Tone {
        switch self {
        case .working: .good
        case .paused: .warning
        default: .bad
        }
    }
}

/// The table at the bottom of a terminal while a worker runs: a row for each queue, and what is not well first. Knows no
/// terminal and no clock.
struct WorkerArea: Sendable {
    struct Row: Sendable {
        var queue: String
        var state: QueueState
        var figures: QueueFigures
        /// Pushes that ended a second.
        var rate: Double
    }

    /// A column: its title, its tone, and what a row has there.
    private struct Column: Sendable {
        let title: String
        var isNumber = true
        let text: @Sendable (Row) -> String
        var tone: @Sendable (Row) -> Tone = { _ in .plain }
    }

    private static let gap = "  "
    private static let longestName = 40

    let rows: [Row]
    /// Since the run began.
    let seconds: Double
    let isStopping: Bool

    /// As many lines as leave one of the terminal's rows for what is said meanwhile.
    func lines(_ style: TerminalStyle, height: Int) -> [String] {
        // The last column stays empty, because some terminals begin a new line there.
        let width = max(1, (style.columns ?? 80) - 1)
        let most = max(1, height - 1)
        guard most > 2 else { return Array([[head], [hint]].prefix(most)).map { render($0, style, columns: width) } }
        let sorted = rows.enumerated().sorted {
            (-$0.element.state.trouble, $0.offset) < (-$1.element.state.trouble, $1.offset)
        }.map(\.element)
        // Head, titles, hint, and the line that counts the rest.
        let room = sorted.count <= most - 3 ? sorted.count : max(0, most - 4)
        let table = Self.table(Array(sorted.prefix(room)), width: width)
        var lines = [[head]] + (room > 0 ? table : [])
        if room < sorted.count {
            lines.append([Span("… \(Figures.grouped(sorted.count - room)) more", .dim)])
        }
        lines.append([hint])
        return lines.map { render($0, style, columns: width) }
    }

    private func render(_ spans: [Span], _ style: TerminalStyle, columns width: Int) -> String {
        let shown = style.isUTF8 ? spans : spans.map { Span($0.text.replacingNonASCII, $0.tone) }
        guard shown.reduce(0, { $0 + $1.text.columns }) <= width else {
            return shown.map(\.text).joined().cut(toColumns: width, mark: "~")
        }
        return style.paint(shown)
    }

    // MARK: Around the table

    private var head: Span {
        let rate = Figures.grouped(Int(rows.reduce(0) { $0 + $1.rate }.rounded()))
        let unwell = rows.count { $0.state.trouble > QueueState.paused.trouble }
        let count = Figures.counted(rows.count, one: "queue", many: "queues")
        let trouble = unwell == 0 ? "" : ", \(Figures.grouped(unwell)) not well"
        return Span("\(count)\(trouble)  \(rate)/s  after \(Figures.clock(seconds))", unwell == 0 ? .loud : .bad)
    }

    private var hint: Span {
        guard !isStopping else { return Span("stopping: what is in flight gets its answer", .warning) }
        return Span("Ctrl-C: take nothing more and drain", .dim)
    }

    // MARK: The table

    private static let columns: [Column] = [
        Column(title: "QUEUE", isNumber: false, text: { $0.queue.onOneLine.shortened(to: WorkerArea.longestName) }),
        Column(title: "STATE", isNumber: false, text: { $0.state.rawValue }, tone: { $0.state.tone }),
        Column(title: "WAITING", text: { $0.figures.waiting.map(Figures.grouped) ?? "–" }),
        Column(title: "N/S", text: { Figures.grouped(Int($0.rate.rounded())) }),
        Column(title: "DELIVERED", text: { Figures.grouped($0.figures.delivered) }),
        Column(
            title: "REJECTED", text: { Figures.grouped($0.figures.rejected) },
            tone: { $0.figures.rejected > 0 ? .warning : .plain }),
        Column(title: "IN FLIGHT", text: { Figures.grouped($0.figures.inFlight) }),
    ]

    /// The titles and the rows, with as many columns as fit, and two at least.
    private static func table(_ rows: [Row], width: Int) -> [[Span]] {
        var shown: [(column: Column, width: Int)] = []
        var total = -gap.count
        for column in columns {
            let widest = rows.map { column.text($0).columns }.reduce(column.title.count, max)
            total += gap.count + widest
            guard total <= width || shown.count < 2 else { break }
            shown.append((column, widest))
        }
        let titles = shown.enumerated().map { index, part in
            Span(cell(part.column.title, part, isLast: index == shown.count - 1), .dim)
        }
        let lines = rows.map { row in
            shown.enumerated().map { index, part in
                Span(
                    cell(part.column.text(row), part, isLast: index == shown.count - 1), part.column.tone(row))
            }
        }
        return [titles] + lines
    }

    private static func cell(_ text: String, _ part: (column: Column, width: Int), isLast: Bool) -> String {
        let padding = String(repeating: " ", count: max(0, part.width - text.columns))
        let end = isLast ? "" : gap
        return part.column.isNumber ? padding + text + end : text + (isLast ? "" : padding) + end
    }
}

extension String {
    fileprivate var replacingNonASCII: String {
        allSatisfy(\.isASCII) ? self : String(map { $0.isASCII ? $0 : "?" })
    }
}
