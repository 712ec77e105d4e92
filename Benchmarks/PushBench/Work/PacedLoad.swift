import Foundation
import PushLocking
import SupervisedPush

/// Pushes by the clock, whether answers come or not; a push's latency counts from when it was due, so that a stall shows
/// in every push that had to wait for it.
final class PacedLoad: Sendable {
    private struct State {
        var latencies: [Double] = []
        var tally = Tally()
        var open = 0
        var finished: CheckedContinuation<Void, Never>?
    }

    private let target: LoadTarget
    private let state = Locked(State())

    init(_ target: LoadTarget) { self.target = target }

    /// `perSecond` pushes for so long. The latencies of those that were accepted, in the order of the answers.
    func run(perSecond: Double, seconds: Double) async -> (latencies: [Double], tally: Tally) {
        let count = max(1, Int(perSecond * seconds))
        await withCheckedContinuation { continuation in
            state.withLock { $0 = State(open: count, finished: continuation) }
            Thread.detachNewThread { [self] in push(count, every: 1e9 / perSecond) }
        }
        return state.withLock { ($0.latencies, $0.tally) }
    }

    private func push(_ count: Int, every interval: Double) {
        let start = DispatchTime.now().uptimeNanoseconds
        for number in 0..<count {
            let due = start + UInt64(interval * Double(number))
            let now = DispatchTime.now().uptimeNanoseconds
            // The kernel's sleep is some 50 µs late: what is due sooner goes now.
            if due > now + 20_000 { usleep(UInt32((due - now) / 1_000)) }
            target.runtime.push(name: target.name, target.work.notification(number), to: target.work.token(number)) {
                [self] outcome in ended(outcome, due)
            }
        }
    }

    private func ended(_ outcome: Result<PushResponse, PushError>, _ due: UInt64) {
        let now = DispatchTime.now().uptimeNanoseconds
        let finished = state.withLock { state in
            state.tally.note(outcome)
            if case .success = outcome { state.latencies.append(Double(now - min(now, due)) / 1e3) }
            state.open -= 1
            return state.open == 0 ? state.finished : nil
        }
        finished?.resume()
    }
}
