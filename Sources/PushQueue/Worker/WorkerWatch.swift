import ProcessRuntime
import PushLocking
import SupervisedPush

/// What a worker publishes: its status and its events.
///
/// The status may be asked for from any thread. All other members are used on the run's queue, where events are published.
final class WorkerWatch: Sendable {
    /// Which call a store answered or failed.
    enum Call: Sendable {
        /// Heartbeats, and the opening before the first.
        case heartbeat
        /// The wait for entries. It has a connection of its own, and other calls may be answered.
        case wait
        case other
    }

    fileprivate struct State {
        var status = PushWorker.Status()
        /// When the store last did what a call asked for, and when it last acknowledged a heartbeat; before that, when
        /// the worker began.
        var lastAnswer: MonotonicInstant
        var lastHeartbeat: MonotonicInstant
        var isStoreUnreachable = false
        /// The calls whose failure was reported. Once each has been answered, ``PushWorker/Event/storeBack(after:)`` follows.
        var troubled: Set<Call> = []
        /// When the store last answered before that.
        var troubledSince: MonotonicInstant?
        /// Whether the heartbeat after the last acknowledged one has failed, or came too late.
        var isSilent = false
        /// When failures were last told, by their codes.
        var told: [QueueError.Code: MonotonicInstant] = [:]
    }

    /// How often a continuing failure is reported.
    fileprivate static let repetition = Duration.seconds(60)

    private let state: Locked<State>
    private let onEvent: (@Sendable (PushWorker.Event) -> Void)?
    private let metrics: WorkerMetrics?
    private let time: any TimeSource

    init(
        _ onEvent: (@Sendable (PushWorker.Event) -> Void)?, metrics: WorkerMetrics? = nil, time: any TimeSource
    ) {
        self.onEvent = onEvent
        self.metrics = metrics
        self.time = time
        state = Locked(State(lastAnswer: time.now, lastHeartbeat: time.now))
    }

    var status: PushWorker.Status {
        let now = time.now
        return state.withLock { state in
            var status = state.status
            status.storeSilence = state.isSilent ? state.lastHeartbeat.duration(to: now) : nil
            return status
        }
    }

    /// The machine has handled an event.
    func publish(_ machine: borrowing WorkerMachine) {
        let (taken, flying, leased) = (machine.entries.count, machine.flying, machine.isLeased)
        let isPaused = machine.steering.isPaused
        let (doubts, postponed, takenOver) = (machine.doubtsSeen, machine.postponed, machine.takenOver)
        let (old, new) = state.withLock { state in
            let old = state.status
            (state.status.taken, state.status.inFlight, state.status.isLeased) = (taken, flying, leased)
            state.status.isPaused = isPaused
            (state.status.inDoubt, state.status.retried, state.status.takenOver) = (doubts, postponed, takenOver)
            return (old, state.status)
        }
        guard let metrics else { return }
        metrics.count(.tokenInDoubt, new.inDoubt - old.inDoubt)
        metrics.count(.tokenPostponed, new.retried - old.retried)
        metrics.count(.entryTakenOver, new.takenOver - old.takenOver)
        metrics.set(new, before: old)
    }

    /// The worker has ended. Its status stays what it was.
    func ended() { metrics?.end() }

    /// The worker got entries from the queue.
    func took(_ count: Int) { metrics?.count(.entryTaken, count) }

    /// - Parameter refusal: The latest answer about the sender or the service.
    func tell(_ news: WorkerMachine.News, _ refusal: PushResponse? = nil) {
        switch news {
        case .paused(let subject, let probe):
            guard let refusal else { break }
            onEvent?(.paused(PushPause(response: refusal, judges: subject, nextProbe: probe)))
        case .resumed: onEvent?(.resumed)
        case .steered(let steering): onEvent?(.steered(steering))
        case .tookOver(let dead, let entries, let tokens):
            onEvent?(.tookOver(from: dead, entries: entries, tokensInDoubt: tokens))
        case .lostEntries(let count):
            metrics?.count(.entryLost, count)
            onEvent?(.lostEntries(count))
        case .leaseLost:
            metrics?.count(.leaseLost)
            state.withLock { state in
                state.isSilent = true
                state.begin(.heartbeat)
            }
            onEvent?(.leaseLost)
        }
    }

    // MARK: Calls to the store

    /// The store did what a call asked for.
    func storeAnswered(_ call: Call = .other) {
        let now = time.now
        let silence = state.withLock { state in
            if call != .wait { state.lastAnswer = now }
            if call == .heartbeat { (state.isSilent, state.lastHeartbeat) = (false, now) }
            return state.end(call, now)
        }
        if let silence { onEvent?(.storeBack(after: silence)) }
    }

    func callFailed(_ error: QueueError, in call: Call = .other) {
        metrics?.count(error.code)
        let now = time.now
        let event = state.withLock { state -> PushWorker.Event? in
            state.status.failedCalls += 1
            state.status.lastError = error.description
            if call == .heartbeat { state.isSilent = true }
            return state.event(error, in: call, now)
        }
        if let event { onEvent?(event) }
    }

    /// The store has these outcomes.
    ///
    /// - Parameter id: The id of an entry; nil if the entry cannot be read.
    func settled(_ settlements: [Settlement], id: (TakenEntry.Key) -> EntryID?) {
        var letters: [(entry: EntryID?, reason: String)] = []
        for settlement in settlements {
            if case .dead(let reason) = settlement.fate { letters.append((id(settlement.key), reason)) }
        }
        var tally = KindTally()
        for settlement in settlements {
            // By their places: to go through them copies each.
            for place in settlement.rows.indices { tally.add(settlement.rows[place].outcome.kind) }
        }
        let outcomes = tally.counts
        state.withLock { state in
            state.status.deadLetters += letters.count
            for (kind, count) in outcomes {
                state.status.settled += count
                state.status.outcomes[kind, default: 0] += count
            }
        }
        metrics?.count(.deadLetter, letters.count)
        for (kind, count) in outcomes { metrics?.count(kind, count) }
        for letter in letters { onEvent?(.deadLetter(entry: letter.entry, reason: letter.reason)) }
    }
}

/// How many outcomes there are of each kind. Not a dictionary, which would hash the kind of each outcome.
private struct KindTally {
    private var delivered = 0
    private var rejected = 0
    private var failed = 0
    private var unknown = 0

    mutating func add(_ kind: PushOutcome.Kind) {
        switch kind {
        case .delivered: delivered += 1
        case .rejected: rejected += 1
        case .failed: failed += 1
        case .unknown: unknown += 1
        }
    }

    /// Those of which there are any.
    var counts: [(kind: PushOutcome.Kind, count: Int)] {
        [(.delivered, delivered), (.rejected, rejected), (.failed, failed), (.unknown, unknown)].filter { $0.1 > 0 }
    }
}

extension WorkerWatch.State {
    /// Reports the failure of a call.
    fileprivate mutating func begin(_ call: WorkerWatch.Call) {
        if troubled.isEmpty { troubledSince = call == .heartbeat ? lastHeartbeat : lastAnswer }
        troubled.insert(call)
    }

    /// A call was answered.
    ///
    /// - Returns: How long the trouble was, if this is its end.
    fileprivate mutating func end(_ call: WorkerWatch.Call, _ now: MonotonicInstant) -> Duration? {
        guard troubled.remove(call) != nil, troubled.isEmpty else { return nil }
        isStoreUnreachable = false
        return troubledSince?.duration(to: now)
    }

    /// What is reported of a failed call; nil if it was reported before, or says nothing new.
    fileprivate mutating func event(
        _ error: QueueError, in call: WorkerWatch.Call, _ now: MonotonicInstant
    ) -> PushWorker.Event? {
        switch error.code {
        case .unreachable:
            guard call != .wait, !isStoreUnreachable else { return nil }
            isStoreUnreachable = true
            begin(call)
            return .storeUnreachable(error)
        case .lost:
            status.queueLosses += 1
            return .queueLost(error)
        // The machine tells which entries were lost.
        case .fenced: return nil
        case .invalidEntry, .full, .refused, .failed:
            // Also if another call has told it.
            if call == .heartbeat { begin(call) }
            guard told[error.code].map({ $0.duration(to: now) >= WorkerWatch.repetition }) ?? true else { return nil }
            told[error.code] = now
            begin(call)
            return .storeFailed(error)
        }
    }
}
