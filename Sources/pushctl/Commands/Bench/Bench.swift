import Dispatch
import PushCampaign
import PushLocking
import PushTerminal
import SupervisedPush

/// A run of `pushctl bench`: connects, loads for a time, and prints what became of it.
struct Bench {
    private static let name = "bench"

    private let options: BenchOptions
    private let work: BenchWork
    private let screen = StatusScreen(.init(.auto, .standardError, showsRows: false))

    init(_ options: BenchOptions) throws(CommandError) {
        self.options = options
        try options.connection.requireTopic(recordsMayNameOne: false)
        work = try BenchWork(options)
    }

    func run() async throws(CommandError) -> ExitStatus {
        let say: @Sendable (LogLine) -> Void = { [screen] in screen.say($0) }
        let config = try options.connection.config(StandardErrorLog.logger(isVerbose: options.connection.verbose, say))
        let runtime = PushRuntime(.init(logger: nil))
        let gate = BenchGate()
        let giveUp: @Sendable (RunEnding) -> Void = { why in
            gate.stop(why)
            Task { await runtime.shutdown(within: .zero) }
        }
        let watch = LinkWatch(
            endpoint: "\(config.effectiveHost):\(config.port)", maxOutage: options.connection.maxOutage.duration,
            say: say, .init(outage: { giveUp(.outage) }, credentialRefused: { giveUp(.credentialRefused) }))
        let connection = try options.connection.connect(
            on: runtime, name: Self.name, config: config, owner: watch.mailbox)
        let load = BenchLoad(connection, work: work, loop: options.loop)
        let run = CommandRun(runtime: runtime, watch: watch, drain: options.connection.drain.duration, say: say)
        defer { screen.finish() }
        let (wasUp, signal) = await run(underWay: { load.inFlight }, onSignal: { gate.stop(.stopped) }) {
            await push(load, gate: gate, over: connection, watch: watch)
        }
        screen.clear()
        return try report(load.result, watch: watch, wasUp: wasUp, why: gate.why, signal: signal)
    }

    /// Loads the server once the link is up. Returns whether it came up.
    private func push(
        _ load: BenchLoad, gate: BenchGate, over connection: PushConnection, watch: LinkWatch
    ) async -> Bool {
        do { try await connection.waitUntilUp(timeout: options.connection.maxOutage.duration) } catch { return false }
        let queue = DispatchQueue(label: "pushctl.ticks", target: .global(qos: .userInteractive))
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let stopwatch = Stopwatch()
        timer.schedule(deadline: .now(), repeating: .milliseconds(200), leeway: .milliseconds(50))
        let history = Locked(RateHistory())
        timer.setEventHandler { [screen, options] in
            load.refill()
            var status = RunStatus()
            (status.seconds, status.tally, status.inFlight) = (stopwatch.seconds, load.tally, load.inFlight)
            let share = min(1, status.seconds / options.duration.value)
            status.share = share
            (status.rate, status.rates) = history.withLock { history in
                history.note(settled: status.tally.total, share: share, at: status.seconds)
                return (history.rate(), history.rates)
            }
            status.secondsLeft = max(0, options.duration.value - status.seconds)
            status.links = watch.standing(total: connection.members.count)
            screen.show(status)
        }
        load.start()
        // What came before the start counts, too.
        gate.open { load.stop($0) }
        queue.asyncAfter(deadline: .now() + options.duration.value) { load.stop() }
        timer.activate()
        await load.wait()
        timer.cancel()
        return true
    }

    private func report(
        _ result: BenchLoad.Result, watch: LinkWatch, wasUp: Bool, why: RunEnding?, signal: StopSignal?
    ) throws(CommandError) -> ExitStatus {
        var end = RunEnd()
        end.signal = signal
        end.credentialWasRefused = result.credentialWasRefused || watch.refusedCredential
        end.linkEverUp = wasUp
        end.attempted = 1
        end.outageExceeded = why == .outage
        end.tally = result.tally
        if wasUp {
            let report = BenchReport(options, endpoint: watch.endpoint, result)
            let bytes = options.json ? report.json : Array(report.text(isUTF8: HistogramDrawing.localeIsUTF8).utf8)
            end.print(say: { screen.say($0) }) { () throws(CommandError) in try OutputFile.standardOutput.write(bytes) }
        } else if let signal {
            screen.say("pushctl: stopped by \(signal.name) before anything was pushed")
        } else if end.status == .unavailable {
            throw watch.unavailable()
        }
        return end.status
    }
}
