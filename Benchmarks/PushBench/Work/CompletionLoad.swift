import Locking
import SupervisedPush

/// Keeps so many pushes in flight: each completion makes the next one.
final class CompletionLoad: Sendable {
    private struct State {
        var next = 0
        var end = 0
        var open = 0
        var tally = Tally()
        var finished: CheckedContinuation<Tally, Never>?
    }

    private let target: LoadTarget
    private let state = Locked(State())

    init(_ target: LoadTarget) { self.target = target }

    func run(_ count: Int, inFlight: Int) async -> Tally {
        guard count > 0 else { return Tally() }
        let first = min(count, inFlight)
        return await withCheckedContinuation { continuation in
            state.withLock { $0 = State(next: first, end: count, open: first, finished: continuation) }
            for number in 0..<first { push(number) }
        }
    }

    private func push(_ number: Int) {
        target.runtime.push(name: target.name, target.work.notification(number), to: target.work.token(number)) {
            [self] outcome in ended(outcome)
        }
    }

    private func ended(_ outcome: Result<PushResponse, PushError>) {
        let (next, finished, tally) = state.withLock { state in
            state.tally.note(outcome)
            guard state.next == state.end else {
                state.next += 1
                return (state.next - 1, CheckedContinuation<Tally, Never>?.none, nil as Tally?)
            }
            state.open -= 1
            return (-1, state.open == 0 ? state.finished : nil, state.tally)
        }
        if next >= 0 { return push(next) }
        if let finished, let tally { finished.resume(returning: tally) }
    }
}
