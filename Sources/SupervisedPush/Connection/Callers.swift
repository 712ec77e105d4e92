import Dispatch
import PushLocking

/// The one receiver of a push's outcome.
enum OutcomeReceiver: Sendable {
    typealias Outcome = Result<PushResponse, PushError>

    /// A suspended task; resumed together with others whose pushes end at the same time.
    case task(HandOver<Outcome>)
    /// A blocked thread; signalled at once.
    case thread(BlockedCaller)
    /// A closure; called in batches on the connection's delivery queue.
    case completion(@Sendable (Outcome) -> Void)
    /// A collector of many pushes' outcomes, which knows this push by the ticket; called once per batch on the
    /// connection's delivery queue.
    case collector(any OutcomeCollector, ticket: Int)
    /// No receiver: a push that ends without an answer is handed back.
    case nobody
    /// It was moved to the delivery of its outcome.
    case moved

    /// Signals a thread that waits; the others are resumed or called in batches.
    func resume(_ outcome: Outcome) {
        if case .thread(let caller) = self { caller.resume(outcome) }
    }

    var isTask: Bool { if case .task = self { true } else { false } }

    /// True for the forms whose receivers are resumed or called in batches.
    var isBatched: Bool { isDelivered || isTask }

    /// True for fire and forget.
    var isNobody: Bool {
        if case .nobody = self { true } else { false }
    }

    /// True for the forms that can wait for room.
    var mayWaitForRoom: Bool {
        switch self {
        case .task, .thread, .collector: true
        case .completion, .nobody, .moved: false
        }
    }

    /// True for a caller whose pushes wait for room even if many others do: it has a limit of its own.
    var hasOwnBound: Bool {
        if case .collector = self { true } else { false }
    }

    /// True for the forms whose outcomes pass through the delivery queue, and count until they are delivered.
    var isDelivered: Bool {
        switch self {
        case .completion, .collector: true
        case .task, .thread, .nobody, .moved: false
        }
    }
}

/// A task that continues with the outcome of its push.
struct ResumedTask: Sendable {
    private let handOver: HandOver<OutcomeReceiver.Outcome>
    private let outcome: OutcomeReceiver.Outcome

    init(_ handOver: HandOver<OutcomeReceiver.Outcome>, outcome: consuming OutcomeReceiver.Outcome) {
        self.handOver = handOver
        self.outcome = outcome
    }

    func resume() { handOver.resume(returning: outcome) }
}

/// A thread that waits for the outcome of its push.
final class BlockedCaller: Sendable {
    private let signal = DispatchSemaphore(value: 0)
    private let outcome = Locked<OutcomeReceiver.Outcome?>(nil)

    func resume(_ result: OutcomeReceiver.Outcome) {
        outcome.withLock { $0 = result }
        signal.signal()
    }

    /// Blocks until the outcome arrives. The connection's deadlines bound the wait.
    func wait() -> OutcomeReceiver.Outcome {
        while true {
            signal.wait()
            if let result = outcome.withLock({ $0 }) { return result }
        }
    }
}

/// A caller of `close`. It is resumed once, when the connection has ended or when the caller has waited long enough.
/// The first of several callers gets the pushes handed back, the others an empty hand-back.
final class ClosingCaller: Sendable {
    private enum State {
        case idle
        case waiting(HandOver<HandBack>)
        case resumed(HandBack)
    }

    /// False if the caller only waits for the end, and the owner gets the remaining pushes.
    let takesHandBack: Bool
    private let state = Locked(State.idle)

    init(takesHandBack: Bool) { self.takesHandBack = takesHandBack }

    func resume(_ handBack: HandBack) {
        let waiting = state.withLock { state -> HandOver<HandBack>? in
            switch state {
            case .idle:
                state = .resumed(handBack)
                return nil
            case .waiting(let handOver):
                state = .resumed(handBack)
                return handOver
            case .resumed:
                return nil
            }
        }
        waiting?.resume(returning: handBack)
    }

    /// Waits for the hand-back. One caller only.
    func value() async -> HandBack {
        await withHandOver { handOver in
            let handBack = state.withLock { state -> HandBack? in
                if case .resumed(let handBack) = state { return handBack }
                state = .waiting(handOver)
                return nil
            }
            if let handBack { handOver.resume(returning: handBack) }
        }
    }
}
