import Foundation

/// What the kernel says of this process.
struct Meter {
    /// Resident memory in KiB.
    static var residentKiB: Int { status("VmRSS") }
    static var threads: Int { status("Threads") }

    /// Open sockets. Dispatch opens a few descriptors of other kinds for itself, when it first needs them.
    static var sockets: Int {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name)
            return target?.hasPrefix("socket:") ?? false
        }
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
