import PushLocking
import PushQueue
import SupervisedPush

/// The work on one queue: its store, its links and its worker.
final class QueueWork: Sendable {
    let name: String
    let watch: LinkWatch
    private let queue: OpenQueue
    private let store: CountingStore
    private let worker: PushWorker
    private let say: @Sendable (String) -> Void
    private let told = Locked<(warnings: Bool, error: String?)>((false, nil))

    /// Connects. Work begins with ``run()``.
    init(
        _ queue: WorkerQueue, _ location: QueueLocation, _ runtime: PushRuntime, maxOutage: Duration?,
        onOutage: @escaping @Sendable () -> Void, say: @escaping @Sendable (String) -> Void
    ) throws(CommandError) {
        name = queue.name
        self.say = say
        let config = try queue.config(StandardErrorLog.logger(isVerbose: queue.connection.verbose, say))
        self.queue = try OpenQueue(location, name: name, makesFile: true)
        store = CountingStore(self.queue.store)
        watch = LinkWatch(
            endpoint: "\(config.effectiveHost):\(config.port)", maxOutage: maxOutage, say: say,
            .init(outage: onOutage))
        let connection = try queue.connection.connect(runtime, name, config, watch.mailbox)
        worker = PushWorker(store, of: connection)
    }

    var status: PushWorker.Status { worker.status }

    /// The outcomes that this worker has stored.
    var tally: Tally { store.tally }

    func stop(within time: Duration) { worker.stop(within: time) }

    /// Works until it is stopped.
    ///
    /// - Returns: Why it ended by itself; nil if it was stopped.
    func run() async -> CommandError? {
        let watching = Task { await watch.run() }
        var failure: CommandError?
        do { try await worker.run() } catch { failure = self.failure(error) }
        // What is told later is the end that was asked for.
        watch.mailbox.close()
        await watching.value
        return failure
    }

    private func failure(_ error: any Error) -> CommandError {
        if let error = error as? QueueError { return CommandError(error, queue.place) }
        guard !watch.refusedCredential else {
            return CommandError(.refused, "the queue \(name): the server refuses the credential")
        }
        let cause = watch.lastFailure.map { ": \(LinkWatch.cause($0, watch.endpoint))" } ?? ""
        return CommandError(.unavailable, "the queue \(name): the connection has ended\(cause)")
    }

    /// How it stands, for a log: `orders: 12 waiting, 3 taken, …`.
    func line() async -> String {
        let waiting: String
        do throws(QueueError) { waiting = Figures.grouped(try await store.status().waiting) } catch { waiting = "–" }
        let (status, tally) = (status, tally)
        let counts = [
            (waiting, "waiting"), (Figures.grouped(status.taken), "taken"),
            (Figures.grouped(status.inFlight), "in flight"), (Figures.grouped(tally.delivered), "delivered"),
            (Figures.grouped(tally.rejected), "rejected"), (Figures.grouped(tally.failed), "failed"),
            (Figures.grouped(tally.unknown), "unknown"),
        ]
        return "pushctl: \(name): " + counts.map { "\($0) \($1)" }.joined(separator: ", ")
    }

    /// Says what is new: once what an operator should know about the server, and why the last call to the queue failed,
    /// once for each reason.
    func tellNews() {
        let status = status
        let (isKnown, isNewError) = told.withLock { told in
            let news = (told.warnings, status.lastError != told.error)
            told = (told.warnings || status.isLeased, status.lastError)
            return news
        }
        if status.isLeased, !isKnown {
            for warning in queue.warnings { say("pushctl: queue: \(warning)".onOneLine) }
        }
        if isNewError, let error = status.lastError { say("pushctl: queue: \(error)".onOneLine) }
    }
}
