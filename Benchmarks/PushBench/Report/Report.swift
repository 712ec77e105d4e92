/// Lines of all rounds, and the tables made of them.
struct Report {
    private struct Key: Hashable {
        let figure: String
        let subject: String
        let value: String
    }

    private var samples: [Key: Samples] = [:]
    /// In the order in which they came first.
    private var rows: [(figure: String, subject: String)] = []

    mutating func add(_ line: FigureLine) {
        if !rows.contains(where: { $0 == (line.figure, line.subject) }) { rows.append((line.figure, line.subject)) }
        for (name, value) in line.values {
            samples[Key(figure: line.figure, subject: line.subject, value: name), default: Samples()]
                .add(value, round: line.round)
        }
    }

    /// Of all rounds; empty if it was not measured.
    func samples(_ figure: String, _ subject: String, _ value: String) -> Samples {
        samples[Key(figure: figure, subject: subject, value: value)] ?? Samples()
    }

    /// Each goal with what was measured; those that were not measured are left out.
    var goals: String {
        var lines = ["| figure | ours | h2load | ratio | must | aim | met |", "|---|---|---|---|---|---|---|"]
        for goal in Goal.all {
            let ours = samples(goal.figure, goal.subject, goal.value)
            guard !ours.isEmpty else { continue }
            let theirs = samples(goal.figure, "h2load", goal.value)
            let ratios = goal.baseline.map { ours.ratios(to: samples(goal.figure, $0, goal.value)) }
            let result = ratios ?? ours
            let verdict = result.isEmpty ? "" : goal.verdict(result.median)
            lines.append(
                "| \(goal.title) | \(ours.text) | \(theirs.text) | \(ratios?.text ?? "") | \(goal.bounds) | \(verdict) |"
            )
        }
        return lines.joined(separator: "\n")
    }

    /// In the order in which they came first.
    var figures: [String] {
        var seen: [String] = []
        for row in rows where !seen.contains(row.figure) { seen.append(row.figure) }
        return seen
    }

    func subjects(of figure: String) -> [String] { rows.filter { $0.figure == figure }.map(\.subject) }

    /// Everything that was measured: a table for each figure.
    var everything: String { figures.map(table).joined(separator: "\n\n") }

    private func table(_ figure: String) -> String {
        let values = Set(samples.keys.filter { $0.figure == figure }.map(\.value)).sorted()
        var lines = ["**\(figure)**", ""]
        lines.append("| | " + values.map { "`\($0)`" }.joined(separator: " | ") + " |")
        lines.append("|---|" + values.map { _ in "---|" }.joined())
        for subject in subjects(of: figure) {
            lines.append(
                "| \(subject) | " + values.map { samples(figure, subject, $0).text }.joined(separator: " | ") + " |")
        }
        return lines.joined(separator: "\n")
    }
}
