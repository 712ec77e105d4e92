import Dispatch
import ProcessRuntime

/// Where a bulk's pushes go: a connection or a pool, across its processes, or one process alone.
struct BulkTarget {
    private let destination: any Destination
    /// The only process that is meant; nil if any of the connection's is.
    private let pid: ProcessID?

    init(_ connection: PushConnection) {
        destination = connection.destination
        // A pool's pushes go to its connections, whichever process watches over them.
        pid = destination is ConnectionEntry ? connection.process : nil
    }

    /// Beyond what a link takes at a time: enough that it never runs dry while the source is read.
    private static let reserve = 256

    private var outbox: Outbox { destination.outbox }
    var time: any TimeSource { outbox.time }
    /// A serial queue for the bulk's timer.
    var timerQueue: DispatchQueue { outbox.delivery.timerQueue }

    // MARK: Where it stands

    /// True while a link takes pushes.
    var isUp: Bool { destination.hub.phase == .up }

    /// How many of a bulk's pushes may be read and not taken: what the links take at a time, and 256 more for each.
    var window: Int {
        let serving = destination.serving
        let limits = serving.filter { $0.hub.phase == .up }.map(\.watch.gauges.limit)
        guard limits.isEmpty else { return limits.reduce(0) { $0 + $1 + Self.reserve } }
        return max(1, serving.count) * (destination.config.maxInFlight + Self.reserve)
    }

    /// Why no push will ever go out any more; nil while one may.
    var end: PushError? {
        if let pid, destination.pid != pid { return PushError(LookupError.noProcess(pid)) }
        return destination.endError
    }

    /// Why no link is up for so long, if more is known than that.
    func outage(of time: Duration) -> PushError {
        destination.refusal.map(PushError.suspended) ?? .noLink(for: time, destination.outage)
    }

    /// Calls whenever one of the above may have changed, on the thread that changes it; nil if the end has come.
    func watch(_ call: @escaping @Sendable () -> Void) -> Int? { destination.hub.watch(call) }
    func unwatch(_ id: Int) { destination.hub.unwatch(id) }

    // MARK: Pushes

    /// Gives the push its identity.
    func issue(_ item: BulkItem, _ options: PushOptions) -> PushRecord { outbox.issue(item, options) }

    /// Hands the push over, or says why not. Where there is no room, it waits for it there.
    func offer(_ record: PushRecord, _ options: PushOptions, _ outcome: OutcomeSink) throws(PushError) {
        try outbox.check(record, options)
        try destination.entrance.offer(record, outcome, options.whenFull)
    }

    /// Withdraws a push; its outcome still comes.
    func cancel(_ record: PushRecord) { outbox.cancel(record) }
}
