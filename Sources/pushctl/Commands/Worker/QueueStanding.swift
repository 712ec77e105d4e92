import PushLocking
import PushQueue

/// How a queue stands, for those who watch a worker.
///
/// All who ask meanwhile share one question. A queue that does not answer soon holds nobody up: they go on without its
/// figures, and the question remains under way until the store gives it up.
final class QueueStanding: Sendable {
    /// How long one who asks waits.
    static let patience = Duration.seconds(1)

    private struct State {
        var isAsking = false
        var waiters: [Int: CheckedContinuation<QueueStatus?, Never>] = [:]
        var lastWaiter = 0
    }

    private let state = Locked(State())
    private let ask: @Sendable () async -> QueueStatus?
    private let wait: @Sendable () async -> Void

    /// - Parameters:
    ///   - wait: Returns once ``patience`` is over.
    ///   - ask: Asks the queue; nil if it cannot be told.
    init(
        wait: @escaping @Sendable () async -> Void = { try? await Task.sleep(for: patience) },
        ask: @escaping @Sendable () async -> QueueStatus?
    ) {
        self.wait = wait
        self.ask = ask
    }

    /// How the queue stands now; nil if it does not tell within ``patience``.
    var status: QueueStatus? {
        get async {
            await withCheckedContinuation { waiter in
                let (number, isFirst) = state.withLock { state in
                    state.lastWaiter += 1
                    state.waiters[state.lastWaiter] = waiter
                    defer { state.isAsking = true }
                    return (state.lastWaiter, !state.isAsking)
                }
                Task {
                    await wait()
                    state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(returning: nil)
                }
                if isFirst { Task { answer(await ask()) } }
            }
        }
    }

    private func answer(_ status: QueueStatus?) {
        let waiters = state.withLock { state in
            defer { (state.isAsking, state.waiters) = (false, [:]) }
            return state.waiters.values
        }
        for waiter in waiters { waiter.resume(returning: status) }
    }
}
