import Glibc
import ProcessRuntime
import SupervisedPush

/// Times for a person to read.
enum UTC {
    /// Seconds since 1970.
    static var now: Int64 { SystemTime().wallClockMilliseconds / 1_000 }

    /// `2025-06-15 15:06:40 UTC`; the number itself if no calendar has it.
    static func text(_ unixSeconds: Int64) -> String {
        var seconds = time_t(unixSeconds)
        var parts = tm()
        guard gmtime_r(&seconds, &parts) != nil else { return "\(unixSeconds)" }
        let date = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)].map(twoDigits)
        let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { twoDigits(Int($0)) }
        return "\(date.joined(separator: "-")) \(clock.joined(separator: ":")) UTC"
    }

    private static func twoDigits(_ number: Int) -> String { (0..<10).contains(number) ? "0\(number)" : "\(number)" }
}
