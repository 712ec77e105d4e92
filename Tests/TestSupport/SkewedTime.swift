import Dispatch
import ProcessRuntime
import PushLocking
import SupervisedPush

/// A machine whose wall clock goes wrong: the monotonic clock is another one's, the wall clock is off by `skew`.
package final class SkewedTime: TimeSource {
    private let base: any TimeSource
    private let offset = Locked(Int64(0))

    package init(_ base: any TimeSource) { self.base = base }

    /// By how many milliseconds the wall clock is ahead.
    package var skew: Int64 {
        get { offset.withLock { $0 } }
        set { offset.withLock { $0 = newValue } }
    }

    package var now: MonotonicInstant { base.now }
    package var wallClockMilliseconds: Int64 { base.wallClockMilliseconds + skew }

    package func makeTimer(on queue: DispatchQueue, _ fire: @escaping @Sendable () -> Void) -> any OneShotTimer {
        base.makeTimer(on: queue, fire)
    }
}
