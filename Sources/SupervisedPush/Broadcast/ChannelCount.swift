import Locking

/// How many channels an app has, as far as one ``BroadcastChannels`` knows: what the latest list said, and what it created and
/// deleted since. It never counts too few of its own, so that concurrent creations do not pass the limit together.
final class ChannelCount: Sendable {
    /// How a creation ended.
    enum End { case created, notCreated, unknown }

    private struct State {
        /// nil before the first list, and after a creation whose fate is unknown.
        var channels: Int?
        /// Creations under way.
        var pending = 0
        /// Creations that ended, for lists that were under way meanwhile and may have missed them.
        var ended = 0
        /// Lists that came, for deletions that one of them may have counted already.
        var lists = 0
        /// The list that somebody who creates has asked for.
        var learning: Task<Result<Void, ChannelError>, Never>?
    }

    private let state = Locked(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Whether somebody has them listed.
    var isLearning: Bool { state.withLock { $0.learning != nil } }

    /// Has the channels listed; who comes while that is under way joins it.
    func learn(
        _ list: @escaping @Sendable () async -> Result<Void, ChannelError>
    ) async throws(ChannelError) {
        let task = state.withLock { state in
            if let task = state.learning { return task }
            let task = Task { [self] in
                let result = await list()
                self.state.withLock { $0.learning = nil }
                return result
            }
            state.learning = task
            return task
        }
        let result = await task.value
        // The order is there by the task; Thread Sanitizer sees it by the lock.
        state.withLock { _ in }
        try result.get()
    }

    /// Takes a place for one more channel; false if it is not known how many there are.
    func reserve() throws(ChannelError) -> Bool {
        let (isKnown, surplus) = state.withLock { state -> (Bool, Int?) in
            guard let channels = state.channels else { return (false, nil) }
            let taken = channels + state.pending
            guard taken < limit else { return (true, taken) }
            state.pending += 1
            return (true, nil)
        }
        if let surplus { throw ChannelError(limit: limit, known: surplus) }
        return isKnown
    }

    /// A creation ended.
    func settle(_ end: End) {
        state.withLock { state in
            state.pending -= 1
            switch end {
            case .created:
                state.channels? += 1
                state.ended += 1
            case .notCreated: break
            case .unknown:
                state.channels = nil
                state.ended += 1
            }
        }
    }

    /// How many lists have come.
    var lists: Int { state.withLock { $0.lists } }

    /// A channel was deleted that was asked for when so many lists had come: one that came since may miss it already.
    func noteDeletion(since lists: Int) {
        state.withLock { state in
            guard let channels = state.channels, state.lists == lists else { return }
            state.channels = max(0, channels - 1)
        }
    }

    /// A list is asked for now.
    func beginList() -> Int { state.withLock { $0.ended } }

    /// A list came. What was created since it was asked for may not be in it.
    func listed(_ channels: Int, since began: Int) {
        state.withLock { state in
            state.channels = channels + state.ended - began
            state.lists += 1
        }
    }
}
