import ArgumentParser
import FoundationEssentials
import PushCampaign
import PushLocking
import PushPrometheus
import PushQueue
import PushTerminal
import SupervisedPush

/// The work on one queue: its store, its links and its worker.
final class QueueWork: Sendable {
    let name: String
    let watch: LinkWatch
    private let queue: OpenQueue
    private let standing: QueueStanding
    private let worker: PushWorker
    private let connection: PushConnection
    private let outlet: WorkerOutlet
    private let told = Locked(Told())
    private let pause = Locked<(subject: PushResponse.Subject, since: ContinuousClock.Instant)?>(nil)

    private struct Told {
        var warnings = false
        /// What the queue has as this worker's note.
        var note: String?
        var isTelling = false
    }

    /// How long a note in a queue is at most.
    static let longestNote = 500

    /// Connects. Work begins with ``run()``.
    init(
        _ queue: WorkerQueue, open: OpenQueue, runtime: PushRuntime, maxOutage: Duration?, outlet: WorkerOutlet,
        onOutage: @escaping @Sendable () -> Void
    ) throws(CommandError) {
        name = queue.name
        self.outlet = outlet
        let say = outlet.named(queue.name)
        var config = try queue.config(StandardErrorLog.logger(isVerbose: queue.connection.verbose, say))
        config.watching.metrics = outlet.metrics
        self.queue = open
        standing = QueueStanding { [store = open.store] in try? await store.status() }
        let endpoint = "\(config.effectiveHost):\(config.port)"
        var events = LinkWatch.Events(outage: onOutage)
        if outlet.outages != nil {
            events.links = { [name] news in outlet.hear(news, .link(endpoint), of: name) }
        }
        watch = LinkWatch(endpoint: endpoint, maxOutage: maxOutage, say: say, events)
        connection = try queue.connection.connect(on: runtime, name: name, config: config, owner: watch.mailbox)
        var configuration = PushWorker.Configuration(name: WorkerName.make())
        configuration.rate = queue.rate.rate
        configuration.metrics = outlet.metrics
        let place = open.place
        configuration.onEvent = { [name, pause] event in
            switch event {
            case .paused(let news): pause.withLock { $0 = (news.judges, $0?.since ?? .now) }
            case .resumed: pause.withLock { $0 = nil }
            default: break
            }
            if outlet.hear(event, .store(place), of: name) { return }
            say(LogLine("pushctl: \(WorkerNews.line(event))".onOneLine, WorkerNews.level(event)))
        }
        worker = PushWorker(queue: open.store, connection: connection, configuration: configuration)
        say(beginning)
    }

    /// What works from now on: for a log in which nothing else says so.
    private var beginning: LogLine {
        let (version, credential) = (Pushctl.configuration.version, connection.status.credential.description)
        return LogLine(
            "pushctl: worker \(version) on \(place), \(watch.endpoint), \(credential)".onOneLine, .info,
            [
                .init("version", .text(version)), .init("place", .text(place)),
                .init("endpoint", .text(watch.endpoint)), .init("credential", .text(credential)),
            ])
    }

    var status: PushWorker.Status { worker.status }

    /// What APNs has refused for longer than this.
    func refusal(lasting time: Duration) -> PushResponse.Subject? {
        pause.withLock { pause in pause.flatMap { $0.since.duration(to: .now) > time ? $0.subject : nil } }
    }

    // MARK: Health

    /// Whether the queue acknowledges its heartbeats, and it pushes or is paused.
    var isReady: Bool { status.isLeased && (connection.status.phase == .up || status.isPaused) }

    /// Why it is not well; nil if it is.
    var trouble: String? {
        let status = status
        if let suspension { return "suspended: \(LinkWatch.clause(suspension))" }
        guard status.isLeased else {
            let cause = status.lastError.map { ": \(LinkWatch.clause($0))" } ?? ""
            return "the queue acknowledges no heartbeat\(cause)".onOneLine
        }
        return connection.status.phase == .up || status.isPaused ? nil : watch.absence
    }

    /// What is read of it when the metrics are shown.
    var samples: [PrometheusSample] {
        get async {
            var samples = connection.samples(name: name)
            // A queue that does not answer has no figures.
            guard let status = await standing.status else { return samples }
            let labels = [(name: "connection", value: name)]
            let figures: [(String, Int)] = [
                ("waiting", status.waiting), ("urgent", status.urgent), ("delayed", status.delayed),
                ("dead", status.dead), ("workers", status.workers.count),
            ]
            for (figure, count) in figures {
                samples.append(PrometheusSample("supervised_push_queue_\(figure)", labels: labels, Double(count)))
            }
            let age = status.oldest.map { max(0, -$0.timeIntervalSinceNow) } ?? 0
            samples.append(PrometheusSample("supervised_push_queue_oldest_seconds", labels: labels, age))
            return samples
        }
    }

    /// Where its queue is.
    var place: String { queue.place }

    /// The outcomes that the queue has from this worker.
    var tally: Tally {
        worker.status.outcomes.reduce(into: Tally()) { $0.count($1.key, times: $1.value) }
    }

    /// Why it takes nothing; nil if it does.
    var suspension: String? { connection.status.refusal?.description }

    func pace(_ rate: QueueRate?) { worker.pace(rate) }

    /// Returns once the worker has turned.
    func turn() async { await worker.turn() }

    /// Frees the connection's name.
    func close() async { await connection.close(within: .zero) }

    func stop(within time: Duration) { worker.stop(within: time) }

    /// Works until it is stopped.
    ///
    /// - Returns: Why it ended by itself; nil if it was stopped.
    func run() async -> CommandError? {
        let watching = Task { await watch.run() }
        var failure: CommandError?
        do { try await worker.run() } catch { failure = self.failure(error) }
        // What comes later is the end that was asked for.
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

    /// How it stands, in a word.
    var state: QueueState {
        let status = status
        if suspension != nil { return .suspended }
        guard status.isLeased else { return .noHeartbeat }
        if status.isPaused { return .paused }
        return connection.status.phase == .up ? .working : .noLink
    }

    /// How many entries wait; nil if the queue does not answer.
    func waiting() async -> Int? { await standing.status?.waiting }

    /// How it stands, but for the outcomes and for what waits.
    var figures: QueueFigures {
        var figures = QueueFigures()
        figures.waiting = nil
        let status = status
        (figures.taken, figures.inFlight) = (status.taken, status.inFlight)
        figures.state = suspension.map { "suspended: \(LinkWatch.clause($0))".onOneLine }
        if figures.state == nil, status.isPaused { figures.state = QueueFigures.paused }
        return figures
    }

    /// What an operator should know about the server, once.
    func newWarnings() -> [LogLine] {
        let isNew =
            status.isLeased
            && told.withLock { told in
                defer { told.warnings = true }
                return !told.warnings
            }
        return isNew ? queue.warnings.map { LogLine("pushctl: queue: \($0)".onOneLine, .warning) } : []
    }

    /// Lets those see who look at the queue whether it is suspended. Called again, it tells what has changed. It does not wait
    /// for the queue.
    func tellQueue() {
        let note = suspension.map { $0.onOneLine.shortened(to: Self.longestNote) }
        let isNew = told.withLock { told in
            guard !told.isTelling, told.note != note, status.isLeased else { return false }
            told.isTelling = true
            return true
        }
        guard isNew else { return }
        Task {
            let isTold = (try? await queue.store.note(as: worker.id, note)) != nil
            told.withLock { told in
                told.isTelling = false
                if isTold { told.note = note }
            }
        }
    }
}

extension WorkerOutlet {
    fileprivate func hear(_ news: LinkNews, _ endpoint: SharedEndpoint, of queue: String) {
        let now = now()
        outages?.withLock { outages in
            switch news {
            case .up: outages.back(endpoint, of: queue)
            case .down(let cause, let left): outages.lost(endpoint, of: queue, cause: cause, left: left, at: now)
            }
        }
    }

    /// Whether the event is one of the place of all queues, which is said for them together.
    fileprivate func hear(_ event: PushWorker.Event, _ endpoint: SharedEndpoint, of queue: String) -> Bool {
        guard let outages else { return false }
        let now = now()
        return outages.withLock { outages in
            switch event {
            case .storeUnreachable(let error):
                outages.lost(endpoint, of: queue, cause: LinkWatch.clause(error.description), at: now)
            case .leaseLost:
                // Of a queue that answers, nothing would tell the end.
                guard outages.concerns(queue, endpoint) else { return false }
                outages.lost(endpoint, of: queue, cause: WorkerNews.line(event), isWorse: true, at: now)
            case .storeBack: outages.back(endpoint, of: queue)
            default: return false
            }
            return true
        }
    }
}
