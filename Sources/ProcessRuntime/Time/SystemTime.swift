import Dispatch
import Glibc

/// The time of the machine, with Dispatch timers.
///
/// ``now`` reads `CLOCK_BOOTTIME` on Linux, which goes on while the machine is suspended, so that a connection that
/// slept through the night knows its age; elsewhere `CLOCK_MONOTONIC`. Dispatch does not count the time of a
/// suspension: a timer armed before it fires late by at most that time, and finds ``now`` correct.
public struct SystemTime: TimeSource {
    /// The time of the machine. All values of this type are alike.
    public init() {}

    /// The current moment.
    public var now: MonotonicInstant {
        MonotonicInstant(nanoseconds: Self.nanoseconds(of: CLOCK_BOOTTIME))
    }

    /// UTC in milliseconds since 1970.
    public var wallClockMilliseconds: Int64 {
        Self.nanoseconds(of: CLOCK_REALTIME) / 1_000_000
    }

    /// Makes a timer on a Dispatch source, with a leeway of one millisecond.
    ///
    /// The source is made at the first arming. Moving the instant later, or disarming, touches no source at all: it
    /// fires at its old instant, finds itself early and goes on. A deadline that is pushed back with every message
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
