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
    private let state: Locked<State>

    init(_ connection: PushConnection, _ source: any BulkSource, _ options: BulkOptions) {
        self.connection = connection
        self.options = options
        state = Locked(State(source: source))
    }

    func start() throws(PushError) -> BulkRun {
        guard let source = state.withLock({ $0.source.take() }) else { throw .iteratedTwice() }
        let run = BulkRun(BulkTarget(connection), options)
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

/// Lives as long as an iterator can ask for outcomes: a bulk ends with its iterator, and keeps its runtime alive.
final class BulkLifetime: @unchecked Sendable {
    // Sendable: an iterator is used by one task at a time.
    private let launch: BulkLaunch
    private var started: BulkRun?

    init(_ launch: BulkLaunch) { self.launch = launch }

    deinit { started?.cancel() }

    /// The run, which the first call starts.
    func run() throws(PushError) -> BulkRun {
        if let started { return started }
        let run = try launch.start()
        started = run
        return run
    }
}
