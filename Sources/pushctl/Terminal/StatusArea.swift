import PushCampaign
import PushTerminal
import SupervisedPush

/// The lines at the bottom of a terminal that show how a campaign stands. Knows no terminal or clock.
struct StatusArea {
    let status: RunStatus
    private let style: TerminalStyle
    /// The last column stays empty, because some terminals begin a new line there.
    private let columns: Int

    init(_ status: RunStatus, _ style: TerminalStyle) {
        self.status = status
        self.style = style
        columns = max(1, (style.columns ?? 80) - 1)
    }

    /// As many lines as leave one of the terminal's rows for what is said meanwhile. In a low terminal the most urgent
    /// ones are there.
    func lines(rows: Int) -> [String] {
        let most = max(1, rows - 1)
        guard most > 1 else { return [render(inOneLine)] }
        let inOrder: [(line: FittingLine, urgency: Int)] = [
            (progress, isUndisturbed ? 1 : 3), (status.put.map(counts) ?? outcomes, 0),
            (status.put.map(queue) ?? links, status.isUndisturbed ? 2 : 1),
            (hint, status.stopping != nil ? 1 : 4),
        ]
        let chosen = inOrder.enumerated().sorted { ($0.element.urgency, $0.offset) < ($1.element.urgency, $1.offset) }
            .prefix(most).map(\.offset).sorted()
        return chosen.map { render(inOrder[$0].line) }
    }

    private var isUndisturbed: Bool { status.stopping == nil && status.isUndisturbed }

    private func render(_ line: FittingLine) -> String {
        let spans = line.spans(columns: columns)
        let width = spans.reduce(0) { $0 + $1.text.columns }
        // Only what must stay is there, and it still does not fit.
        guard width <= columns else { return spans.map(\.text).joined().cut(toColumns: columns, mark: "~") }
        return style.paint(style.isUTF8 ? spans : spans.map { Span($0.text.inASCII, $0.tone) })
    }

    // MARK: Lines

    /// Bar, share, count, rate, estimate.
    private var progress: FittingLine {
        var line = FittingLine()
        if let share = status.share {
            line.add(
                .init(
                    bar(share, columns: 40, rank: .ornament), bar(share, columns: 24, rank: .detail),
                    bar(share, columns: 12, rank: .note)))
            line.add("\(Int(share * 100))%", rank: .vital, tone: .loud)
        }
        line.add(
            "\(Figures.grouped(status.done)) \(status.put?.awaitsOutcomes == false ? "put" : "done")", rank: .always)
        if status.stopping == nil {
            let rate = "\(Figures.grouped(Int(status.rate.rounded())))/s"
            var forms = [60, 30, 15].filter { $0 < status.rates.count * 2 }.map { columns in
                FittingLine.Part.Form(
                    [Span(rate + " "), Span(curve(columns), .dim)], rank: columns == 15 ? .detail : .ornament)
            }
            forms.append(.init(rate, rank: .important))
            line.add(.init(forms))
        }
        if let estimate = status.estimate { line.add("ETA \(Figures.clock(estimate))", rank: .important) }
        line.add("after \(Figures.clock(status.seconds))", rank: .detail, tone: .dim)
        return line
    }

    private func bar(_ share: Double, columns: Int, rank: FittingLine.Rank) -> FittingLine.Part.Form {
        .init(ProgressBar.spans(share, columns: columns, isUTF8: style.isUTF8), rank: rank)
    }

    private func curve(_ columns: Int) -> String {
        Sparkline.text(status.rates, columns: columns, isUTF8: style.isUTF8)
    }

    /// Each outcome with its reasons.
    var outcomes: FittingLine {
        var line = FittingLine()
        line.add(outcome(.delivered, tone: .plain, ranks: (.detail, .important)))
        line.add(outcome(.rejected, tone: .warning, ranks: (.detail, .vital)))
        line.add(outcome(.failed, tone: .bad, ranks: (.note, .always)))
        line.add(outcome(.unknown, tone: .bad, ranks: (.note, .always)))
        return line
    }

    /// - Parameter ranks: Of its reasons, and of its count.
    private func outcome(
        _ outcome: PushOutcome.Kind, tone: Tone, ranks: (reasons: FittingLine.Rank, count: FittingLine.Rank)
    ) -> FittingLine.Part {
        let count = status.tally.count(of: outcome)
        let text = Span("\(Figures.grouped(count)) \(outcome.rawValue)", count > 0 ? tone : .plain)
        guard !status.tally.reasons(of: outcome).isEmpty else { return .init(.init([text], rank: ranks.count)) }
        func form(_ most: Int) -> FittingLine.Part.Form {
            .init([text, Span(": " + status.tally.reasonsText(of: outcome, most: most))], rank: ranks.reasons)
        }
        return .init([form(3), form(1), .init([text], rank: ranks.count)])
    }

    /// What is under way, and over which links.
    private var links: FittingLine {
        var line = FittingLine()
        let (standing, tone) = (status.links, status.links.isBroken ? Tone.bad : .plain)
        if let cause = standing.cause, standing.downFor != nil {
            line.add(
                .init(
                    .init([Span(standing.text, tone), Span(": " + cause.onOneLine)], rank: .ornament),
                    .init(standing.text, rank: .always, tone: tone)))
        } else {
            line.add(standing.text, rank: .always, tone: tone)
        }
        if let wait = standing.nextAttempt, standing.downFor == nil {
            line.add("next attempt in \(Figures.wait(wait))", rank: .useful, tone: .warning)
        }
        if status.inFlight > 0 || status.waiting == 0 {
            line.add("\(Figures.grouped(status.inFlight)) in flight", rank: .vital)
        }
        if status.waiting > 0 { line.add("\(Figures.grouped(status.waiting)) waiting", rank: .important) }
        if status.held > 0 { line.add("\(Figures.grouped(status.held)) timed out, may be answered", rank: .useful) }
        line.add("to \(standing.endpoint.onOneLine)", rank: .detail, tone: .dim)
        return line
    }

    /// What Ctrl-C does now.
    private var hint: FittingLine {
        if let put = status.put { return hint(put) }
        var line = FittingLine()
        guard let stopping = status.stopping else {
            line.add("Ctrl-C: stop reading and drain", rank: .always, tone: .dim)
            return line
        }
        guard !stopping.isLeaving else {
            line.add("leaving: what is in flight becomes unknown", rank: .always, tone: .warning)
            return line
        }
        let pushes = "\(Figures.grouped(stopping.underWay)) push\(stopping.underWay == 1 ? "" : "es")"
        let time = "up to \(Figures.wait(stopping.seconds))"
        let again = stopping.signal == .interrupt ? "once more Ctrl-C" : "another signal"
        line.add(
            .init(
                .init(
                    "stopping: \(pushes) under way, \(time); \(again) leaves without waiting", rank: .vital,
                    tone: .warning),
                .init("stopping: \(pushes), \(time); \(again) leaves", rank: .vital, tone: .warning),
                .init("stopping: \(pushes), \(time)", rank: .always, tone: .warning)))
        return line
    }

    /// For a terminal that has room for one.
    private var inOneLine: FittingLine { StatusText.line(status) }
}

extension String {
    /// The text with a `?` for each other character, and `~` for an ellipsis.
    fileprivate var inASCII: String {
        allSatisfy(\.isASCII) ? self : reduce(into: "") { $0 += $1.isASCII ? String($1) : $1 == "…" ? "~" : "?" }
    }
}
