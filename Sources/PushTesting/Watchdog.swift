import Dispatch
import Glibc
import ProcessRuntime
import PushLocking

/// Cancels a test that does not end within a real time limit, and keeps what is to be said of it.
///
/// It works on a queue of its own, so it also works while the test blocks the threads of all tasks.
final class Watchdog: Sendable {
    private enum State {
        case watching
        case expired(String)
        case ended
    }

    private let state = Locked(State.watching)
    private let queue = DispatchQueue(label: "push-testing.watchdog", target: .global(qos: .userInteractive))
    private let clock = SystemTime()
    private let timer = Locked<(any OneShotTimer)?>(nil)
    private let grace: Duration
    private let report: @Sendable () -> String
    private let cancel: @Sendable () -> Void
    private let abandon: @Sendable () -> Void

    /// - Parameters:
    ///   - limit: How long the test may take.
    ///   - grace: How long it may take to end once it is cancelled.
    ///   - report: Says how things stand.
    ///   - cancel: Cancels the test's task. Not called any more once ``end()`` has returned.
    ///   - abandon: Ends what the test may wait for, as it goes on although it is cancelled.
    init(
        _ limit: Duration, grace: Duration, report: @escaping @Sendable () -> String,
        cancel: @escaping @Sendable () -> Void,
        abandon: @escaping @Sendable () -> Void
    ) {
        (self.grace, self.report, self.cancel, self.abandon) = (grace, report, cancel, abandon)
        let timer = clock.makeTimer(on: queue) { [weak self] in self?.fire() }
        self.timer.withLock { $0 = timer }
        timer.arm(at: clock.now.advanced(by: limit))
    }

    /// The test has ended. Returns what is to be said, if it took too long.
    func end() -> String? {
        timer.withLock { $0.take() }?.cancel()
        let report: String? = state.withLock { state in
            defer { state = .ended }
            if case .expired(let report) = state { return report }
            return nil
        }
        // What has begun there must not reach the task later.
        queue.sync {}
        return report
    }

    private func fire() {
        let isExpired: Bool
        switch state.withLock({ $0 }) {
        case .watching: isExpired = expire(report())
        case .expired(let report): return giveUp(report)
        case .ended: return
        }
        guard isExpired else { return }
        cancel()
        timer.withLock { $0 }?.arm(at: clock.now.advanced(by: grace))
    }

    /// False if the test has ended in the meantime.
    private func expire(_ report: String) -> Bool {
        state.withLock { state in
            guard case .watching = state else { return false }
            state = .expired(report)
            return true
        }
    }

    /// Nothing can end a task that ignores its cancellation. So this says now what cannot be thrown yet.
    private func giveUp(_ report: String) {
        let text = Array("\(report)\nThe test ignores the cancellation: its simulator and its runtime end now.\n".utf8)
        _ = text.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        abandon()
    }
}
