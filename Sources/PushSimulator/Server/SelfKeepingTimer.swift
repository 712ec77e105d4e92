import Dispatch
import ProcessRuntime
import PushLocking

/// A timer that keeps itself alive until it has fired.
final class SelfKeepingTimer: Sendable {
    private let timer = Locked<(any OneShotTimer)?>(nil)

    func start(
        by time: any TimeSource, on queue: DispatchQueue, after duration: Duration, fire: @escaping @Sendable () -> Void
    ) {
        let made = time.makeTimer(on: queue) {
            fire()
            let done = self.timer.withLock { timer in
                defer { timer = nil }
                return timer
            }
            done?.cancel()
        }
        timer.withLock { $0 = made }
        made.arm(at: time.now.advanced(by: duration))
    }
}
