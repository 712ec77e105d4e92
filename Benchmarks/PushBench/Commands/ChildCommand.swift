import ArgumentParser

/// `PushBench child`: runs another client and measures it from outside, by what the kernel says at its end.
struct ChildCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "child", abstract: "Run another client and measure it as ours is measured.")

    @OptionGroup var line: LineOptions

    @Option(help: "The pushes it makes, for figures per push.")
    var pushes: Int

    @Option(help: "Where its output goes.")
    var output: String

    @Option(help: "A run of the same client with few pushes, as CPU microseconds: its start, which is taken off.")
    var startUp = 0.0

    @Option(help: "The most pushes a second that are possible, to say how close it came.")
    var limit: Double?

    @Option(help: "A file in which h2load writes how long each push took.")
    var latencies: String?

    @Argument(parsing: .captureForPassthrough, help: "The command.")
    var command: [String] = []

    func run() throws {
        let child = try Child(command, output: output)
        let end = try child.wait()
        guard end.status == 0 else {
            throw BenchError("\(child.name) ended with \(end.status): see \(output)")
        }
        let count = Double(max(1, pushes))
        var values = [
            "cpu_us": max(0, end.cpuMicroseconds - startUp) / count, "cpu_total_us": end.cpuMicroseconds,
            "system_us": end.systemMicroseconds / count, "peak_mib": Double(end.peakKiB) / 1_024,
            "threads": Double(end.threads), "growth_mib": Double(end.growthKiB) / 1_024,
            "pushes_per_s": count / end.seconds,
        ]
        if let report = H2LoadReport(path: output) {
            guard report.succeeded == pushes else {
                throw BenchError("h2load: \(report.succeeded) of \(pushes) pushes were answered 2xx: see \(output)")
            }
            values["pushes_per_s"] = report.pushesPerSecond
        }
        if let limit { values["of_limit"] = (values["pushes_per_s"] ?? 0) / limit }
        if let latencies { values.merge(try H2LoadReport.latencies(latencies).values) { one, _ in one } }
        try line.print("push", values)
    }
}
