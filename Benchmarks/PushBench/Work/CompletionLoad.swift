import PushLocking
import SupervisedPush

/// Keeps a number of pushes in flight: each completion makes the next one.
final class CompletionLoad: Sendable {
    private struct State {
        var next = 0
        var end = 0
        var open = 0
        var tally = Tally()
        var whenEnded: (@Sendable (Tally) -> Void)?
    }

    private let target: LoadTarget
    private let state = Locked(State())

    init(_ target: LoadTarget) { self.target = target }

    func run(_ count: Int, inFlight: Int) async -> Tally {
        await withCheckedContinuation { continuation in
            start(count, inFlight: inFlight) { continuation.resume(returning: $0) }
        }
    }

    /// For who has no task. `whenEnded` is called once, in a completion.
    func start(_ count: Int, inFlight: Int, _ whenEnded: @escaping @Sendable (Tally) -> Void) {
        guard count > 0 else { return whenEnded(Tally()) }
        let first = min(count, inFlight)
        state.withLock { $0 = State(next: first, end: count, open: first, whenEnded: whenEnded) }
        for number in 0..<first { push(number) }
    }

    private func push(_ number: Int) {
        target.push(number) { [self] outcome in ended(outcome) }
    }

    private func ended(_ outcome: Result<PushResponse, PushError>) {
        let (next, whenEnded, tally) = state.withLock { state in
            state.tally.note(outcome)
            guard state.next == state.end else {
                state.next += 1
                return (state.next - 1, nil as (@Sendable (Tally) -> Void)?, nil as Tally?)
            }
            state.open -= 1
            return (-1, state.open == 0 ? state.whenEnded.take() : nil, state.tally)
        }
        if next >= 0 { return push(next) }
        if let whenEnded, let tally { whenEnded(tally) }
    }
}
