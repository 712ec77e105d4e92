import PushCampaign
import PushTerminal
import SupervisedPush

/// How a campaign stands, in text that stays: a line for a log, and a snapshot of several lines.
enum StatusText {
    /// The figures in a line.
    static func line(_ status: RunStatus) -> FittingLine {
        var line = FittingLine()
        if let put = status.put {
            if let hindrance = put.hindrance { line.add(hindrance.onOneLine, rank: .always) }
            line.add(put.text, rank: .vital)
        }
        let awaitsOutcomes = status.put?.awaitsOutcomes != false
        if awaitsOutcomes { line.add("\(Figures.grouped(status.done)) done", rank: .vital) }
        if let stopping = status.stopping {
            line.add("stopping, up to \(Figures.wait(stopping.seconds))", rank: .important)
        } else {
            line.add("\(Figures.grouped(Int(status.rate.rounded())))/s", rank: .useful)
        }
        if status.stopping == nil, let share = status.share { line.add("\(Int(share * 100))%", rank: .important) }
        if let estimate = status.estimate { line.add("ETA \(Figures.clock(estimate))", rank: .useful) }
        if let put = status.put, put.invalid > 0 { line.add("\(Figures.grouped(put.invalid)) invalid", rank: .useful) }
        guard awaitsOutcomes else { return line }
        if status.put == nil { line.add("\(Figures.grouped(status.inFlight)) in flight", rank: .note) }
        if status.waiting > 0 { line.add("\(Figures.grouped(status.waiting)) waiting", rank: .note) }
        if status.tally.rejected > 0 { line.add("\(Figures.grouped(status.tally.rejected)) rejected", rank: .useful) }
        line.add("\(Figures.grouped(status.tally.failed)) failed", rank: .always)
        line.add("\(Figures.grouped(status.tally.unknown)) unknown", rank: .always)
        if status.put == nil { line.add(status.links.text, rank: .detail) }
        return line
    }

    /// A line for a log, whole, with the time.
    static func logLine(_ status: RunStatus, at time: String) -> String {
        "\(time) " + line(status).spans(columns: .max).map(\.text).joined()
    }

    /// The same as a line of JSON.
    static func record(_ status: RunStatus) -> LogLine {
        let tally = status.tally
        let text = line(status).spans(columns: .max).map(\.text).joined()
        var fields: [LogLine.Field]
        if let put = status.put {
            fields = [
                .init("tokens", .count(put.tokens)), .init("entries", .count(put.entries)),
                .init("invalid", .count(put.invalid)),
            ]
        } else {
            fields = [
                .init("done", .count(tally.total)), .init("in_flight", .count(status.inFlight)),
                .init("waiting", .count(status.waiting)),
            ]
        }
        fields += PushOutcome.Kind.allCases.map { .init($0.rawValue, .count(tally.count(of: $0))) }
        fields.append(.init("rate", .number(status.rate)))
        let isBroken = status.put.map { $0.hindrance != nil } ?? status.links.isBroken
        return LogLine(text, isBroken ? .warning : .info, fields)
    }

    /// What SIGUSR1 prints.
    static func snapshot(_ status: RunStatus, at time: String) -> String {
        var pace = ["\(Figures.grouped(Int(status.rate.rounded())))/s"]
        if let share = status.share { pace.append("\(Int(share * 100))% of the input") }
        if let estimate = status.estimate { pace.append("ETA \(Figures.clock(estimate))") }
        if let stopping = status.stopping { pace.append("stopping, up to \(Figures.wait(stopping.seconds))") }
        var underWay: [String] = []
        if status.waiting > 0 { underWay.append("\(Figures.grouped(status.waiting)) more wait to be written") }
        if status.held > 0 {
            underWay.append("\(Figures.grouped(status.held)) have timed out and may still be answered")
        }
        var rows: [CountTable.Row] = [("records", status.tally.total, pace.joined(separator: ", "))]
        for outcome in PushOutcome.Kind.allCases {
            rows.append((outcome.rawValue, status.tally.count(of: outcome), status.tally.reasonsText(of: outcome)))
        }
        rows.append(("in flight", status.inFlight, underWay.joined(separator: "; ")))
        let cause = status.links.downFor == nil ? nil : status.links.cause.map { ": " + $0.onOneLine }
        let lines = CountTable.lines(rows) + ["links      \(status.links.text)\(cause ?? "")"]
        return "pushctl: \(time), after \(Figures.clock(status.seconds)), \(status.links.endpoint.onOneLine)\n"
            + lines.joined(separator: "\n")
    }
}

/// Names, counts and notes, one below the other.
enum CountTable {
    typealias Row = (name: String, count: Int, note: String)

    static func lines(_ rows: [Row]) -> [String] {
        let width = rows.map { Figures.grouped($0.count).count }.max() ?? 0
        return rows.map { row in
            let number = Figures.grouped(row.count)
            let padding = String(repeating: " ", count: max(1, 11 - row.name.count + width - number.count))
            return "\(row.name)\(padding)\(number)\(row.note.isEmpty ? "" : "  \(row.note)")"
        }
    }

    /// Where notes begin.
    static func noteColumn(_ rows: [Row]) -> Int {
        13 + (rows.map { Figures.grouped($0.count).count }.max() ?? 0)
    }
}
