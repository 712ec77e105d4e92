import PushTerminal

/// Prints a walk as it goes: the verdict of each layer once it is decided, then the whole.
struct DoctorPrinter {
    private let isJSON: Bool
    private let style = TerminalStyle.standardOutput
    private let waiting = WaitingLine()
    /// How many layers were decided.
    private var decided = 0
    private var hasTitle = false

    init(isJSON: Bool) { self.isJSON = isJSON }

    /// Prints what is decided now, and what the walk waits for.
    mutating func show(_ facts: DoctorFacts) throws(CommandError) {
        guard let trial = facts.trial else { return }
        try print(Diagnosis(facts), facts, upTo: trial.layer.decidedBefore.count)
        let limit = Figures.tenths(trial.limit / .seconds(1))
        waiting.show("\(trial.layer.rawValue): waiting for \(facts.endpoint), up to \(limit) s".onOneLine)
    }

    /// Prints the rest.
    mutating func end(_ facts: DoctorFacts, _ duration: Duration) throws(CommandError) -> ExitStatus {
        let diagnosis = Diagnosis(facts)
        try print(diagnosis, facts, upTo: DoctorLayer.allCases.count)
        if isJSON {
            try OutputFile.standardOutput.write(DoctorReport.json(diagnosis, facts: facts, after: duration))
        } else {
            try write(DoctorReport.end(diagnosis, style))
        }
        return diagnosis.status
    }

    private mutating func print(_ diagnosis: Diagnosis, _ facts: DoctorFacts, upTo count: Int) throws(CommandError) {
        waiting.clear()
        if !hasTitle, !isJSON { try write(DoctorReport.title(facts, style) + "\n") }
        hasTitle = true
        let hidden = diagnosis.hidden
        while decided < count {
            let verdict = diagnosis.verdicts[decided]
            decided += 1
            if isJSON {
                try OutputFile.standardOutput.write(DoctorReport.json(verdict))
            } else if !hidden.contains(verdict.layer) {
                try write(DoctorReport.text(verdict, style) + "\n")
            }
        }
    }

    private func write(_ text: String) throws(CommandError) { try OutputFile.standardOutput.write(Array(text.utf8)) }
}
