import FoundationEssentials
import ProcessRuntime

extension Date {
    /// The wall clock's time.
    init(_ time: any TimeSource) { self.init(milliseconds: time.wallClockMilliseconds) }

    /// - Parameter milliseconds: Since 1970 UTC.
    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }

    /// As in a log: `2026-11-22T09:30:00.250Z`, rounded to milliseconds.
    var timestamp: String {
        addingTimeInterval(0.000_5).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
