import PushTerminal

/// What the verdicts of a queue mean together.
struct QueueDiagnosis: Sendable {
    let verdicts: [QueueVerdict]
    let status: ExitStatus
    private let signal: StopSignal?

    var failures: [QueueVerdict] { verdicts.filter { $0.verdict == .fail } }
    var warnings: [QueueVerdict] { verdicts.filter { $0.verdict == .warning } }

    init(_ facts: QueueFacts) {
        verdicts = QueueJudge(facts).verdicts
        signal = facts.signal
        let isToHear = facts.failsOnWarning && verdicts.contains { $0.verdict == .warning }
        status =
            facts.signal?.status ?? verdicts.first { $0.verdict == .fail }?.status
            ?? (isToHear ? .rejectedOrFailed : .success)
    }

    var overall: LayerVerdict.Verdict {
        !failures.isEmpty ? .fail : signal != nil ? .skipped : warnings.isEmpty ? .ok : .warning
    }

    var advice: String? { (failures.first ?? warnings.first)?.advice }

    /// What fails, what needs a look, and what to do: a line for each.
    ///
    /// - Parameter withDetails: Whether it repeats what the layers' own lines say.
    func explanation(withDetails: Bool) -> String {
        var lines: [String] = []
        for (number, failure) in failures.enumerated() {
            let which = number == 0 ? "The first layer that fails is" : "Apart from that, this fails:"
            lines.append(line("\(which) \(failure.name)", verdict: failure, withDetails: withDetails))
        }
        if failures.isEmpty {
            guard signal == nil else { return "The examination was ended before it was complete." }
            lines.append(warnings.isEmpty ? "All is well: the queue can be used." : "The queue can be used. But:")
        }
        for warning in warnings {
            lines.append(line("\(warning.name) needs a look", verdict: warning, withDetails: withDetails))
        }
        return lines.joined(separator: "\n")
    }

    private func line(_ beginning: String, verdict: QueueVerdict, withDetails: Bool) -> String {
        let end = verdict.detail.hasSuffix(".") ? "" : "."
        let text = withDetails ? "\(beginning): \(verdict.detail)\(end)" : "\(beginning)."
        return [text, verdict.advice].compactMap(\.self).joined(separator: " ")
    }

    /// The lines for a script.
    func json(_ duration: Duration) -> [UInt8] {
        verdicts.flatMap { DoctorReport.json($0) }
            + DoctorReport.json(
                overall: overall, after: duration, explanation: explanation(withDetails: true), advice: advice,
                firstFailure: failures.first?.name, status: status)
    }

    /// The lines for a person.
    func text(_ style: TerminalStyle) -> String {
        let isHidden = verdicts.first?.verdict == .fail
        var text = ""
        for verdict in verdicts where verdict.verdict != .skipped || !isHidden {
            text += DoctorReport.text(verdict, style) + "\n"
        }
        if isHidden {
            let names = verdicts.filter { $0.verdict == .skipped }.map(\.name).joined(separator: ", ")
            text += style.wrap("not tested: \(names)", indent: 12) + "\n"
        }
        text += "\n"
        for line in explanation(withDetails: false).split(separator: "\n") {
            text += style.wrap(line.description.onOneLine, indent: 0) + "\n"
        }
        return text
    }
}
