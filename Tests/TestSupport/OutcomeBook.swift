import PushLocking
import SupervisedPush

/// Collects the outcomes of pushes called with a completion, and counts them.
package final class OutcomeBook: Sendable {
    package typealias Outcome = Result<PushResponse, PushError>

    private let ended = Recorder<Int>()
    private let results = Locked<[Int: [Outcome]]>([:])

    package init() {}

    /// A completion for the push of this number.
    package func completion(_ number: Int) -> @Sendable (Outcome) -> Void {
        { outcome in self.note(number, outcome) }
    }

    private func note(_ number: Int, _ outcome: Outcome) {
        results.withLock { $0[number, default: []].append(outcome) }
        ended.record(number)
    }

    /// Returns once this many outcomes came, or once the task is cancelled: a test whose time is over must not hold up the others.
    package func wait(for count: Int) async { await ended.wait(for: count) }

    package var count: Int { ended.count }
    /// The numbers in the order their outcomes came.
    package var order: [Int] { ended.all }
    package func outcomes(_ number: Int) -> [Outcome] { results.withLock { $0[number] ?? [] } }

    /// How many ended how: `accepted`, `rejected`, or the error's code and certainty.
    package var summary: [String: Int] {
        results.withLock { results in
            var summary: [String: Int] = [:]
            for outcome in results.values.joined() {
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
    package var endedOnceEach: Bool { results.withLock { $0.values.allSatisfy { $0.count == 1 } } }
}
