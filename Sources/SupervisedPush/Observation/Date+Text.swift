import FoundationEssentials
import ProcessRuntime
import PushProtocol

extension Date {
    /// The wall clock's time.
    init(_ time: any TimeSource) { self.init(unixMilliseconds: time.wallClockMilliseconds) }

    /// As in a log: `2026-11-22T09:30:00.250Z`, rounded to milliseconds.
    var timestamp: String {
        addingTimeInterval(0.000_5).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
