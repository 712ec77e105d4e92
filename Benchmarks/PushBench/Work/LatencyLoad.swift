import Dispatch
import PushLocking
import SupervisedPush

/// One push at a time: the completion notes how long it took and makes the next one.
final class LatencyLoad: Sendable {
    private struct State {
        var latencies: [Double] = []
        var count = 0
        var finished: CheckedContinuation<[Double], any Error>?
    }

    private let target: LoadTarget
    private let state = Locked(State())

    init(_ target: LoadTarget) { self.target = target }

    /// Microseconds, in order.
    func run(_ count: Int) async throws -> [Double] {
        guard count > 0 else { return [] }
        return try await withCheckedThrowingContinuation { continuation in
            state.withLock { $0 = State(count: count, finished: continuation) }
            push(0)
        }
    }

    private func push(_ number: Int) {
        let start = DispatchTime.now().uptimeNanoseconds
        target.runtime.push(name: target.name, target.work.notification(number), to: target.work.token(number)) {
            [self] outcome in
            let took = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e3
            let (isOver, finished, latencies) = state.withLock { state in
                state.latencies.append(took)
                return (state.latencies.count >= state.count, state.finished, state.latencies.count)
            }
            if case .failure(let error) = outcome {
                finished?.resume(throwing: error)
            } else if isOver {
                finished?.resume(returning: state.withLock { $0.latencies })
            } else {
                push(latencies)
            }
        }
    }
}
