import FoundationEssentials
import ProcessRuntime
import PushLocking
import SupervisedPush

/// Takes entries from a queue, pushes them over a connection or a pool, and stores their outcomes.
///
/// ```swift
/// let worker = PushWorker(queue: queue, connection: try runtime.connect(name: "orders", config: config))
/// try await worker.run()
/// ```
/// Any number of workers may share a queue, in one process or in many. A worker takes only what its links have room for,
/// so an outage of APNs takes nothing from the queue. What it had when it died, another worker takes over 12 to 16 s after
/// its last heartbeat. Each token gets one outcome; `docs/queue.md` says when one can be pushed twice.
///
/// The connection's feedback handler, `PushConnection.Configuration.feedback`, is called for a worker's pushes as for all others.
///
/// All members may be called from any thread or task.
public final class PushWorker: Sendable {
    /// What can be set of a worker. Every value has a default.
    public struct Configuration: Sendable {
        /// What its name in the store begins with, for example the host and the process. A random end makes the name new
        /// for each life, see ``PushWorker/id``. Default "worker".
        public var name: String
        /// How many tokens it takes at a time at most, not counting the rest of the last entry. Nil, the default: as many as
        /// the links take, and 256 more for each link.
        public var maxTokens: Int?
        /// How long answers are waited for when it ends in order and nobody says another time: at
        /// ``PushWorker/stop(within:)``, when the task of ``PushWorker/run(stopTime:)`` is cancelled, and at a graceful
        /// shutdown of a service group. Default 10 s.
        public var stopTime: Duration
        /// How many tokens all workers of the queue together push at most. They must all have the same rate: each asks the
        /// store by its own. Nil, the default: no limit. A rate that the queue has, see ``QueueSteering/rate``, takes its
        /// place.
        public var rate: QueueRate?
        /// Where its metrics go. Default: to the factory that the program bootstrapped.
        public var metrics: MetricsDestination
        /// Is called with what happens, in order, on a queue of the worker's. It must not block: the worker waits for it.
        public var onEvent: (@Sendable (Event) -> Void)?

        /// Makes a configuration.
        public init(
            name: String = "worker", maxTokens: Int? = nil, stopTime: Duration = .seconds(10), rate: QueueRate? = nil,
            metrics: MetricsDestination = .bootstrapped, onEvent: (@Sendable (Event) -> Void)? = nil
        ) {
            self.name = name
            self.maxTokens = maxTokens
            self.stopTime = stopTime
            self.rate = rate
            self.metrics = metrics
            self.onEvent = onEvent
        }
    }

    /// What a worker has done so far.
    public struct Status: Sendable, Hashable {
        /// How many entries it has now.
        public var taken = 0
        /// How many of its pushes are under way: they wait for a link, or for their answer.
        public var inFlight = 0
        /// How many outcomes the store has got from it.
        public var settled = 0
        /// The same by their kinds.
        public var outcomes: [PushOutcome.Kind: Int] = [:]
        /// How many tokens it postponed because APNs asked for it; each time counts.
        public var retried = 0
        /// How many entries it took over from workers that died.
        public var takenOver = 0
        /// How many tokens were in doubt when it took them over.
        public var inDoubt = 0
        /// How many entries it made dead letters.
        public var deadLetters = 0
        /// How often it found that the queue was lost, see ``PushWorker/Event/queueLost(_:)``.
        public var queueLosses = 0
        /// The time since the store last acknowledged a heartbeat, or since the worker began; nil while heartbeats are
        /// acknowledged.
        public var storeSilence: Duration?
        /// How many calls to the store failed.
        public var failedCalls = 0
        /// Why the last of them failed.
        public var lastError: String?
        /// Whether the queue is paused, see ``QueueSteering/isPaused``. Then nothing is pushed.
        public var isPaused = false
        /// Whether heartbeats are acknowledged. If not, nothing is pushed.
        public var isLeased = false

        /// Makes the status of a worker that has not begun.
        public init() {}
    }

    private let engine: WorkerRun
    private let configuration: Configuration

    /// Makes a worker that has not begun.
    ///
    /// - Parameters:
    ///   - queue: Where it takes entries from.
    ///   - connection: The connection or the pool that its pushes go over. If it ends, the worker ends.
    ///   - configuration: The worker's own settings.
    ///   - time: The clock of its heartbeats, its waits and its rate. Default: the system's. In a test with a `ManualTime`, pass the
    ///     clock that queue and runtime have.
    public init(
        queue: any PushQueueStore, connection: PushConnection, configuration: Configuration = Configuration(),
        time: any TimeSource = SystemTime()
    ) {
        self.configuration = configuration
        // Two lives of one name would take each other's entries for their own.
        id = WorkerID("\(configuration.name)-\(EntryID().description.prefix(16))")
        engine = WorkerRun(
            queue, over: connection, as: id, configuration, time: time)
    }

    /// Its name in the store: ``Configuration/name`` and a random end.
    public let id: WorkerID

    /// What it has done so far.
    public var status: Status { engine.status }

    /// Works until ``stop(within:)`` is called or the task is cancelled; both end it in order.
    ///
    /// While the store does not answer, it waits: nothing is pushed, and outcomes are kept until they are stored.
    ///
    /// For swift-service-lifecycle, import `PushQueueServiceLifecycle`: there a worker is a `Service`, whose `run()` also
    /// ends at a graceful shutdown.
    ///
    /// - Parameter stopTime: How long answers are waited for once the task is cancelled. Nil, the default:
    ///   ``Configuration/stopTime``.
    /// - Throws: ``QueueError`` if the store cannot be used: `refused`, `failed`, or `lost` at the start. `PushError` if
    ///   the connection has ended; what was not sent was given back. A worker that has run already throws `failed`.
    public func run(stopTime: Duration? = nil) async throws {
        try await withTaskCancellationHandler {
            try await engine.run()
        } onCancel: {
            stop(within: stopTime)
        }
    }

    /// Ends it in order: it takes nothing more, waits this long for answers, stores the outcomes, and gives back what was
    /// not sent. Returns at once; ``run(stopTime:)`` returns at the end, at most 2 s after that time.
    ///
    /// - Parameter time: How long answers are waited for. Nil, the default: ``Configuration/stopTime``. With zero, what is
    ///   written at that moment and not answered stays in doubt. Called again, only an earlier end counts.
    public func stop(within time: Duration? = nil) { engine.stop(within: time ?? configuration.stopTime) }

    /// Gives it another rate in place of ``Configuration/rate``, while it works.
    package func pace(_ rate: QueueRate?) { engine.pace(rate) }

    /// Returns once the worker's own queue has turned. A worker that hangs does not return.
    package func turn() async { await engine.turn() }

    /// Ends it at once and stores nothing, as if its process had died. For tests.
    func abandon() { engine.abandon() }
}
