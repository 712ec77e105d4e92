import Dispatch
import ProcessRuntime
import PushLocking

extension TimeSource {
    /// Returns after this time, or when the task is cancelled.
    func sleep(for duration: Duration, isolation actor: isolated (any Actor)? = #isolation) async {
        let sleep = Sleep()
        let timer = makeTimer(on: DispatchQueue(label: "push.sleep")) { sleep.end() }
        await withTaskCancellationHandler {
            await withHandOver(of: Void.self) { handOver in
                if sleep.begin(handOver) { timer.arm(at: now.advanced(by: duration)) }
            }
        } onCancel: {
            sleep.end()
        }
        timer.cancel()
    }
}

/// One wait, which ends once.
private final class Sleep: Sendable {
    private enum State {
        case notBegun
        case waiting(HandOver<Void>)
        case over
    }

    private let state = Locked(State.notBegun)

    /// Whether it waits. If not, it had ended before.
    func begin(_ handOver: HandOver<Void>) -> Bool {
        let waits = state.withLock { state in
            guard case .notBegun = state else { return false }
            state = .waiting(handOver)
            return true
        }
        if !waits { handOver.resume(returning: ()) }
        return waits
    }

    func end() {
        let handOver = state.withLock { state -> HandOver<Void>? in
            defer { state = .over }
            guard case .waiting(let handOver) = state else { return nil }
            return handOver
        }
        handOver?.resume(returning: ())
    }
}
