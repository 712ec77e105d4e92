import PushSimulator
import PushTerminal
import SupervisedPush

/// The end of the demo: what the client knows, what the server counted, and whether they agree.
struct DemoTable {
    let pushed: Int
    let tally: DemoTally
    let server: Ledger.Snapshot
    /// Apns-ids that the server accepted twice.
    let doubled: Int
    let feedback: Int
    let seconds: Double

    /// Every push has one outcome, and the server's counts agree: each push that was answered must be there, and every
    /// other push there must be one of the unknown.
    var addsUp: Bool {
        let answered = tally[.delivered] + tally[.rejected]
        return tally.total == pushed && doubled == 0
            && (tally[.delivered]...tally[.delivered] + tally[.unknown]).contains(server.accepted)
            && (tally[.rejected]...tally[.rejected] + tally[.unknown]).contains(server.refused)
            && (answered...answered + tally[.unknown]).contains(server.pushes)
    }

    var text: String { text(.plain) }

    func text(_ style: TerminalStyle) -> String {
        var lines = ["", "outcome     pushes   what it means"]
        lines.append(row("delivered", count: tally[.delivered], note: "APNs accepted it" + reasons(.delivered)))
        lines.append(row("rejected", count: tally[.rejected], note: "APNs refused it" + reasons(.rejected)))
        lines.append(row("failed", count: tally[.failed], note: "certainly not delivered" + reasons(.failed)))
        lines.append(
            row("unknown", count: tally[.unknown], note: "written, but the answer was lost" + reasons(.unknown)))
        let sum = PushOutcome.Kind.allCases.map { Figures.grouped(tally[$0]) }
        let sign = tally.total == pushed ? "=" : "≠"
        lines.append(row("pushed", count: pushed, note: "\(sign) \(sum.joined(separator: " + "))"))
        lines.append("")
        lines.append(
            "The server's own ledger: \(figure(server.pushes)) processed = \(figure(server.accepted)) accepted"
                + " + \(figure(server.refused)) refused.")
        lines.append(unknownText)
        lines.append(
            "Accepted twice: \(figure(doubled)). What was certainly not processed was pushed again automatically;"
                + " what may have been processed was not.")
        lines.append("Feedback: \(figure(feedback)) device tokens to remove, each with its time.")
        lines.append(addsUp ? "It adds up, \(Figures.pace(pushed, seconds: seconds))." : "It does NOT add up.")
        // The table's notes begin in column 21; sentences at the margin.
        return lines.map { style.wrap($0, indent: $0.contains("   ") ? 21 : 2) + "\n" }.joined()
    }

    var json: [UInt8] {
        var object = JSONLine()
        object.add("pushed", pushed)
        object.add("delivered", tally[.delivered])
        object.add("rejected", tally[.rejected])
        object.add("failed", tally[.failed])
        object.add("unknown", tally[.unknown])
        for outcome in PushOutcome.Kind.allCases where !tally.reasons(of: outcome).isEmpty {
            object.add("\(outcome.rawValue)_reasons", tally.reasons(of: outcome).map { ($0.reason, $0.count) })
        }
        object.add("server_processed", server.pushes)
        object.add("server_accepted", server.accepted)
        object.add("server_refused", server.refused)
        object.add("accepted_twice", doubled)
        object.add("feedback", feedback)
        object.add("adds_up", addsUp)
        object.add("seconds", seconds: seconds)
        return object.line
    }

    private var unknownText: String {
        let processed = server.pushes - tally[.delivered] - tally[.rejected]
        guard tally[.unknown] > 0 else { return "Nothing is unknown: every push was answered." }
        return "Of the \(figure(tally[.unknown])) unknown the server had processed \(figure(processed)):"
            + " the client cannot know, so it says so and resends none."
    }

    private func reasons(_ kind: PushOutcome.Kind) -> String {
        let reasons = tally.reasons(of: kind).map { "\($0.reason) \(figure($0.count))" }
        return reasons.isEmpty ? "" : ": " + reasons.joined(separator: ", ")
    }

    private func row(_ name: String, count: Int, note: String) -> String {
        let number = figure(count)
        return name + String(repeating: " ", count: max(1, 18 - name.count - number.count)) + number + "   " + note
    }

    private func figure(_ number: Int) -> String { Figures.grouped(number) }
}

/// How the demo's pushes ended, and for which reasons.
struct DemoTally: Sendable {
    private var counts: [PushOutcome.Kind: Int] = [:]
    private var reasons: [PushOutcome.Kind: [String: Int]] = [:]

    subscript(_ kind: PushOutcome.Kind) -> Int { counts[kind, default: 0] }
    var total: Int { counts.values.reduce(0, +) }

    mutating func count(_ outcome: PushOutcome) {
        counts[outcome.kind, default: 0] += 1
        if let reason = outcome.reason { reasons[outcome.kind, default: [:]][reason, default: 0] += 1 }
    }

    /// The reasons of an outcome, the most frequent first.
    func reasons(of kind: PushOutcome.Kind) -> [(reason: String, count: Int)] {
        reasons[kind, default: [:]].map { (reason: $0.key, count: $0.value) }
            .sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
    }
}
