import PushCampaign
import PushTerminal
import SupervisedPush

/// The totals of a run, for a person or for a script.
struct Summary: Sendable {
    var tally: Tally
    /// How many of them are from earlier runs.
    var earlier: Int
    var seconds: Double
    /// What is counted.
    var name: String

    init(_ tally: Tally, earlier: Int = 0, seconds: Double, of name: String = "records") {
        self.tally = tally
        self.earlier = earlier
        self.seconds = seconds
        self.name = name
    }

    /// As it is off a terminal.
    var text: String { text(.plain) }

    /// A line per outcome, with its most frequent reasons; then what was not retried, and why.
    func text(_ style: TerminalStyle) -> String {
        let ofEarlierRuns = earlier == 0 ? "" : "\(Figures.grouped(earlier)) by earlier runs, the rest "
        var rows = [
            (
                name: name, count: tally.total,
                note: ofEarlierRuns + Figures.pace(tally.total - earlier, seconds: seconds)
            )
        ]
        for outcome in PushOutcome.Kind.allCases {
            rows.append((outcome.rawValue, tally.count(of: outcome), tally.reasonsText(of: outcome)))
        }
        let column = CountTable.noteColumn(rows)
        var lines = CountTable.lines(rows).map { style.wrap($0, indent: column) }
        for (why, count) in tally.heldBack {
            lines.append(style.wrap("\(Figures.grouped(count)) not retried: \(why.sentence).", indent: 2))
        }
        return lines.joined(separator: "\n")
    }

    /// The same as one JSON object.
    var json: [UInt8] {
        var object = JSONLine()
        add(to: &object)
        return object.line
    }

    /// Adds the counts of a tally to an object.
    static func add(_ tally: Tally, as name: String, to object: inout JSONLine) {
        object.add(name, tally.total)
        for outcome in PushOutcome.Kind.allCases { object.add(outcome.rawValue, tally.count(of: outcome)) }
        for outcome in PushOutcome.Kind.allCases where !tally.reasons(of: outcome).isEmpty {
            object.add("\(outcome.rawValue)_reasons", tally.reasons(of: outcome).map { ($0.reason, $0.count) })
        }
        if !tally.heldBack.isEmpty { object.add("not_retried", tally.heldBack.map { ($0.why.rawValue, $0.count) }) }
    }

    /// Adds its members to an object.
    func add(to object: inout JSONLine) {
        Self.add(tally, as: name, to: &object)
        if earlier > 0 { object.add("earlier", earlier) }
        object.add("seconds", seconds: seconds)
    }
}
