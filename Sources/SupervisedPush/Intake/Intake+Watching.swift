/// Who wants to be told: that the connection is idle, or that there is room.
extension Intake {
    /// Calls once there is no push any more that has no outcome, or whose completion has not returned; at once, if so.
    ///
    /// - Parameter id: a number of `newWatcher()`, to take it back by.
    func whenIdle(_ id: Int, _ call: @escaping @Sendable () -> Void) {
        change { $0.idleWatchers.append((id, call)) }
    }

    /// Calls once there is room for a push of any size: at once, if there is. Room is not reserved: others may take it.
    ///
    /// The call brings an error if the connection ends before, if the watching is taken back, and at once if 10,000 watch
    /// already.
    ///
    /// - Parameter id: a number of `newWatcher()`, for who may want to take it back.
    func whenRoom(_ id: Int? = nil, _ call: @escaping @Sendable (Result<Void, PushError>) -> Void) {
        let refusal = change { state -> PushError? in
            guard state.roomWatchers.count < state.bounds.maxParked else {
                return .overloaded(state.load, isBudget: false, nil)
            }
            state.roomWatchers.append(RoomWatcher(id: id ?? state.newWatcher(), call: call))
            return nil
        }
        if let refusal { call(.failure(refusal)) }
    }

    /// A number to take the watching back by.
    func newWatcher() -> Int { withState { $0.newWatcher() } }

    /// Takes the watching back, which brings its error to who watched for room. Does nothing before it began and after it
    /// ended.
    func stopWatching(_ id: Int) {
        let watcher = withState { state in
            state.idleWatchers.removeAll { $0.id == id }
            return state.roomWatchers.firstIndex { $0.id == id }.map { state.roomWatchers.remove(at: $0) }
        }
        watcher?.call(.failure(.stoppedWaiting()))
    }
}

extension Intake.State {
    mutating func newWatcher() -> Int {
        lastWatcher += 1
        return lastWatcher
    }

    /// Those who are to be told now.
    mutating func takeCalls() -> [@Sendable () -> Void] {
        guard !idleWatchers.isEmpty || !roomWatchers.isEmpty else { return [] }
        var calls: [@Sendable () -> Void] = []
        if isIdle {
            calls = idleWatchers.map(\.call)
            idleWatchers = []
        }
        if !roomWatchers.isEmpty, let news = roomNews() {
            calls += roomWatchers.map { watcher in { watcher.call(news) } }
            roomWatchers = []
        }
        return calls
    }

    private mutating func roomNews() -> Result<Void, PushError>? {
        if isClosed { return .failure(.closed(nil)) }
        // Those whose pushes are parked come first.
        guard parkedCount == 0, reserve(Self.largestPush, waits: true) else { return nil }
        return .success(())
    }

    /// The most bytes that APNs takes of a payload.
    private static var largestPush: Int { 5_120 }
}
