import Dispatch

/// The clock of a process, a mailbox or a supervisor.
///
/// Two implementations exist: ``SystemTime`` for programs, and ``ManualTime`` for tests, which advance it and never
/// sleep. All members may be called from any thread.
public protocol TimeSource: Sendable {
    /// The current instant, for durations and deadlines.
    var now: MonotonicInstant { get }

    /// UTC in milliseconds since 1970. It may jump. Use it to show the time or to send it to a peer, not to measure.
    var wallClockMilliseconds: Int64 { get }

    /// Makes a timer that is not armed yet.
    ///
    /// - Parameters:
    ///   - queue: The serial queue on which the timer fires.
    ///   - fire: Called each time the timer fires. Kept until the timer is cancelled or released.
    func makeTimer(on queue: DispatchQueue, _ fire: @escaping @Sendable () -> Void) -> any OneShotTimer
}

/// A timer that fires once per arming, on the queue it was made for.
///
/// Its functions may be called from any thread. On the timer's own queue, ``disarm()``, ``cancel()`` and ``arm(at:)``
/// are exact: the earlier arming does not fire after they return. Elsewhere, work that has begun on the queue runs to
/// its end. Releasing a timer cancels it.
public protocol OneShotTimer: AnyObject, Sendable {
    /// Fires at `instant`, or as soon as the queue is free if that has passed. Replaces an earlier arming.
    func arm(at instant: MonotonicInstant)

    /// Undoes the arming. The timer can be armed again.
    func disarm()

    /// Ends the timer and releases its closure. A later ``arm(at:)`` does nothing.
    func cancel()
}
