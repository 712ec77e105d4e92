import PushCampaign
import PushTerminal

/// The figures of a bench, for a person or for a script.
struct BenchReport {
    private static let percentiles: [(name: String, percent: Double)] = [
        ("p50", 50), ("p90", 90), ("p99", 99), ("p99.9", 99.9), ("max", 100),
    ]
    private static let columns = 10

    private let options: BenchOptions
    private let endpoint: String
    private let result: BenchLoad.Result

    init(_ options: BenchOptions, endpoint: String, _ result: BenchLoad.Result) {
        self.options = options
        self.endpoint = endpoint
        self.result = result
    }

    private var connections: String {
        let range = options.connection.connections.range
        let count = range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)...\(range.upperBound)"
        return "\(count) connection\(count == "1" ? "" : "s")"
    }

    func text(isUTF8: Bool) -> String {
        let load =
            switch options.loop {
            case .closed(let inFlight): "\(Figures.grouped(inFlight)) in flight"
            case .open(let perSecond): "\(Figures.grouped(perSecond)) a second"
            }
        var lines = ["\(endpoint): \(load), \(connections)"]
        lines.append(Summary(result.tally, seconds: result.seconds, of: "pushes").text)
        guard result.latencies.total > 0 else { return lines.joined(separator: "\n") + "\n" }
        let columns = Self.percentiles.map { name, percent in
            (name, result.latencies.percentile(percent).map { LatencyText.of($0, isUTF8: isUTF8) } ?? "")
        }
        lines.append("")
        lines.append("latency " + columns.map { $0.0.padded(to: Self.columns) }.joined())
        lines.append("        " + columns.map { $0.1.padded(to: Self.columns) }.joined())
        lines.append("")
        lines += HistogramDrawing(histogram: result.latencies, isUTF8: isUTF8).lines
        return lines.joined(separator: "\n") + "\n"
    }

    /// One JSON object. Latencies are in whole microseconds; the histogram has the least latency of each row.
    var json: [UInt8] {
        var object = JSONLine()
        object.add("endpoint", endpoint)
        object.add("connections", options.connection.connections.range.upperBound)
        switch options.loop {
        case .closed(let inFlight): object.add("in_flight", inFlight)
        case .open(let perSecond): object.add("rate", perSecond)
        }
        Summary(result.tally, seconds: result.seconds, of: "pushes").add(to: &object)
        let perSecond = result.seconds > 0 ? Double(result.tally.total) / result.seconds : 0
        object.add("per_second", Int(perSecond.rounded()))
        let latencies = Self.percentiles.compactMap { name, percent in
            result.latencies.percentile(percent).map { (name, Int($0 / 1_000)) }
        }
        object.add("latency_us", latencies)
        let rows = result.latencies.rows(atMost: HistogramDrawing.mostRows)
        object.add("histogram_us", rows.map { (String($0.from / 1_000), $0.count) })
        return object.line
    }
}
