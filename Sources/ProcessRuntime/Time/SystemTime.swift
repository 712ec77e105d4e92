import Dispatch
import Glibc
import PushLocking

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

/// A one-shot timer over a Dispatch source that is rescheduled as rarely as possible.
final class SystemTimer: OneShotTimer {
    private struct State {
        var fire: (@Sendable () -> Void)?
        /// Created and activated at once with the first arming, because releasing a source before its activation traps.
        var source: (any DispatchSourceTimer)?
        /// What the owner wants.
        var armed: MonotonicInstant?
        /// When the source will fire; never later than `armed`.
        var scheduled = EarliestAlarm()
    }

    private let queue: DispatchQueue
    private let now: @Sendable () -> MonotonicInstant
    private let state: Locked<State>

    init(
        queue: DispatchQueue, now: @escaping @Sendable () -> MonotonicInstant = { SystemTime().now },
        fire: @escaping @Sendable () -> Void
    ) {
        self.queue = queue
        self.now = now
        state = Locked(State(fire: fire))
    }

    deinit {
        state.withLock { $0.source?.cancel() }
    }

    func arm(at instant: MonotonicInstant) {
        state.withLock { state in
            guard state.fire != nil else { return }
            state.armed = instant
            schedule(&state, for: instant)
        }
    }

    func disarm() {
        state.withLock { $0.armed = nil }
    }

    func cancel() {
        // Release the closure outside the lock, because it may own anything.
        let released = state.withLock { state in
            defer { state = State() }
            state.source?.cancel()
            return state.fire
        }
        _ = released
    }

    private func schedule(_ state: inout State, for instant: MonotonicInstant) {
        let now = now()
        guard state.scheduled.mustArm(for: instant, now) else { return }
        let source = state.source ?? makeSource()
        let delay = min(max(now.duration(to: instant), .zero), Self.longestDelay)
        source.schedule(
            deadline: .now() + .nanoseconds(Int(delay.saturatedNanoseconds)), leeway: .milliseconds(1))
        guard state.source == nil else { return }
        state.source = source
        source.activate()
    }

    private func makeSource() -> any DispatchSourceTimer {
        let source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler { [weak self] in self?.sourceFired() }
        return source
    }

    private func sourceFired() {
        let fire: (@Sendable () -> Void)? = state.withLock { state in
            state.scheduled.fired()
            guard let armed = state.armed else { return nil }
            guard armed <= now() else {
                schedule(&state, for: armed)
                return nil
            }
            state.armed = nil
            return state.fire
        }
        fire?()
    }

    /// Dispatch's arithmetic on instants overflows long before ours. A source that fires early reschedules itself.
    private static let longestDelay = Duration.seconds(86_400)
}

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
