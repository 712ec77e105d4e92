import Locking

/// A bulk that was called and not iterated: nothing is looked up or read before somebody asks for an outcome.
final class BulkLaunch: Sendable {
    let runtime: PushRuntime
    private let target: PushTarget
    private let options: BulkOptions
    /// Nil once it was taken.
    private let source: Locked<(any BulkSource)?>

    init(_ runtime: PushRuntime, _ target: PushTarget, _ source: any BulkSource, _ options: BulkOptions) {
        self.runtime = runtime
        self.target = target
        self.options = options
        self.source = Locked(source)
    }

    func start() throws(PushError) -> BulkRun {
        guard let source = source.withLock({ $0.take() }) else { throw .iteratedTwice() }
        return BulkRun.start(source, try destination(), options)
    }

    private func destination() throws(PushError) -> any BulkTarget {
        switch try runtime.directory.destination(target) {
        case .connection(let entry): ConnectionTarget(entry, target)
        case .pool(let pool): try PoolTarget(pool)
        }
    }
}

/// What lives as long as somebody may ask for an outcome: a bulk ends with its iterator, and the runtime stays for its bulks.
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
