import PushLocking
import SupervisedPush

/// Collects the outcomes of pushes called with a completion, and counts them.
package final class OutcomeBook: Sendable {
    package typealias Outcome = Result<PushResponse, PushError>

    private struct State {
        var outcomes: [Int: [Outcome]] = [:]
        var order: [Int] = []
        var waiters: [Int: (count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
        var lastWaiter = 0
    }

    private let state = Locked(State())

    package init() {}

    /// A completion for the push of this number.
    package func completion(_ number: Int) -> @Sendable (Outcome) -> Void {
        { outcome in self.note(number, outcome) }
    }

    private func note(_ number: Int, _ outcome: Outcome) {
        let ready = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.outcomes[number, default: []].append(outcome)
            state.order.append(number)
            let reached = state.waiters.filter { $0.value.count <= state.order.count }
            for number in reached.keys { state.waiters[number] = nil }
            return reached.values.map(\.continuation)
        }
        for continuation in ready { continuation.resume() }
    }

    /// Returns once this many outcomes came, or once the task is cancelled: a test whose time is over must not hold up the others.
    package func wait(for count: Int) async {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReached = state.withLock { state in
                    if state.order.count >= count || Task.isCancelled { return true }
                    state.waiters[number] = (count, continuation)
                    return false
                }
                if isReached { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume()
        }
    }

    package var count: Int { state.withLock { $0.order.count } }
    /// The numbers in the order their outcomes came.
    package var order: [Int] { state.withLock { $0.order } }
    package func outcomes(_ number: Int) -> [Outcome] { state.withLock { $0.outcomes[number] ?? [] } }

    /// How many ended how: `accepted`, `rejected`, or the error's code and certainty.
    package var summary: [String: Int] {
        state.withLock { state in
            var summary: [String: Int] = [:]
            for outcome in state.outcomes.values.joined() {
                switch outcome {
                case .success(let response): summary[response.isAccepted ? "accepted" : "rejected", default: 0] += 1
                case .failure(let error):
                    summary["\(error.code) \(error.certainty.rawValue)", default: 0] += 1
                }
            }
            return summary
        }
    }

    /// True if no push ended twice.
    package var endedOnceEach: Bool { state.withLock { $0.outcomes.values.allSatisfy { $0.count == 1 } } }
}
