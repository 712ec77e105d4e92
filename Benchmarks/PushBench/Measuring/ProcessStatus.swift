import FoundationEssentials

/// What the kernel says of a process, by its number; nil for values it does not tell.
struct ProcessStatus {
    private let text: String

    init(_ process: String = "self") {
        text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    }

    var residentKiB: Int? { value("VmRSS:") }
    /// The most that was resident at a time.
    var peakKiB: Int? { value("VmHWM:") }
    var threads: Int? { value("Threads:") }

    private func value(_ key: String) -> Int? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(key) }) else { return nil }
        return line.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) }
    }
}
