import Dispatch
import PushLocking

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
