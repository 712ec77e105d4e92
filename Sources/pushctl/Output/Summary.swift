/// The totals of a run, for a person or for a script.
struct Summary: Sendable {
    var tally: Tally
    var seconds: Double

    init(_ tally: Tally, seconds: Double) {
        self.tally = tally
        self.seconds = seconds
    }

    /// A line per outcome, with its most frequent reasons; then what was not retried, and why.
    var text: String {
        let numbers = [tally.total] + OutcomeRow.Outcome.allCases.map(tally.count(of:))
        let width = numbers.map { Figures.grouped($0).count }.max() ?? 0
        var lines = [row("records", tally.total, width, Figures.pace(tally.total, seconds: seconds))]
        for outcome in OutcomeRow.Outcome.allCases {
            let reasons = tally.reasons(of: outcome)
            var notes = reasons.prefix(5).map { "\($0.reason) \(Figures.grouped($0.count))" }
            if reasons.count > 5 { notes.append("…") }
            lines.append(row(outcome.rawValue, tally.count(of: outcome), width, notes.joined(separator: ", ")))
        }
        for (why, count) in tally.heldBack { lines.append("\(Figures.grouped(count)) not retried: \(why.sentence).") }
        return lines.joined(separator: "\n")
    }

    /// The same as one JSON object.
    var json: [UInt8] {
        var object = JSONLine()
        object.add("records", tally.total)
        for outcome in OutcomeRow.Outcome.allCases { object.add(outcome.rawValue, tally.count(of: outcome)) }
        for outcome in OutcomeRow.Outcome.allCases where !tally.reasons(of: outcome).isEmpty {
            object.add("\(outcome.rawValue)_reasons", tally.reasons(of: outcome).map { ($0.reason, $0.count) })
        }
        if !tally.heldBack.isEmpty { object.add("not_retried", tally.heldBack.map { ($0.why.rawValue, $0.count) }) }
        object.add("seconds", seconds: seconds)
        return object.line
    }

    private func row(_ name: String, _ count: Int, _ width: Int, _ note: String) -> String {
        let number = Figures.grouped(count)
        let padding = String(repeating: " ", count: 11 - name.count + width - number.count)
        return "\(name)\(padding)\(number)\(note.isEmpty ? "" : "  \(note)")"
    }
}
