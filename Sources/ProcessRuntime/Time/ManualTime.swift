import Dispatch
import PushLocking

/// A clock that stands still until a test advances it.
///
/// ```swift
/// let time = ManualTime()
/// let system = ProcessSystem(time: time)
/// // … something arms a timer for five seconds
/// await time.waitUntilArmed()
/// time.advance(by: .seconds(5))
/// ```
/// May be used from any thread, but only one thread at a time may call ``advance(by:)``.
public final class ManualTime: TimeSource {
    private let schedule: Locked<ManualSchedule>
    /// Marks the queues of the timers, so that `advance` can tell whether it runs on one of them.
    private let queueKey = DispatchSpecificKey<ObjectIdentifier>()

    /// Creates a clock at `start`, with the wall clock at `wallClockMilliseconds` (by default 2026-01-01 00:00 UTC).
    public init(
        start: MonotonicInstant = MonotonicInstant(nanoseconds: 0), wallClockMilliseconds: Int64 = 1_767_225_600_000
    ) {
        schedule = Locked(
            ManualSchedule(now: start, wallClockNanoseconds: Self.nanoseconds(milliseconds: wallClockMilliseconds)))
    }

    /// The current instant.
    public var now: MonotonicInstant { schedule.withLock { $0.now } }

    /// The wall clock. ``advance(by:)`` moves it and ``setWallClock(milliseconds:)`` sets it.
    public var wallClockMilliseconds: Int64 { schedule.withLock { $0.wallClockNanoseconds / 1_000_000 } }

    /// The earliest instant for which a timer is armed; nil if none is armed.
    public var earliestArmed: MonotonicInstant? { schedule.withLock { $0.armed.first?.key.instant } }

    /// How many timers are armed.
    public var armedCount: Int { schedule.withLock { $0.armed.count } }

    /// The armed timers, the earliest first: when each fires, and the label of its queue.
    package var armedTimers: [(instant: MonotonicInstant, queue: String)] {
        // The last reference to a timer must not go under the lock, which its end takes.
        let armed = schedule.withLock { $0.armed.map { ($0.key.instant, $0.timer) } }
        return armed.compactMap { instant, timer in timer.map { (instant, $0.queue.label) } }
    }

    /// Sets the wall clock, as an administrator or NTP would. Does not affect ``now`` and the timers.
    public func setWallClock(milliseconds: Int64) {
        schedule.withLock { $0.wallClockNanoseconds = Self.nanoseconds(milliseconds: milliseconds) }
    }

    /// Makes a timer that fires when ``advance(by:)`` reaches its instant, or at once if that has passed.
    public func makeTimer(on queue: DispatchQueue, _ fire: @escaping @Sendable () -> Void) -> any OneShotTimer {
        queue.setSpecific(key: queueKey, value: ObjectIdentifier(queue))
        return ManualTimer(id: schedule.withLock { $0.nextNumber() }, queue: queue, schedule: schedule, fire: fire)
    }

    /// Advances the clock and fires the timers that fall due, in order of their instants. Timers of the same instant
    /// fire in the order in which they were armed.
    ///
    /// Each timer fires through `queue.async` while ``now`` is its instant. Then `advance` waits for that queue, unless
    /// it runs on it. So a timer that the fired work arms within `duration` fires, too. When `advance` returns, the
    /// fired work has ended. Messages that it sent to *other* queues may still be on their way: use ``waitForWork(on:)``.
    ///
    /// - Parameter duration: How far to advance. Negative values count as zero.
    public func advance(by duration: Duration) {
        let end = now.advanced(by: max(duration, .zero))
        while let timer = takeNext(upTo: end) {
            timer.deliver()
            if DispatchQueue.getSpecific(key: queueKey) != ObjectIdentifier(timer.queue) {
                timer.queue.sync {}
            }
        }
    }

    /// Returns the next timer that falls due. If there is none, moves the clock to `end` under the same lock, so that
    /// no timer armed in between is skipped.
    private func takeNext(upTo end: MonotonicInstant) -> ManualTimer? {
        schedule.withLock { schedule in
            if let timer = schedule.takeNext(notAfter: end) { return timer }
            schedule.move(to: end)
            return nil
        }
    }

    /// Returns when everything that was on `queue` at the time of the call has run.
    public func waitForWork(on queue: DispatchQueue) async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }

    /// Waits, without polling, until at least `count` timers are armed for `instant` or earlier.
    ///
    /// - Returns: The earliest armed instant; nil if the task was cancelled.
    @discardableResult
    public func waitUntilArmed(
        count: Int = 1, by instant: MonotonicInstant = .distantFuture
    ) async -> MonotonicInstant? {
        let id = schedule.withLock { $0.nextNumber() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = ManualSchedule.Waiter(id: id, count: count, instant: instant, continuation: continuation)
                schedule.withLock { $0.waiters.append(waiter) }
                if Task.isCancelled { stopWaiting(id) }
                schedule.resumeSatisfiedWaiters()
            }
        } onCancel: {
            stopWaiting(id)
        }
    }

    private func stopWaiting(_ id: Int) {
        let waiter = schedule.withLock { schedule in
            schedule.waiters.firstIndex { $0.id == id }.map { schedule.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: nil)
    }

    private static func nanoseconds(milliseconds: Int64) -> Int64 {
        Duration.milliseconds(milliseconds).saturatedNanoseconds
    }
}

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
