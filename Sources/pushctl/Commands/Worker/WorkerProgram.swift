import PushCampaign
import PushLocking
import PushQueue
import PushTerminal
import SupervisedPush

/// A run of `worker`: all queues in one process, over one runtime.
final class WorkerProgram: Sendable {
    private struct State {
        var set: TenantSet?
        /// What was said of the server.
        var warnings: Set<String> = []
        var signal: StopSignal?
        var isLeaving = false
        /// No link for `--max-outage`.
        var outage: CommandError?
        var failures: [CommandError] = []
    }

    let options: WorkerOptions
    private let runtime = PushRuntime(.init(logger: nil))
    private let stopwatch = Stopwatch()
    let screen: StatusScreen
    private let outages = Locked(EndpointOutages())
    private let metrics: PrometheusOutlet
    private let state = Locked(State())
    /// Nil if no service manager asks for news.
    let manager = ServiceManager()
    /// What the file of `--queues` said when it was read last.
    let known = Locked<[String: QueueSettings]>([:])

    init(_ options: WorkerOptions) throws(CommandError) {
        self.options = options
        metrics = try PrometheusOutlet(options.metrics)
        screen = StatusScreen(StatusScreen.Style(options.progress, .standardError, showsRows: false))
    }

    func run() async throws -> ExitStatus {
        let hangUps = self.hangUps()
        let signals = SignalWatcher.forCommand(
            taken: stopSignals, onFirst: { [self] signal in drain(signal) }, onInsisting: { [self] in leave() })
        let telling = Task { await tellManager() }
        defer {
            telling.cancel()
            screen.clear()
            screen.finish()
        }
        do {
            try await begin()
        } catch {
            await runtime.shutdown(within: .zero)
            return try signals.status(insteadOf: error, before: "any work began") { say(LogLine($0)) }
        }
        let ticking = Task { await tick() }
        let drawing = Task { await draw() }
        let reloading = hangUps.map { hangUps in
            Task {
                for await _ in hangUps { await reload() }
            }
        }
        await work()
        reloading?.cancel()
        manager?.stopping()
        ticking.cancel()
        drawing.cancel()
        screen.clear()
        await metrics.end()
        // Late windows may still be open; the run does not wait for them.
        await runtime.shutdown(within: .zero)
        return report(signals.first)
    }

    // MARK: The beginning

    private func begin() async throws {
        let queues = try WorkerQueues.of(options)
        known.withLock { $0 = QueueSettings.all(queues) }
        let outlet = WorkerOutlet(
            log: { [self] in log($0) }, outages: options.queues == nil ? nil : outages,
            now: { [stopwatch] in stopwatch.seconds }, metrics: metrics.destination)
        if let path = options.statusSocket {
            do {
                try runtime.openStatusSocket(at: path) { [weak self] in self?.tenants.compactMap(\.absence) ?? [] }
            } catch { throw CommandError.configuration(error.description) }
        }
        let set = TenantSet(
            make: { [self] queue in
                QueueTenant(queue, options: options, runtime: runtime, outlet: outlet, onOutage: { [self] in outage() })
            },
            onFailure: { [self] failure in
                state.withLock { $0.failures.append(failure) }
                log(LogLine(failure))
            }, onDeparture: { [outages] name in outages.withLock { $0.forget(name) } })
        try await set.begin(queues, isAlone: options.queues == nil)
        state.withLock { $0.set = set }
        try await metrics.begin(reading) { [self] in log(LogLine($0)) }
    }

    private func outage() {
        let watch = works.first?.watch
        let cause = watch?.lastFailure.map { ": \(LinkWatch.cause($0, watch?.endpoint ?? ""))" } ?? ""
        end("no link for \(longestOutage) s\(cause). pushctl doctor tells which layer fails")
    }

    /// Nil before the beginning.
    var tenantSet: TenantSet? { state.withLock { $0.set } }
    var tenants: [QueueTenant] { tenantSet?.all ?? [] }

    /// What works now.
    var works: [QueueWork] { tenants.compactMap(\.work) }

    private var longestOutage: String { options.connection.maxOutage.defaultValueDescription }

    /// Ends the run if the queue has acknowledged no heartbeat for too long.
    private func checkSilence(_ works: [QueueWork]) {
        guard options.queues == nil, let work = works.first, let silence = work.status.storeSilence,
            silence > options.connection.maxOutage.duration
        else { return }
        let cause = work.status.lastError.map { ": \(LinkWatch.clause($0))" } ?? ""
        end(
            "the queue \(work.place) acknowledged no heartbeat for \(longestOutage) s\(cause). \(WorkerNews.doctor)")
    }

    /// Ends the run if APNs has refused the sender, or has not served, for too long.
    private func checkPause(_ works: [QueueWork]) {
        let time = options.connection.maxOutage
        guard options.queues == nil, let subject = works.first?.refusal(lasting: time.duration) else { return }
        end(PauseLine.cause(subject, time), subject == .sender ? .refused : .unavailable)
    }

    /// Ends the run early, once.
    private func end(_ sentence: String, _ status: ExitStatus = .unavailable) {
        let set = state.withLock { state -> TenantSet? in
            guard state.outage == nil else { return nil }
            state.outage = CommandError(status, sentence)
            return state.set
        }
        set?.stop(within: .zero)
    }

    // MARK: The work

    /// Works on all queues until each has ended. One that fails ends no other.
    private func work() async {
        let (set, signal, isLeaving) = state.withLock { ($0.set, $0.signal, $0.isLeaving) }
        if signal != nil { set?.stop(within: isLeaving ? .zero : options.connection.drain.duration) }
        await set?.run()
    }

    private func tick() async {
        var next = 10.0
        var progress: [String: QueueProgress] = [:]
        while !Task.isCancelled {
            let works = works
            for warning in works.flatMap({ $0.newWarnings() }) {
                if state.withLock({ $0.warnings.insert(warning.message).inserted }) { log(warning) }
            }
            for line in outages.withLock({ $0.lines(at: stopwatch.seconds) }) { log(line) }
            checkSilence(works)
            for work in works { work.tellQueue() }
            checkPause(works)
            if screen.isPlain, stopwatch.seconds >= next {
                next = stopwatch.seconds + 10
                let waiting = await waiting
                for tenant in tenants {
                    let name = tenant.name
                    var figures = tenant.figures
                    if figures.isWorking { figures.waiting = waiting[name] }
                    let line = progress[name, default: QueueProgress()].line(figures, of: name, at: stopwatch.seconds)
                    if let line { log(line) }
                }
            }
            try? await Task.sleep(for: .seconds(1))
        }
    }

    // MARK: Signals

    private func drain(_ signal: StopSignal) {
        manager?.stopping()
        let set = state.withLock { state in
            state.signal = signal
            return state.set
        }
        guard let set else { return SignalWatcher.endSoon(signal) }
        let underWay = works.reduce(0) { $0 + $1.status.inFlight }
        let line = StopNotice.line(
            signal, underWay: underWay, drain: options.connection.drain.duration,
            rest: "in doubt until another worker takes \(underWay == 1 ? "it" : "them") over")
        if let line { say(LogLine(line)) }
        set.stop(within: options.connection.drain.duration)
    }

    private func leave() {
        let set = state.withLock { state in
            state.isLeaving = true
            return state.set
        }
        set?.stop(within: .zero)
    }

    // MARK: The end

    private func report(_ signal: StopSignal?) -> ExitStatus {
        let state = state.withLock { $0 }
        let tallies = state.set?.tallies ?? []
        var end = RunEnd()
        end.isService = true
        end.signal = signal
        end.tally = tallies.reduce(Tally()) { $0.adding($1.tally) }
        end.error = state.outage ?? state.failures.first
        if let outage = state.outage { say(LogLine(outage)) }
        if let signal { say(LogLine("pushctl: stopped by \(signal.name). \(remainder(works))")) }
        screen.finish()
        let totals = WorkerTotals(
            summary: Summary(end.tally, seconds: stopwatch.seconds, of: "tokens"),
            queues: options.queues == nil ? [] : tallies)
        let bytes = options.json ? totals.json : Array((totals.text(.standardOutput) + "\n").utf8)
        end.print { () throws(CommandError) in try OutputFile.standardOutput.write(bytes) }
        return end.status
    }

    private func remainder(_ works: [QueueWork]) -> String {
        let taken = works.reduce(0) { $0 + $1.status.taken }
        guard taken > 0 else { return "Nothing is left in doubt." }
        return
            "\(Figures.grouped(taken)) \(taken == 1 ? "entry is" : "entries are") left in doubt: another worker takes "
            + "\(taken == 1 ? "it" : "them") over after 12 s."
    }

    private func say(_ line: LogLine) { screen.say(line) }

    /// With the time, where the line may stay in a log.
    func log(_ line: LogLine) { screen.sayWithTime(line) }

    /// Since the run began.
    var seconds: Double { stopwatch.seconds }

    /// Whether it was asked to end.
    var isStopping: Bool { state.withLock { $0.signal != nil } }
}
