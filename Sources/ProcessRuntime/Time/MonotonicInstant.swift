/// A moment on a clock that never runs backwards.
///
/// Stored as one `Int64` of nanoseconds, so that comparing and adding cost one instruction each. Instants of different
/// ``TimeSource``s are not comparable. All arithmetic saturates: an instant "300 years from now" is ``distantFuture``,
/// not a trap.
public struct MonotonicInstant: InstantProtocol, Hashable, Sendable, Comparable {
    /// Nanoseconds since the origin of the clock (on Linux, since boot).
    public var nanoseconds: Int64

    /// Creates an instant from the nanoseconds since the origin of its clock.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Later than every instant that a clock can reach.
    public static let distantFuture = MonotonicInstant(nanoseconds: .max)

    /// The instant `duration` later; earlier if it is negative.
    public func advanced(by duration: Duration) -> MonotonicInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.saturatedNanoseconds)
        return MonotonicInstant(nanoseconds: overflow ? (nanoseconds < 0 ? .min : .max) : sum)
    }

    /// The time from this instant to `other`; negative if `other` is earlier.
    public func duration(to other: MonotonicInstant) -> Duration {
        let (difference, overflow) = other.nanoseconds.subtractingReportingOverflow(nanoseconds)
        return .nanoseconds(overflow ? (nanoseconds < 0 ? .max : .min) : difference)
    }

    /// Whether the left instant is earlier.
    public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Duration {
    /// The duration in whole nanoseconds, clamped to the range of `Int64` (292 years).
    package var saturatedNanoseconds: Int64 {
        // One division: `components` costs 190 instructions, and every push has a timeout.
        let (attoseconds, perNanosecond) = (attoseconds, UInt64(1_000_000_000))
        let size = attoseconds.magnitude
        let high = UInt64(truncatingIfNeeded: size >> 64)
        guard high < perNanosecond / 2 else { return attoseconds < 0 ? .min : .max }
        let whole = Int64(perNanosecond.dividingFullWidth((high, UInt64(truncatingIfNeeded: size))).quotient)
        return attoseconds < 0 ? -whole : whole
    }
}
