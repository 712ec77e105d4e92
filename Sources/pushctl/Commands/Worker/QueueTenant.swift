import PushCampaign
import PushLocking
import PushQueue
import PushTerminal
import SupervisedPush

/// One queue of a worker from its beginning to its end. What keeps one of several from working suspends it: it tries
/// again, and the others work.
final class QueueTenant: Sendable {
    /// Between two tries to begin. A worker that is silent for 12 s counts as dead, and this is shorter.
    static let retry = 10

    private struct State {
        var queue: WorkerQueue
        var open: OpenQueue?
        var work: QueueWork?
        /// The outcomes of work that has ended.
        var earlier = Tally()
        /// Why it does not work.
        var suspension: String?
        /// Why it could not begin.
        var failure: CommandError?
        /// Whether the place of the queue was the reason.
        var placeFailed = false
        /// Set once it is to end, with the time that its pushes have.
        var stopTime: Duration?
    }

    let name: String
    private let options: WorkerOptions
    private let runtime: PushRuntime
    private let outlet: WorkerOutlet
    private let onOutage: @Sendable () -> Void
    private let pause: @Sendable () async -> Void
    /// Its name in the store while it does not work.
    private let substitute = WorkerID("\(WorkerName.make())-\(EntryID().description.prefix(16))")
    private let life: Locked<State>

    init(
        _ queue: WorkerQueue, options: WorkerOptions, runtime: PushRuntime, outlet: WorkerOutlet,
        onOutage: @escaping @Sendable () -> Void,
        pause: @escaping @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(1)) }
    ) {
        (name, self.options, self.runtime, self.outlet) = (queue.name, options, runtime, outlet)
        life = Locked(State(queue: queue))
        (self.onOutage, self.pause) = (onOutage, pause)
    }

    var work: QueueWork? { life.withLock { $0.work } }
    var tally: Tally { life.withLock { state in state.work.map { state.earlier.adding($0.tally) } ?? state.earlier } }

    /// Why it could not begin; nil if it could.
    var failure: CommandError? { life.withLock { $0.failure } }
    /// Whether the place of the queue was the reason.
    var placeFailed: Bool { life.withLock { $0.placeFailed } }

    // MARK: The beginning

    /// Opens the queue, and connects.
    func begin() async throws(CommandError) {
        do throws(CommandError) {
            let open: OpenQueue
            if let known = life.withLock({ $0.open }) {
                open = known
            } else {
                life.withLock { $0.placeFailed = true }
                open = try await OpenQueue.forWorker(options, name) { [say = outlet.named(name)] in say(LogLine($0)) }
                life.withLock { ($0.open, $0.placeFailed) = (open, false) }
            }
            // One tenant's outage ends no other's work.
            let maxOutage = options.queues == nil ? options.connection.maxOutage.duration : nil
            let queue = life.withLock { $0.queue }
            let work = try QueueWork(
                queue, open: open, runtime: runtime, maxOutage: maxOutage, outlet: outlet, onOutage: onOutage)
            let stopTime = life.withLock { state in
                (state.work, state.failure) = (work, nil)
                // It may have changed meanwhile.
                if state.queue.rate != queue.rate { work.pace(state.queue.rate.rate) }
                return state.stopTime
            }
            if let stopTime { work.stop(within: stopTime) }
        } catch {
            life.withLock { $0.failure = error }
            throw error
        }
    }

    // MARK: The work

    /// Works until it is stopped.
    ///
    /// - Returns: Why it ended by itself.
    func run() async -> CommandError? {
        guard options.queues != nil else { return await work?.run() }
        while true {
            if let work {
                guard let failure = await work.run() else { return nil }
                life.withLock { state in
                    state.earlier = state.earlier.adding(work.tally)
                    state.work = nil
                }
                await work.close()
                await suspend(failure)
            } else if let failure {
                await suspend(failure)
            }
            for _ in 0..<Self.retry where !isStopped { await pause() }
            guard !isStopped else { break }
            do throws(CommandError) { try await begin() } catch { continue }
            await resume()
        }
        try? await life.withLock { $0.open }?.store.leave(as: substitute)
        return nil
    }

    private var isStopped: Bool { life.withLock { $0.stopTime != nil } }

    /// Says why it does not work, if that is news, and lets those see it who look at the queue.
    private func suspend(_ failure: CommandError) async {
        let cause = failure.message.onOneLine
        let (isNew, open) = life.withLock { state in
            defer { state.suspension = cause }
            return (state.suspension != cause, state.open)
        }
        if isNew {
            let line = "pushctl: suspended: \(cause); it is tried again every \(Self.retry) s".onOneLine
            outlet.log(LogLine(line, .warning, queue: name))
        }
        guard let store = open?.store else { return }
        _ = try? await store.beat(as: substitute)
        try? await store.note(as: substitute, cause.shortened(to: QueueWork.longestNote))
    }

    private func resume() async {
        let wasSuspended = life.withLock { state in
            defer { state.suspension = nil }
            return state.suspension != nil
        }
        if wasSuspended { outlet.log(LogLine("pushctl: no longer suspended", queue: name)) }
        try? await life.withLock { $0.open }?.store.leave(as: substitute)
    }

    /// Gives it the rate of a queue whose other settings are the same.
    func pace(_ queue: WorkerQueue) {
        let work = life.withLock { state in
            state.queue = queue
            return state.work
        }
        work?.pace(queue.rate.rate)
    }

    /// Frees the name of its connection, once it has ended.
    func close() async { await work?.close() }

    /// Ends it. What is under way has this time.
    func stop(within time: Duration) {
        let work = life.withLock { state in
            state.stopTime = time
            return state.work
        }
        work?.stop(within: time)
    }

    // MARK: Health

    /// Whether it is worked on, or paused.
    var isReady: Bool { work?.isReady ?? false }

    /// Why it is not well; nil if it is.
    var trouble: String? {
        if let work { return work.trouble }
        return "suspended: \(life.withLock { $0.suspension } ?? failure?.message ?? "it has not begun")".onOneLine
    }

    /// What a status socket tells while it has no connection; nil if it has one.
    var absence: StatusSnapshot.Unconnected? {
        work == nil ? trouble.map { StatusSnapshot.Unconnected(name: name, cause: $0) } : nil
    }

    /// How it stands, in a word.
    var state: QueueState { work?.state ?? .suspended }

    /// How many entries wait; nil if that cannot be told.
    func waiting() async -> Int? { await work?.waiting() }

    /// How it stands, but for what waits.
    var figures: QueueFigures {
        var figures = QueueFigures()
        if let work {
            figures = work.figures
        } else {
            (figures.isWorking, figures.state) = (false, trouble)
        }
        figures.set(tally)
        return figures
    }
}

/// Where the queues of a worker say what happens.
struct WorkerOutlet: Sendable {
    /// Writes a line.
    let log: @Sendable (LogLine) -> Void
    /// Told of outages that may concern several queues; nil if there is only one.
    var outages: Locked<EndpointOutages>?
    /// Seconds since the run began.
    let now: @Sendable () -> Double
    /// Where connections and workers count.
    var metrics = MetricsDestination.none

    /// Writes lines about a queue.
    func named(_ name: String) -> @Sendable (LogLine) -> Void {
        { [log] line in log(line.of(name)) }
    }
}
