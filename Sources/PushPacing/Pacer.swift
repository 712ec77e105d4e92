import Dispatch

#if os(Linux)
    import Glibc
#else
    #error("supervised-push runs on Linux: see docs/support.md")
#endif

/// Calls at fixed times, whatever the calls do. A call whose time has passed is made at once, and the times of the others
/// stay.
///
/// It shares the client's core, so it must leave that to the client. A wake-up costs it some 25 µs of processor time (two cores of a
/// virtual machine): one for each of 80,000 calls a second takes 88 % of a core, one each 500 µs 7 %, one each millisecond 3 %.
public struct Pacer: Sendable {
    /// Nanoseconds between two calls.
    public let interval: Double
    /// Nanoseconds between two wake-ups: what became due in between is called then, up to a step late. 0: wakes for each call.
    public let step: UInt64

    /// Calls at this interval, once it runs.
    ///
    /// - Parameters:
    ///   - interval: Nanoseconds between two calls.
    ///   - step: Nanoseconds between two wake-ups; 0: wakes for each call.
    public init(interval: Double, step: UInt64) {
        self.interval = interval
        self.step = step
    }

    /// Makes this many calls on this thread, or until one returns false.
    ///
    /// Each is given its number, and in nanoseconds of Dispatch's uptime when it was due and when the pacer looked at the clock and
    /// found it due. The pacer looks again when nothing more is due, so that the clock costs little.
    public func run(_ count: Int = .max, _ call: (_ number: Int, _ due: UInt64, _ found: UInt64) -> Bool) {
        let start = DispatchTime.now().uptimeNanoseconds
        var now = start
        for number in 0..<count {
            let elapsed = UInt64(interval * Double(number))
            let due = start + elapsed
            if due > now { now = DispatchTime.now().uptimeNanoseconds }
            if due > now {
                Self.sleep(start + wakeUp(for: elapsed) - now)
                now = DispatchTime.now().uptimeNanoseconds
            }
            guard call(number, due, now) else { return }
        }
    }

    /// The first step that is not before this time.
    private func wakeUp(for elapsed: UInt64) -> UInt64 {
        step == 0 ? elapsed : (elapsed + step - 1) / step * step
    }

    private static func sleep(_ nanoseconds: UInt64) {
        var pause = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        nanosleep(&pause, nil)
    }
}
