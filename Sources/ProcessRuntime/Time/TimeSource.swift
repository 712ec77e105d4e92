import Dispatch

/// Where a process, a mailbox or a supervisor takes its time from.
///
/// Two implementations exist: ``SystemTime`` for programs and ``ManualTime`` for tests, which advance it by hand and
/// never sleep. All members may be called from any thread.
public protocol TimeSource: Sendable {
    /// The current moment, for durations and deadlines.
    var now: MonotonicInstant { get }

    /// UTC in milliseconds since 1970. It may jump; use it to tell people and peers the time, never to measure.
    var wallClockMilliseconds: Int64 { get }

    /// Makes a timer that is not armed yet.
    ///
    /// - Parameters:
    ///   - queue: The serial queue on which the timer fires.
    ///   - fire: What to do each time the timer fires. It is kept until the timer is cancelled or released.
    func makeTimer(on queue: DispatchQueue, _ fire: @escaping @Sendable () -> Void) -> any OneShotTimer
}

/// A timer that fires once per arming, on the queue it was made for.
///
/// Its functions may be called from any thread. Called on the timer's own queue, ``disarm()``, ``cancel()`` and
/// ``arm(at:)`` are exact: the earlier arming does not fire after they return. Called elsewhere, a firing that has
/// begun on the queue runs to its end. A timer that is released is cancelled.
public protocol OneShotTimer: AnyObject, Sendable {
    /// Fires at `instant`, or as soon as the queue is free where that has passed. Replaces an earlier arming.
    func arm(at instant: MonotonicInstant)

    /// Takes the arming back. The timer can be armed again.
    func disarm()

    /// Ends the timer and releases its closure. A later ``arm(at:)`` does nothing.
    func cancel()
}
