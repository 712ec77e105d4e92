import Dispatch
import ProcessRuntime
import PushLocking
import SupervisedPush

/// A machine whose clocks go wrong: the wall clock is off by `skew`, and the machine may have been suspended.
package final class SkewedTime: TimeSource {
    private let base: any TimeSource
    private let offset = Locked(Int64(0))
    private let suspended = Locked(Duration.zero)

    package init(_ base: any TimeSource) { self.base = base }

    /// By how many milliseconds the wall clock is ahead.
    package var skew: Int64 {
        get { offset.withLock { $0 } }
        set { offset.withLock { $0 = newValue } }
    }

    /// Suspends the machine: the clock goes on, and timers stand still.
    package func suspend(for time: Duration) { suspended.withLock { $0 += time } }

    package var now: MonotonicInstant { base.now.advanced(by: suspended.withLock { $0 }) }
    package var wallClockMilliseconds: Int64 { base.wallClockMilliseconds + skew }

    package func makeTimer(on queue: DispatchQueue, _ fire: @escaping @Sendable () -> Void) -> any OneShotTimer {
        AwakeTimer(base.makeTimer(on: queue, fire), self)
    }

    /// Counts the time in which the machine is awake.
    private final class AwakeTimer: OneShotTimer {
        private let timer: any OneShotTimer
        private let time: SkewedTime

        init(_ timer: any OneShotTimer, _ time: SkewedTime) { (self.timer, self.time) = (timer, time) }

        func arm(at instant: MonotonicInstant) {
            timer.arm(at: instant.advanced(by: .zero - time.suspended.withLock { $0 }))
        }

        func disarm() { timer.disarm() }
        func cancel() { timer.cancel() }
    }
}
