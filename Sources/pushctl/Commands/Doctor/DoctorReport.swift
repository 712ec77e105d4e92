/// A diagnosis as text for a person, or as JSON lines for a script.
struct DoctorReport {
    private let diagnosis: Diagnosis
    private let facts: DoctorFacts
    private let duration: Duration

    init(_ facts: DoctorFacts, _ duration: Duration) {
        self.facts = facts
        self.duration = duration
        diagnosis = Diagnosis(facts)
    }

    var status: ExitStatus { diagnosis.status }

    var text: String {
        let way = facts.proxy.map { " through \($0)" } ?? ""
        var lines = [
            "\(facts.endpoint)\(way); the push goes to a device that does not exist, so nothing is delivered".onOneLine
        ]
        for verdict in diagnosis.verdicts {
            let word = Self.word(verdict.verdict)
            let time = verdict.duration.map { "\(Self.milliseconds($0)) ms" } ?? ""
            let columns = [
                Self.padded(verdict.layer.rawValue, 11), Self.padded(word, 8),
                String(repeating: " ", count: max(0, 12 - time.count)) + time,
            ]
            lines.append("\(columns.joined())  \(verdict.detail.onOneLine)")
        }
        return lines.joined(separator: "\n") + "\n\n\(diagnosis.explanation.onOneLine)\n"
    }

    var json: [UInt8] {
        var bytes: [UInt8] = []
        for verdict in diagnosis.verdicts {
            Self.line(
                verdict.layer.rawValue, verdict.verdict.rawValue, verdict.duration, verdict.detail, verdict.advice
            ).append(to: &bytes)
        }
        let failure = diagnosis.firstFailure
        let overall: LayerVerdict.Verdict =
            failure != nil ? .fail : facts.signal != nil ? .skipped : diagnosis.warning?.verdict ?? .ok
        let advice = (failure ?? diagnosis.warning)?.advice
        var line = Self.line("overall", overall.rawValue, duration, diagnosis.explanation, advice)
        line.add("first_failure", failure?.layer.rawValue)
        line.add("exit_status", diagnosis.status.rawValue)
        line.append(to: &bytes)
        return bytes
    }

    /// Problems must be easy to see.
    private static func word(_ verdict: LayerVerdict.Verdict) -> String {
        switch verdict {
        case .ok, .skipped: verdict.rawValue
        case .warning: "WARN"
        case .fail: "FAIL"
        }
    }

    private static func line(
        _ layer: String, _ verdict: String, _ duration: Duration?, _ detail: String, _ advice: String?
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

    static func milliseconds(_ duration: Duration) -> String { Figures.tenths(duration / .milliseconds(1)) }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
