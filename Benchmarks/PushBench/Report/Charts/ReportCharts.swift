import FoundationEssentials

/// The charts of a report. What was not measured is left out.
struct ReportCharts {
    private let report: Report

    init(_ report: Report) { self.report = report }

    /// Writes each chart in each theme, as `cpu-light.svg`.
    func write(to folder: String) throws {
        let charts: [(name: String, chart: (any Chart)?)] = [("cpu", cpu), ("latency", latency)]
        let measured = charts.compactMap { name, chart in chart.map { (name, $0) } }
        guard !measured.isEmpty else { throw BenchError("no chart: the lines have neither the figure push nor paced") }
        let folder = URL(fileURLWithPath: folder, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, chart) in measured {
            for theme in Theme.all {
                let file = folder.appendingPathComponent("\(name)-\(theme.name).svg")
                try Data(chart.svg(theme).utf8).write(to: file)
            }
        }
    }

    private var cpu: (any Chart)? {
        let subjects = [
            ("completion", "supervised-push, completion form"), ("async", "supervised-push, async form"),
            ("personalised", "supervised-push, async, an alert for each"),
            ("pushctl bulk", "pushctl bulk, CSV to outcomes"), ("h2load", "h2load, a load generator in C"),
            ("aioapns", "aioapns, Python"),
        ]
        let others: Set = ["h2load", "aioapns"]
        let bars = subjects.compactMap { subject, label -> Bars.Bar? in
            let samples = report.samples("push", subject, "cpu_us")
            guard samples.median > 0 else { return nil }
            return Bars.Bar(label: label, value: samples.median, isOurs: !others.contains(subject))
        }
        guard !bars.isEmpty else { return nil }
        return Bars(
            title: "Processor time of the client per push",
            subtitle: "User and system time at full load on one connection, median of rounds; less is better",
            unit: "µs", bars: bars, baseline: "h2load, a load generator in C")
    }

    private var latency: (any Chart)? {
        let shares = report.shares.filter { report.samples($0.figure, "ours", "p50_us").median > 0 }
        guard shares.count > 1 else { return nil }
        let curve = { (name: String, value: String, colour: Colour) in
            Curves.Curve(
                name: name, colour: colour,
                microseconds: shares.map { (Double($0.percent), report.samples($0.figure, "ours", value).median) })
        }
        let full = report.samples("full load", "ours", "pushes_per_s")
        let most =
            full.isEmpty ? "" : " of \(Drawing.number((full.median / 1_000).rounded())),000 pushes a second"
        return Curves(
            title: "Latency of a push by load",
            subtitle:
                "From when a push is due to its answer, on one connection, on a logarithmic scale; less is better",
            axis: "load, as a share of the full load\(most)",
            curves: [curve("p50", "p50_us", .first), curve("p99", "p99_us", .second)])
    }
}
