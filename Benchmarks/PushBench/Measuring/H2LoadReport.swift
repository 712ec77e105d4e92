import FoundationEssentials

/// What h2load prints at its end.
struct H2LoadReport {
    let pushesPerSecond: Double
    let succeeded: Int

    /// Nil if the file holds no such report.
    init?(path: String) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        let lines = text.split(separator: "\n")
        // finished in 2.80s, 107123.12 req/s, 1.36MB/s
        guard let rate = lines.first(where: { $0.hasPrefix("finished in ") })?.split(separator: " "), rate.count > 3,
            let pushesPerSecond = Double(rate[3]),
            // status codes: 300000 2xx, 0 3xx, 0 4xx, 0 5xx
            let codes = lines.first(where: { $0.hasPrefix("status codes: ") })?.split(separator: " "), codes.count > 2,
            let succeeded = Int(codes[2])
        else { return nil }
        self.pushesPerSecond = pushesPerSecond
        self.succeeded = succeeded
    }

    /// The third column of `--log-file`: microseconds until the end of each response.
    static func latencies(_ path: String) throws -> Percentiles {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        return Percentiles(
            lines.compactMap { line in
                let columns = line.split(separator: "\t")
                return columns.count > 2 ? Double(columns[2]) : nil
            })
    }
}
