import Dispatch
import PushLocking

/// A timer of a ``ManualTime``.
final class ManualTimer: OneShotTimer {
    let id: Int
    let queue: DispatchQueue
    private let schedule: Locked<ManualSchedule>
    private let fire: Locked<(@Sendable () -> Void)?>

    init(id: Int, queue: DispatchQueue, schedule: Locked<ManualSchedule>, fire: @escaping @Sendable () -> Void) {
        self.id = id
        self.queue = queue
        self.schedule = schedule
        self.fire = Locked(fire)
    }

    deinit {
        schedule.withLock { $0.disarm(id) }
    }

    func arm(at instant: MonotonicInstant) {
        guard fire.withLock({ $0 != nil }) else { return }
        let isDue = schedule.withLock { $0.arm(self, at: instant) }
        if isDue { deliver() } else { schedule.resumeSatisfiedWaiters() }
    }

    func disarm() {
        schedule.withLock { $0.disarm(id) }
    }

    func cancel() {
        disarm()
        let released = fire.withLock { fire in
            defer { fire = nil }
            return fire
        }
        _ = released
    }

    /// Fires on the queue, unless the timer is disarmed or armed again before the queue gets there.
    func deliver() {
        guard let arming = schedule.withLock({ $0.arming(of: id) }) else { return }
        queue.async { [weak self] in
            guard let self, schedule.withLock({ $0.takeArming(arming, of: self.id) }) else { return }
            fire.withLock { $0 }?()
        }
    }
}
