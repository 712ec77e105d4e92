/// Latencies by load.
extension Report {
    /// The shares of full load at which latencies were measured, the least first, and their figures: `paced at 95 %`.
    var shares: [(percent: Int, figure: String)] {
        let found = figures.compactMap { figure -> (percent: Int, figure: String)? in
            let words = figure.split(separator: " ")
            guard figure.hasPrefix("paced at "), words.count == 4, let percent = Int(words[2]) else { return nil }
            return (percent, figure)
        }
        return found.sorted { $0.percent < $1.percent }
    }

    /// A row for each share and client; nil if none was measured.
    var partLoad: String? {
        let columns = [
            ("pushes/s", "pushes_per_s"), ("refused", "refused"), ("p50, µs", "p50_us"), ("p99, µs", "p99_us"),
            ("made late, p99, µs", "late_p99_us"), ("CPU per push, µs", "cpu_us"), ("speed kept", "speed_kept"),
        ]
        var lines = [
            "| load | \(columns.map(\.0).joined(separator: " | ")) |", "|---|\(columns.map { _ in "---|" }.joined())",
        ]
        for (percent, figure) in shares {
            for subject in subjects(of: figure) {
                let cells = columns.map { samples(figure, subject, $0.1).text }
                lines.append("| \(percent) %, \(subject) | \(cells.joined(separator: " | ")) |")
            }
        }
        return shares.isEmpty ? nil : lines.joined(separator: "\n")
    }
}
