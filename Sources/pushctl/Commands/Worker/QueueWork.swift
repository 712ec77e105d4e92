import PushLocking
import PushQueue
import SupervisedPush

/// The work on one queue: its store, its links and its worker.
final class QueueWork: Sendable {
    let name: String
    let watch: LinkWatch
    private let queue: OpenQueue
    private let worker: PushWorker
    private let say: @Sendable (String) -> Void
    private let told = Locked(false)

    /// Connects. Work begins with ``run()``.
    init(
        _ queue: WorkerQueue, _ open: OpenQueue, _ runtime: PushRuntime, maxOutage: Duration?,
        onOutage: @escaping @Sendable () -> Void, say: @escaping @Sendable (String) -> Void
    ) throws(CommandError) {
        name = queue.name
        self.say = say
        let config = try queue.config(StandardErrorLog.logger(isVerbose: queue.connection.verbose, say))
        self.queue = open
        watch = LinkWatch(
            endpoint: "\(config.effectiveHost):\(config.port)", maxOutage: maxOutage, say: say,
            .init(outage: onOutage))
        let connection = try queue.connection.connect(runtime, name, config, watch.mailbox)
        var configuration = PushWorker.Configuration(name: WorkerName.make())
        configuration.rate = queue.rate.rate
        configuration.onEvent = { [name] event in say("pushctl: \(name): \(WorkerNews.line(event))".onOneLine) }
        worker = PushWorker(open.store, of: connection, configuration: configuration)
    }

    var status: PushWorker.Status { worker.status }

    /// Where its queue is.
    var place: String { queue.place }

    /// The outcomes that the queue has from this worker.
    var tally: Tally {
        worker.status.outcomes.reduce(into: Tally()) { $0.count(OutcomeRow.Outcome($1.key), times: $1.value) }
    }

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
        do throws(QueueError) { waiting = Figures.grouped(try await queue.store.status().waiting) } catch {
            waiting = "–"
        }
        let (status, tally) = (status, tally)
        let counts = [
            (waiting, "waiting"), (Figures.grouped(status.taken), "taken"),
            (Figures.grouped(status.inFlight), "in flight"), (Figures.grouped(tally.delivered), "delivered"),
            (Figures.grouped(tally.rejected), "rejected"), (Figures.grouped(tally.failed), "failed"),
            (Figures.grouped(tally.unknown), "unknown"),
        ]
        return "pushctl: \(name): " + counts.map { "\($0) \($1)" }.joined(separator: ", ")
    }

    /// Says once what an operator should know about the server.
    func tellWarnings() {
        let isNew =
            status.isLeased
            && told.withLock { told in
                defer { told = true }
                return !told
            }
        guard isNew else { return }
        for warning in queue.warnings { say("pushctl: queue: \(warning)".onOneLine) }
    }
}
