/// What a timer is armed for, if it is only ever moved to an earlier instant.
///
/// A timer that fires too early costs one check; moving it for every change would cost more. So its owner arms it for the
/// earliest instant, and decides when it fires whether to arm it again.
///
/// Timers stand still while the machine is suspended, and clocks do not (see ``SystemTime``). After a suspension a timer may
/// be due in an hour although its instant has passed. So an instant that passed a second ago no longer counts.
package struct EarliestAlarm: Sendable {
    private static let patience = Duration.seconds(1)

    private var instant: MonotonicInstant?
    /// From then on the timer is not trusted to fire soon.
    private var trustedUntil = MonotonicInstant(nanoseconds: 0)

    package init() {}

    /// True if the timer must be armed for `wake`. It then counts as armed.
    package mutating func mustArm(for wake: MonotonicInstant, _ now: MonotonicInstant) -> Bool {
        if let instant, instant <= wake, now < trustedUntil { return false }
        instant = wake
        trustedUntil = max(wake, now).advanced(by: Self.patience)
        return true
    }

    /// The timer fired.
    package mutating func fired() { instant = nil }
}
