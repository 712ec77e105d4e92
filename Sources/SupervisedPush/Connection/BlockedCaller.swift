import Dispatch
import PushLocking

/// A thread that waits for the outcome of its push.
final class BlockedCaller: Sendable {
    private let signal = DispatchSemaphore(value: 0)
    private let outcome = Locked<OutcomeSink.Outcome?>(nil)

    func resume(_ result: OutcomeSink.Outcome) {
        outcome.withLock { $0 = result }
        signal.signal()
    }

    /// Blocks until the outcome arrives. The connection's deadlines bound the wait.
    func wait() -> OutcomeSink.Outcome {
        while true {
            signal.wait()
            if let result = outcome.withLock({ $0 }) { return result }
        }
    }
}
