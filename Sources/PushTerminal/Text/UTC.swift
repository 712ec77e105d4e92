import Glibc
import ProcessRuntime
import PushTransport

/// The wall clock, for a person to read.
package enum UTC {
    /// Seconds since 1970.
    package static var now: Int64 { SystemTime().wallClockMilliseconds / 1_000 }

    /// The present time, for a line of a log: `2026-11-21T09:30:05Z`.
    package static var timestamp: String { "\(text(milliseconds: now * 1_000).dropLast(5))Z" }

    /// `2026-11-21`.
    package static func date(_ unixSeconds: Int64) -> String {
        String(text(milliseconds: unixSeconds * 1_000).prefix(10))
    }

    /// `2025-06-15 15:06:40 UTC`.
    package static func text(_ unixSeconds: Int64) -> String { UTCTime.text(unixSeconds, showingSeconds: true) }

    /// `2026-11-21T09:30:05.123Z`.
    package static func text(milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text: [UInt8] = []
        text.reserveCapacity(24)
        func add(_ number: Int, digits: Int, then end: Unicode.Scalar) {
            var unit = 1
            for _ in 1..<digits { unit *= 10 }
            while unit > 0 {
                text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / unit % 10))
                unit /= 10
            }
            text.append(UInt8(ascii: end))
        }
        add(Int(parts.tm_year) + 1_900, digits: 4, then: "-")
        add(Int(parts.tm_mon) + 1, digits: 2, then: "-")
        add(Int(parts.tm_mday), digits: 2, then: "T")
        add(Int(parts.tm_hour), digits: 2, then: ":")
        add(Int(parts.tm_min), digits: 2, then: ":")
        add(Int(parts.tm_sec), digits: 2, then: ".")
        add(Int(milliseconds % 1_000), digits: 3, then: "Z")
        return String(decoding: text, as: UTF8.self)
    }
}
