import Dispatch
import PushLocking

/// A clock that stands still until a test moves it.
///
/// ```swift
/// let time = ManualTime()
/// let system = ProcessSystem(time: time)
/// // … something arms a timer for five seconds
/// await time.waitUntilArmed()
/// time.advance(by: .seconds(5))
/// ```
/// May be used from any thread; ``advance(by:)`` from one at a time.
public final class ManualTime: TimeSource {
    private let schedule: Locked<ManualSchedule>
    /// Marks the queues of our timers, so that `advance` knows when it stands on one of them.
    private let queueKey = DispatchSpecificKey<ObjectIdentifier>()

    /// A clock at `start`, with the wall clock at `wallClockMilliseconds` (by default 2026-01-01 00:00 UTC).
    public init(
        start: MonotonicInstant = MonotonicInstant(nanoseconds: 0), wallClockMilliseconds: Int64 = 1_767_225_600_000
    ) {
        schedule = Locked(
            ManualSchedule(now: start, wallClockNanoseconds: Self.nanoseconds(milliseconds: wallClockMilliseconds)))
    }

    /// Where the clock stands.
    public var now: MonotonicInstant { schedule.withLock { $0.now } }

    /// Where the wall clock stands. It moves with ``advance(by:)`` and jumps with ``setWallClock(milliseconds:)``.
    public var wallClockMilliseconds: Int64 { schedule.withLock { $0.wallClockNanoseconds / 1_000_000 } }

    /// The earliest instant for which a timer is armed, if one is.
    public var earliestArmed: MonotonicInstant? { schedule.withLock { $0.armed.first?.key.instant } }

    /// How many timers are armed.
    public var armedCount: Int { schedule.withLock { $0.armed.count } }

    /// Sets the wall clock, as an administrator or NTP would; ``now`` and the timers notice nothing.
    public func setWallClock(milliseconds: Int64) {
        schedule.withLock { $0.wallClockNanoseconds = Self.nanoseconds(milliseconds: milliseconds) }
    }

    /// Makes a timer that fires when ``advance(by:)`` reaches its instant, or at once where it is armed for the past.
    public func makeTimer(on queue: DispatchQueue, _ fire: @escaping @Sendable () -> Void) -> any OneShotTimer {
        queue.setSpecific(key: queueKey, value: ObjectIdentifier(queue))
        return ManualTimer(id: schedule.withLock { $0.nextNumber() }, queue: queue, schedule: schedule, fire: fire)
    }

    /// Moves the clock and fires what falls due, in order of the instants (timers of one instant as they were armed).
    ///
    /// Each timer fires through `queue.async` while ``now`` stands at its instant. Then `advance` waits for that
    /// queue, unless it runs on it, so a timer that the fired work arms within the distance fires in its turn. When
    /// `advance` returns, the fired work has ended. Messages it sent to *other* queues may still be on their way:
    /// use ``settle(_:)``.
    ///
    /// - Parameter duration: How far; negative counts as zero.
    public func advance(by duration: Duration) {
        let end = now.advanced(by: max(duration, .zero))
        while let timer = takeNext(upTo: end) {
            timer.deliver()
            if DispatchQueue.getSpecific(key: queueKey) != ObjectIdentifier(timer.queue) {
                timer.queue.sync {}
            }
        }
    }

    /// The next timer that falls due; if there is none, the clock stands at `end`. Both at once: a timer that another
    /// thread arms in between would be passed over.
    private func takeNext(upTo end: MonotonicInstant) -> ManualTimer? {
        schedule.withLock { schedule in
            if let timer = schedule.takeNext(notAfter: end) { return timer }
            schedule.move(to: end)
            return nil
        }
    }

    /// Returns when everything that was on `queue` at the call has run.
    public func settle(_ queue: DispatchQueue) async {
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
