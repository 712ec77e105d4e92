import Foundation

/// What the kernel says of this process.
struct Meter {
    /// Resident memory in KiB.
    static var residentKiB: Int { status("VmRSS") }
    static var threads: Int { status("Threads") }

    /// Open descriptors. The listing's own is not counted.
    static var descriptors: Int {
        max(0, ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0) - 1)
    }

    private static func status(_ key: String) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        for line in text.split(separator: "\n") where line.hasPrefix(key + ":") {
            return Int(line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first ?? "") ?? 0
        }
        return 0
    }
}

/// Samples over time, and how much they grew: the median of the last quarter against that of the second.
struct Samples {
    private(set) var values: [Int] = []

    mutating func add(_ value: Int) { values.append(value) }

    var peak: Int { values.max() ?? 0 }

    /// The first quarter is warm-up.
    var growth: Int { median(values.suffix(quarter)) - median(values.dropFirst(quarter).prefix(quarter)) }

    private var quarter: Int { max(1, values.count / 4) }

    private func median(_ part: some Collection<Int>) -> Int {
        let sorted = part.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}
