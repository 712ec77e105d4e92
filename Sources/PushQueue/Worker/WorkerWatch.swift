import ProcessRuntime
import PushLocking

/// What those who watch a worker get to know: its status and its events.
///
/// The status may be asked for from any thread. All other members are used on the run's queue, where events are told.
final class WorkerWatch: Sendable {
    private struct State {
        var status = PushWorker.Status()
        /// When the store last answered; before that, when the worker began.
        var lastAnswer: MonotonicInstant
        var isStoreAway = false
    }

    private let state: Locked<State>
    private let onEvent: (@Sendable (PushWorker.Event) -> Void)?
    private let time: any TimeSource

    init(_ onEvent: (@Sendable (PushWorker.Event) -> Void)?, time: any TimeSource) {
        self.onEvent = onEvent
        self.time = time
        state = Locked(State(lastAnswer: time.now))
    }

    var status: PushWorker.Status {
        let now = time.now
        return state.withLock { state in
            var status = state.status
            status.storeSilence = state.isStoreAway ? state.lastAnswer.duration(to: now) : nil
            return status
        }
    }

    /// The machine has handled an event.
    func publish(_ machine: borrowing WorkerMachine) {
        let (taken, flying, leased) = (machine.entries.count, machine.flying, machine.isLeased)
        let (doubts, putOff, takenOver) = (machine.doubtsSeen, machine.putOff, machine.takenOver)
        state.withLock { state in
            (state.status.taken, state.status.inFlight, state.status.isLeased) = (taken, flying, leased)
            (state.status.inDoubt, state.status.retried, state.status.takenOver) = (doubts, putOff, takenOver)
        }
    }

    func tell(_ news: WorkerMachine.News) {
        switch news {
        case .tookOver(let dead, let entries, let tokens):
            onEvent?(.tookOver(from: dead, entries: entries, tokensInDoubt: tokens))
        case .lostEntries(let count): onEvent?(.lostEntries(count))
        case .leaseLost: onEvent?(.leaseLost)
        }
    }

    // MARK: Calls to the store

    /// The store answered, although it may have refused.
    func storeAnswered() {
        let now = time.now
        let silence = state.withLock { state -> Duration? in
            let silence = state.isStoreAway ? state.lastAnswer.duration(to: now) : nil
            (state.isStoreAway, state.lastAnswer) = (false, now)
            return silence
        }
        if let silence { onEvent?(.storeBack(after: silence)) }
    }

    /// A call failed.
    ///
    /// - Parameter saysStoreIsAway: Whether it tells that the store does not answer at all, if that is its error.
    func callFailed(_ error: QueueError, saysStoreIsAway: Bool = true) {
        let isUnreachable = error.code == .unreachable
        if saysStoreIsAway, !isUnreachable { storeAnswered() }
        let isFirst = state.withLock { state in
            state.status.failedCalls += 1
            state.status.lastError = error.description
            guard saysStoreIsAway, isUnreachable, !state.isStoreAway else { return false }
            state.isStoreAway = true
            return true
        }
        if isFirst { onEvent?(.storeAway(error)) }
    }

    /// The store has these outcomes.
    ///
    /// - Parameter id: The id of an entry; nil if the entry cannot be read.
    func settled(_ settlements: [Settlement], id: (TakenEntry.Key) -> EntryID?) {
        var letters: [(entry: EntryID?, reason: String)] = []
        for settlement in settlements {
            if case .dead(let reason) = settlement.fate { letters.append((id(settlement.key), reason)) }
        }
        state.withLock { state in
            state.status.deadLetters += letters.count
            for settlement in settlements {
                state.status.settled += settlement.rows.count
                for row in settlement.rows { state.status.outcomes[row.word, default: 0] += 1 }
            }
        }
        for letter in letters { onEvent?(.deadLetter(entry: letter.entry, reason: letter.reason)) }
    }
}
