import DequeModule
import PushLocking

/// Passes the results of a bulk to the consumer, and reports how many were taken.
package struct BulkIterator {
    /// After how many results the run hears of them.
    private static let stride = 64

    private let lifetime: Lifetime
    private var outcomes = Deque<BulkResult>()
    /// The number returned. The latest one belongs to the caller until it asks for the next.
    private var given = 0
    private var isOver = false

    init(_ launch: BulkLaunch) { lifetime = Lifetime(launch) }

    /// The next result, if it is available and nothing else is to be done. That is the usual case and needs no
    /// asynchronous call.
    package mutating func atHand() -> BulkResult? {
        guard given < Self.stride, let outcome = outcomes.popFirst() else { return nil }
        // A late end is the second result of its push.
        if outcome.late == nil { given += 1 }
        return outcome
    }

    /// Waits until results are at hand; false after the last one, and after an error was thrown.
    mutating func wait(isolation actor: isolated (any Actor)?) async throws -> Bool {
        if outcomes.isEmpty {
            try await refill(isolation: actor)
        } else if given >= Self.stride {
            try report()
        }
        return !outcomes.isEmpty
    }

    private mutating func report() throws {
        let run = try lifetime.run()
        guard !Task.isCancelled else {
            run.cancel()
            (isOver, outcomes) = (true, [])
            throw CancellationError()
        }
        run.took(given)
        given = 0
    }

    private mutating func refill(isolation actor: isolated (any Actor)?) async throws {
        guard !isOver else { return }
        do {
            let run = try lifetime.run()
            while true {
                if Task.isCancelled { run.cancel() }
                defer { given = 0 }
                switch run.supply(&outcomes, taken: given) {
                case .outcomes: return
                case .nothing: await wait(run, isolation: actor)
                case .over(let error):
                    isOver = true
                    if let error { throw error }
                    return
                }
            }
        } catch {
            isOver = true
            throw error
        }
    }

    private func wait(_ run: BulkRun, isolation actor: isolated (any Actor)?) async {
        await withTaskCancellationHandler(
            operation: { await withCheckedContinuation(isolation: actor) { run.wait($0) } },
            onCancel: { run.cancel() }, isolation: actor)
    }

    /// Lives as long as an iterator can ask for outcomes: a bulk ends with its iterator, and keeps its runtime alive.
    private final class Lifetime: @unchecked Sendable {
        // Sendable: an iterator is used by one task at a time.
        private let launch: BulkLaunch
        private var started: BulkRun?

        init(_ launch: BulkLaunch) { self.launch = launch }

        deinit {
            // Not that of another iterator, whose run goes on.
            guard let started else { return }
            started.cancel()
            launch.isOver()
        }

        /// The run, which the first call starts.
        func run() throws(PushError) -> BulkRun {
            if let started { return started }
            let run = try launch.start()
            started = run
            return run
        }
    }
}

/// A bulk that was called and is not iterated yet. Nothing is read before the first outcome is asked for.
final class BulkLaunch: Sendable {
    private struct State {
        /// Nil once it was taken.
        var source: (any BulkSource)?
        /// Nil again once its iterator has gone.
        var run: BulkRun?
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

    /// Its iterator has gone.
    func isOver() { _ = state.withLock { $0.run.take() } }

    /// Ends the bulk in order, even if it has not begun.
    func stop(within time: Duration) {
        let run = state.withLock { state in
            state.isStopped = true
            return state.run
        }
        run?.stop(within: time)
    }
}
