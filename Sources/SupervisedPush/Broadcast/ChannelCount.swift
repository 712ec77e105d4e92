import PushLocking

/// How many channels an app has, as far as one ``BroadcastChannels`` knows: the latest list, plus what it created and
/// deleted since. It never counts too few of its own, so that concurrent creations do not exceed the limit together.
final class ChannelCount: Sendable {
    /// Nil: the waiting caller was cancelled.
    private typealias Caller = CheckedContinuation<Result<Void, ChannelError>?, Never>

    /// How a creation ended.
    enum End { case created, notCreated, unknown }

    private struct State {
        /// Nil before the first list, and after a creation whose result is unknown.
        var channels: Int?
        /// Creations under way.
        var pending = 0
        /// Creations that ended, for lists that were under way at that time and may have missed them.
        var ended = 0
        /// Lists that arrived, for deletions that such a list may have counted already.
        var lists = 0
        /// Callers that wait for the list that one of them requested.
        var callers: [Int: Caller] = [:]
        var lastCaller = 0
        var isLearning = false
    }

    private let state = Locked(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// How many callers wait for the list.
    var waitingCount: Int { state.withLock { $0.callers.count } }

    /// Lists the channels, unless a list has arrived since the caller looked. A caller that comes while a list is under
    /// way joins it. False if the caller's task was cancelled, which ends only that caller's wait.
    func learn(
        _ list: @escaping @Sendable () async -> Result<Void, ChannelError>
    ) async throws(ChannelError) -> Bool {
        let id = state.withLock { state in
            state.lastCaller += 1
            return state.lastCaller
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (caller: Caller) in
                let (isKnown, isFirst) = state.withLock { state in
                    guard state.channels == nil else { return (true, false) }
                    state.callers[id] = caller
                    defer { state.isLearning = true }
                    return (false, !state.isLearning)
                }
                if isKnown { return caller.resume(returning: .success(())) }
                if isFirst { Task { finish(await list()) } }
                if Task.isCancelled { leave(id) }
            }
        } onCancel: {
            leave(id)
        }
        try result?.get()
        return result != nil
    }

    private func leave(_ id: Int) {
        let caller = state.withLock { $0.callers.removeValue(forKey: id) }
        caller?.resume(returning: nil)
    }

    private func finish(_ result: Result<Void, ChannelError>) {
        let callers = state.withLock { state in
            state.isLearning = false
            defer { state.callers = [:] }
            return state.callers.values
        }
        for caller in callers { caller.resume(returning: result) }
    }

    /// Reserves a place for one more channel; false if the number of channels is not known.
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
    func creationEnded(_ end: End) {
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

    /// How many lists have arrived.
    var lists: Int { state.withLock { $0.lists } }

    /// A channel was deleted. `lists` is the number of lists at the time of the request: a later list may not have it
    /// any more.
    func noteDeletion(since lists: Int) {
        state.withLock { state in
            guard let channels = state.channels, state.lists == lists else { return }
            state.channels = max(0, channels - 1)
        }
    }

    /// A list is requested now.
    func beginList() -> Int { state.withLock { $0.ended } }

    /// A list arrived. Channels created since it was requested may not be in it.
    func listed(_ channels: Int, since began: Int) {
        state.withLock { state in
            state.channels = channels + state.ended - began
            state.lists += 1
        }
    }
}
