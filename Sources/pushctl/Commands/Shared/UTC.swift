import ProcessRuntime
import PushTransport

/// The wall clock, for a person to read.
enum UTC {
    /// Seconds since 1970.
    static var now: Int64 { SystemTime().wallClockMilliseconds / 1_000 }

    /// `2025-06-15 15:06:40 UTC`.
    static func text(_ unixSeconds: Int64) -> String { UTCTime.text(unixSeconds, showingSeconds: true) }
}
