import PushLocking

/// A bulk that was called and is not iterated yet. Nothing is read before the first outcome is asked for.
final class BulkLaunch: Sendable {
    private struct State {
        /// Nil once it was taken.
        var source: (any BulkSource)?
        weak var run: BulkRun?
        /// Set if it was stopped before it began.
        var isStopped = false
    }

    private let connection: PushConnection
    private let options: BulkOptions
    private let tellsLateEnds: Bool
    private let state: Locked<State>

    /// - Parameter tellsLateEnds: Whether a push that timed out has a second result, with its late end.
    init(
        _ connection: PushConnection, _ source: any BulkSource, _ options: BulkOptions, tellsLateEnds: Bool = false
    ) {
        self.connection = connection
        self.options = options
        self.tellsLateEnds = tellsLateEnds
        state = Locked(State(source: source))
    }

    func start() throws(PushError) -> BulkRun {
        guard let source = state.withLock({ $0.source.take() }) else { throw .iteratedTwice() }
        let run = BulkRun(BatchTarget(connection), options, tellsLateEnds: tellsLateEnds)
        let isStopped = state.withLock { state in
            state.run = run
            return state.isStopped
        }
        if isStopped { run.stop(within: .zero) }
        run.begin(source)
        return run
    }

    /// Ends the bulk in order, even if it has not begun.
    func stop(within time: Duration) {
        let run = state.withLock { state in
            state.isStopped = true
            return state.run
        }
        run?.stop(within: time)
    }
}
