import PushTerminal

/// The text for a person, and the JSON lines for a script.
enum DoctorReport {
    // MARK: Text

    /// The line above the layers.
    static func title(_ facts: DoctorFacts, _ style: TerminalStyle) -> String {
        let way = facts.proxy.map { " through \($0)" } ?? ""
        let what = facts.hasCredential ? "; the push goes to a device that does not exist, so nothing is delivered" : ""
        return style.wrap("\(facts.endpoint)\(way)\(what)".onOneLine, indent: 0)
    }

    static func text(_ verdict: some NamedVerdict, _ style: TerminalStyle) -> String {
        let time = verdict.duration.map { "\(milliseconds($0)) ms" } ?? ""
        let columns = [
            Span(padded(verdict.name, 11)), Span(padded(word(verdict.verdict), 8), tone(verdict.verdict)),
            Span(String(repeating: " ", count: max(0, 10 - time.count)) + time + "  "),
        ]
        return style.row(columns, text: verdict.detail.onOneLine)
    }

    /// What stands below the layers.
    static func end(_ diagnosis: Diagnosis, _ style: TerminalStyle) -> String {
        var text = ""
        if !diagnosis.hidden.isEmpty {
            let names = diagnosis.hidden.map(\.rawValue).joined(separator: ", ")
            text = style.wrap("not tested: \(names)", indent: 12) + "\n"
        }
        for paragraph in diagnosis.explanation(withDetails: false).split(separator: "\n") {
            text += "\n" + style.wrap(paragraph.onOneLine, indent: 0) + "\n"
        }
        return text
    }

    /// Problems must be easy to see.
    private static func word(_ verdict: LayerVerdict.Verdict) -> String {
        switch verdict {
        case .ok, .skipped: verdict.rawValue
        case .warning: "WARN"
        case .fail: "FAIL"
        }
    }

    private static func tone(_ verdict: LayerVerdict.Verdict) -> Tone {
        switch verdict {
        case .ok: .good
        case .warning: .warning
        case .fail: .bad
        case .skipped: .dim
        }
    }

    static func milliseconds(_ duration: Duration) -> String { Figures.tenths(duration / .milliseconds(1)) }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    // MARK: JSON

    static func json(_ verdict: some NamedVerdict) -> [UInt8] {
        line(
            verdict.name, verdict: verdict.verdict.rawValue, after: verdict.duration, detail: verdict.detail,
            advice: verdict.advice
        ).line
    }

    /// The line for the whole.
    static func json(_ diagnosis: Diagnosis, facts: DoctorFacts, after duration: Duration) -> [UInt8] {
        let failure = diagnosis.firstFailure
        let overall: LayerVerdict.Verdict =
            failure != nil ? .fail : facts.signal != nil ? .skipped : diagnosis.warning?.verdict ?? .ok
        let advice = (failure ?? diagnosis.warning)?.advice
        return json(
            overall: overall, after: duration, explanation: diagnosis.explanation(withDetails: true), advice: advice,
            firstFailure: failure?.layer.rawValue,
            status: diagnosis.status
        )
    }

    /// The line for the whole of any examination.
    static func json(
        overall: LayerVerdict.Verdict, after duration: Duration, explanation: String, advice: String?,
        firstFailure: String?, status: ExitStatus
    ) -> [UInt8] {
        var line = line(
            "overall", verdict: overall.rawValue, after: duration, detail: explanation.onOneLine, advice: advice)
        line.add("first_failure", firstFailure)
        line.add("exit_status", status.rawValue)
        return line.line
    }

    private static func line(
        _ layer: String, verdict: String, after duration: Duration?, detail: String, advice: String?
    ) -> JSONLine {
        var line = JSONLine()
        line.add("layer", layer)
        line.add("verdict", verdict)
        // With three decimals, as seconds have.
        line.add("milliseconds", seconds: duration.map { $0 / .milliseconds(1) } ?? .infinity)
        line.add("detail", detail)
        line.add("advice", advice)
        return line
    }
}
