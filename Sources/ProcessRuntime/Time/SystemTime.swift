import Dispatch
import Glibc

/// The clock of the machine, with Dispatch timers.
///
/// ``now`` reads `CLOCK_BOOTTIME`, which keeps counting while the machine is suspended, so a connection knows its age
/// after a night of sleep. Dispatch does not count the time of a suspension: a timer that was armed before it fires
/// late by at most that time, and sees the correct ``now``.
public struct SystemTime: TimeSource {
    /// Creates a clock. All values of this type are equivalent.
    public init() {}

    /// The current instant.
    public var now: MonotonicInstant {
        MonotonicInstant(nanoseconds: Self.nanoseconds(of: CLOCK_BOOTTIME))
    }

    /// UTC in milliseconds since 1970.
    public var wallClockMilliseconds: Int64 {
        Self.nanoseconds(of: CLOCK_REALTIME) / 1_000_000
    }

    /// Makes a timer on a Dispatch source, with a leeway of one millisecond.
    ///
    /// The first arming creates the source. Moving the instant later, or disarming, does not touch the source: it fires
    /// at its old instant, sees that it is early, and reschedules itself. So a deadline that every message pushes back
    /// costs one lock each time.
    public func makeTimer(on queue: DispatchQueue, _ fire: @escaping @Sendable () -> Void) -> any OneShotTimer {
        SystemTimer(queue: queue, fire: fire)
    }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
