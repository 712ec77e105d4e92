import DequeModule
import Locking
import Synchronization

/// Where callers leave their pushes, and where it is decided at the call whether there is room.
///
/// It belongs to the connection, not to its process: while a process is being replaced, pushes wait here. Callers reach it
/// from any thread; the process takes what is there in one go.
final class Intake: Sendable {
    /// How much may wait.
    struct Bounds: Sendable {
        var maxWaiting = 10_000
        var maxWaitingBytes = 16 << 20
        /// Callers that may wait for room; and as many that want to be told of it.
        var maxParked = 10_000
    }

    /// What taking a push in brought about.
    struct Admission {
        /// Pushes that went for it; whoever offered it answers them.
        var dropped: [PushRecord] = []
        /// True if no process lives that would keep the push's time.
        var isInGap = false
    }

    private let state: Locked<State>
    /// A ``Crowd`` as one word, for who compares connections: read without the lock, and a moment old.
    private let published = Atomic<Int>(0)

    /// - Parameter budget: what all connections of a runtime share.
    init(bounds: Bounds, budget: ByteBudget = ByteBudget(limit: .max)) {
        state = Locked(State(bounds: bounds, budget: budget))
        state.withLock { state in
            state.onBudget = { [weak self] in self?.budgetHasRoom() }
        }
    }

    deinit {
        let (budget, allowance) = state.withLock { ($0.budget, $0.allowance) }
        budget.giveBack(allowance)
    }

    // MARK: For callers

    /// Gives a push its identity. It is not offered yet; it may be cancelled already.
    func issue(
        _ push: Push, _ times: PushTimes, _ policy: PushPolicy, _ defaults: RequestDefaults
    ) -> PushRecord {
        state.withLock { $0.identities.issue(push, times, policy, defaults) }
    }

    /// Gives a request that goes to no device its identity.
    func issue(
        _ notification: PushNotification, for route: RequestRoute, _ context: (any Sendable)?, _ times: PushTimes,
        _ policy: PushPolicy
    ) -> PushRecord {
        state.withLock { $0.identities.issue(notification, for: route, context, times, policy) }
    }

    /// Takes the push in, or says why not; then nothing is kept of it.
    @discardableResult
    func offer(
        _ record: PushRecord, _ outcome: OutcomeSink, _ whenFull: WhenFull = .wait
    ) throws(PushError) -> Admission {
        var admission = Admission()
        let process = try state.withLock { (state) throws(PushError) -> Address<ConnectionMessage>? in
            guard record.admission == .notOffered else { throw .cancelledBeforeTheCall(record.id) }
            guard !state.isClosed else { throw .closed(record.id) }
            record.outcome = outcome
            try state.admit(record, whenFull, &admission)
            state.inbox.append(record)
            publish(state)
            admission.isInGap = state.process == nil
            guard !state.isNudged else { return nil }
            state.isNudged = true
            return state.process
        }
        process?.send(.pushesWaiting)
        return admission
    }

    /// What became of a push that was to be withdrawn.
    enum Cancelling {
        /// Its outcome comes from the process, if it is still to come.
        case isOnItsWay
        /// It was taken out; who called answers it.
        case ended(PassedOnPush)
        /// Another connection has it.
        case moved(PushRecord.Successor)
    }

    /// Withdraws a push, wherever it is. Its outcome still comes, once.
    func cancel(_ record: PushRecord) -> Cancelling {
        let (process, result) = change { state -> (Address<ConnectionMessage>?, Cancelling) in
            if let successor = record.successor { return (nil, .moved(successor)) }
            if record.admission == .notOffered {
                record.admission = .withdrawn
                return (nil, .isOnItsWay)
            }
            record.isCancelled = true
            if let process = state.process { return (process, .isOnItsWay) }
            return (nil, state.takeOut(record).map { .ended($0) } ?? .isOnItsWay)
        }
        process?.send(.cancel(record))
        return result
    }

    /// The stream of the latest attempt, how often the push was written, and who goes on with it, if another does.
    func progress(of record: PushRecord) -> (PushStreamID?, attempts: Int, PushRecord.Successor?) {
        state.withLock { _ in (record.streamID, record.attempts, record.successor) }
    }

    /// How busy it is.
    struct Crowd: Equatable {
        /// Pushes that wait, for room as well, or are in flight.
        var outstanding = 0
        /// Whether a push might find no room, be it for its bytes.
        var isFull = false
    }

    /// A moment old.
    var crowd: Crowd {
        let word = published.load(ordering: .relaxed)
        return Crowd(outstanding: word >> 1, isFull: word & 1 != 0)
    }

    private func publish(_ state: State) {
        let outstanding = state.waiting + state.parkedCount + state.inFlight
        let isFull = !state.fits(RequestRoute.maxBroadcastBytes)
        published.store(outstanding << 1 | (isFull ? 1 : 0), ordering: .relaxed)
    }

    /// The pushes with the number of their attempts, all under one lock.
    func countingAttempts(_ settled: [SettledPush]) -> [SettledPush] {
        var settled = settled
        state.withLock { _ in
            for index in settled.indices { settled[index].attempts = settled[index].record.attempts }
        }
        return settled
    }

    /// True once callers are refused; it never opens again.
    var isClosed: Bool { state.withLock(\.isClosed) }

    var load: PushError.Load { state.withLock(\.load) }

    /// How full it is, for a status.
    var occupancy: (inFlight: Int, waiting: Int, waitingBytes: Int) {
        state.withLock { ($0.inFlight, $0.queued, $0.waitingBytes) }
    }

    // MARK: Changing the state

    /// Changes what nobody waits for.
    func withState<Result>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    /// Changes the state. Then those that waited for it have their turn: parked pushes under the lock; with the lock free
    /// watchers, and, by the bytes that are given back, other connections.
    func change<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, calls, surplus, budget) = state.withLock { state in
            let result = body(&state)
            state.promote()
            publish(state)
            return (result, state.takeCalls(), state.takeSurplus(), state.budget)
        }
        for call in calls { call() }
        budget.giveBack(surplus)
        return result
    }

    /// Bytes that somebody here waited for are free in the runtime's budget.
    private func budgetHasRoom() { change { $0.waitsForBudget = false } }
}
