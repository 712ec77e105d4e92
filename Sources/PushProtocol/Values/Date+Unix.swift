// Times in calls and answers are dates, so one import shows them, with their operators.
@_exported import FoundationEssentials

/// Conversions between `Date` and the UNIX times that APNs sends and receives.
extension Date {
    /// - Parameter unixSeconds: Seconds since 1970 UTC.
    package init(unixSeconds: Int64) { self.init(timeIntervalSince1970: Double(unixSeconds)) }

    /// - Parameter unixMilliseconds: Milliseconds since 1970 UTC.
    package init(unixMilliseconds: Int64) { self.init(timeIntervalSince1970: Double(unixMilliseconds) / 1_000) }

    /// Seconds since 1970 UTC, rounded down. A date that `Int64` cannot hold becomes the nearest number; one that is
    /// not a number becomes 0.
    package var unixSeconds: Int64 { Int64(roundingDown: timeIntervalSince1970) }

    /// Seconds since 1970 UTC, rounded to the nearest, with the limits of ``unixSeconds``.
    package var nearestUnixSeconds: Int64 { Int64(roundingDown: timeIntervalSince1970.rounded()) }

    /// Milliseconds since 1970 UTC, rounded to the nearest, with the limits of ``unixSeconds``.
    package var unixMilliseconds: Int64 { Int64(roundingDown: timeIntervalSince1970 * 1_000 + 0.5) }

    /// The time so much later.
    func after(_ time: Duration) -> Date { addingTimeInterval(time / .seconds(1)) }

    /// Such as `2030-03-17T17:46:40Z`. The seconds since 1970 for a date before that, or after the year 9999: a peer may
    /// send any number, and not every calendar has it.
    var text: String {
        let seconds = unixSeconds
        return (0..<253_402_300_800).contains(seconds) ? formatted(.iso8601) : "\(seconds) s"
    }
}

extension Int64 {
    /// The nearest number that is not greater; the nearest possible one out of range, and 0 for NaN.
    fileprivate init(roundingDown number: Double) {
        guard let truncated = Int64(truncating: number) else {
            self = number.isNaN ? 0 : number < 0 ? .min : .max
            return
        }
        self = Double(truncated) > number ? truncated - 1 : truncated
    }
}

/// Whole seconds of milliseconds, rounded down.
package func secondsRoundedDown(_ milliseconds: Int64) -> Int64 {
    let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    return remainder < 0 ? quotient - 1 : quotient
}

/// The seconds since 1970 that a number means which is in a finer unit: `1795740300000` means `1795740300`.
package struct MeantSeconds: Hashable, Sendable {
    /// As seconds, this is after the year 5000; as milliseconds, it is in 1973.
    private static let leastMilliseconds = 1e11

    /// The seconds.
    package let seconds: Int64
    /// The unit of the number, such as `milliseconds`.
    package let unit: String

    /// - Parameter number: A time as a number. Nil if it can be seconds.
    package init?(of number: Double) {
        guard number >= Self.leastMilliseconds else { return nil }
        let (unit, divisor) =
            switch number {
            case ..<1e14: ("milliseconds", 1e3)
            case ..<1e17: ("microseconds", 1e6)
            default: ("nanoseconds", 1e9)
            }
        seconds = Int64(truncating: number / divisor) ?? .max
        self.unit = unit
    }

    /// - Parameter number: A time as a number. Nil if it can be seconds.
    package init?(of number: Int64) { self.init(of: Double(number)) }
}
