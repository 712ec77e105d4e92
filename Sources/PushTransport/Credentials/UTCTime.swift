// Both, because OpenSSL's headers include <time.h>, and `tm` belongs to the module that the compiler reads first.
import CPushOpenSSL
import Glibc

/// Formats instants for people.
package enum UTCTime {
    /// For example `2026-11-21 09:30 UTC`.
    ///
    /// - Parameter seconds: Seconds since 1970.
    package static func text(_ seconds: Int64) -> String {
        var time = time_t(seconds)
        var parts = tm()
        guard gmtime_r(&time, &parts) != nil else { return "\(seconds) s since 1970" }
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let date = "\(Int(parts.tm_year) + 1_900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
        return "\(date) \(two(parts.tm_hour)):\(two(parts.tm_min)) UTC"
    }
}
