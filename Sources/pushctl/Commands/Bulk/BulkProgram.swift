import Dispatch
import PushCampaign
import PushLocking
import PushTerminal
import SupervisedPush

/// The program of `bulk`: the run of a campaign, with its signals, its status area, and its end.
final class BulkProgram: Sendable {
    private static let name = "bulk"

    private let options: BulkFlags
    private let source: RecordSource
    private let screen: StatusScreen
    private let campaign: CampaignRun
    private let runtime = PushRuntime(.init(logger: nil))
    private let stopwatch = Stopwatch()
    private let ending = Locked(Ending())
    private let metrics: PrometheusOutlet

    /// What asked the run to end.
    private struct Ending {
        var signal: StopSignal?
        /// Until when the run waits for pushes under way, in seconds since the start.
        var deadline: Double?
        /// Asked a second time: it waits for nothing.
        var isLeaving = false
    }

    init(_ options: BulkFlags) throws(CommandError) {
        self.options = options
        metrics = try PrometheusOutlet(options.metrics)
        let showsRows = options.outcomesFile == nil && StandardError.sharesTerminal
        screen = StatusScreen(StatusScreen.Style(options.progress, .standardError, showsRows: showsRows))
        source = try RecordSource(
            options.input, options.inputFormat, delimiter: options.campaign.delimiter.flatMap(RecordDelimiter.byte),
            limit: options.campaign.limit)
        var pace = CampaignRun.Pace()
        pace.rate = options.rate.map { .perSecond($0) }
        pace.maxOutage = options.connection.maxOutage.duration
        pace.drain = options.connection.drain.duration
        pace.resendsRefused = !options.noResendRefused
        pace.onPause = { [screen] pause in screen.sayWithTime(PauseLine.of(pause)) }
        campaign = CampaignRun(source, pace) { [screen] remark in screen.say("pushctl: \(remark)".onOneLine) }
    }

    func run() async throws(CommandError) -> ExitStatus {
        let signals = SignalWatcher.forCommand(
            onFirst: { [self] signal in drain(signal) },
            onInsisting: { [self] in
                ending.withLock { $0.isLeaving = true }
                campaign.stop(.stopped, within: .zero)
            })
        defer { screen.finish() }
        do throws(CommandError) {
            return try await run(signals)
        } catch {
            return try signals.status(insteadOf: error, before: "anything was pushed", say: screen.say)
        }
    }

    /// The first signal: pushes under way have some time to end.
    private func drain(_ signal: StopSignal) {
        let time = options.connection.drain
        ending.withLock { ending in (ending.signal, ending.deadline) = (signal, stopwatch.seconds + time.value) }
        campaign.stop(.stopped)
        let hasBegun = campaign.hasBegun
        if !hasBegun { SignalWatcher.endSoon(signal) }
        // The status area says it as well, with a count that goes down.
        guard !hasBegun || !screen.isLive else { return }
        if let line = StopNotice.line(signal, underWay: campaign.underWay, drain: time.duration) { screen.say(line) }
    }

    /// What it was asked to do, as far as it is done; nil if it goes on.
    private var stopping: RunStatus.Stopping? {
        let ending = ending.withLock { $0 }
        guard let signal = ending.signal, let deadline = ending.deadline else { return nil }
        return .init(
            signal: signal, underWay: campaign.underWay, seconds: max(0, deadline - stopwatch.seconds),
            isLeaving: ending.isLeaving)
    }

    private func run(_ signals: SignalWatcher) async throws(CommandError) -> ExitStatus {
        let say: @Sendable (String) -> Void = { [screen] in screen.say("pushctl: \($0)".onOneLine) }
        let outcomes = Outcomes(options, source.file)
        try outcomes.check()
        let content = try RecordContent(options)
        let fields = try await source.open(naming: content.names)
        try options.connection.requireTopic(recordsMayNameOne: fields.contains(.topic))
        let plan = try outcomes.plan(say: say)
        let filter = try options.campaign.filter()
        source.leaveOut(filter)
        var config = try options.connection.config(
            StandardErrorLog.logger(isVerbose: options.connection.verbose) { [screen] in screen.say($0) })
        config.watching.metrics = metrics.destination
        try options.campaign.set(&config.defaults)
        let before = BeforePushing(options, content: content, source: source, filter: filter, say: say)
        try before.check(fields, config.defaults)
        if options.campaign.dryRun { return try await before.dryRun(config, plan) }
        try await before.checkAll(config.defaults, plan)

        let watch = LinkWatch(
            endpoint: "\(config.effectiveHost):\(config.port)", say: { [screen] in screen.sayWithTime($0) },
            .init(credentialRefused: { [campaign] in campaign.stop(.credentialRefused) }))
        let connection = try options.connection.connect(
            on: runtime, name: Self.name, config: config, owner: watch.mailbox)
        try await show(connection, watch)
        // Only now, so that a key that can't be used does not empty the outcomes of the last run.
        let files = try await open(outcomes)
        let earlier = files.earlier
        if earlier.total + files.again.total > 0 {
            say(
                Self.resumeLine(
                    earlier, again: files.again, input: source.file.name, outcomes: options.outcomesFile ?? "OUTCOMES"))
        }
        let watching = Task { await watch.run() }
        let status = CampaignStatus(
            .init(
                source: source, run: campaign, watch: watch, connection: connection,
                maxOutage: options.connection.maxOutage.value, limit: options.campaign.limit,
                stopping: { [self] in stopping }), screen: screen, stopwatch: stopwatch)
        let ticking = status.begin()

        let failure = await campaign.run(content, over: connection, files: files, plan: plan)
        // Late windows may still be open; the run does not wait for them.
        await runtime.shutdown(within: .zero)
        ticking.cancel()
        await metrics.end()
        watch.mailbox.close()
        await watching.value
        // If lifecycle messages say that the credential is refused, that is the better reason.
        return report(
            why: campaign.why ?? failure, watch: watch, outcomes: outcomes, earlier: earlier, signal: signals.first)
    }

    // MARK: Preparation

    /// Shows the metrics. If that fails, the connection is closed before the run ends.
    private func show(_ connection: PushConnection, _ watch: LinkWatch) async throws(CommandError) {
        let reading = PrometheusOutlet.Reading(
            samples: { connection.samples(name: Self.name) },
            health: {
                let isUp = connection.status.phase == .up
                return .init(isReady: isUp, lines: isUp ? [] : [watch.absence])
            })
        do throws(CommandError) {
            try await metrics.begin(reading) { [screen] in screen.sayWithTime($0) }
        } catch {
            await runtime.shutdown(within: .zero)
            throw error
        }
    }

    /// Opens what the run writes. If that fails, the connection is closed before the run ends.
    private func open(_ outcomes: Outcomes) async throws(CommandError) -> CampaignFiles {
        do throws(CommandError) {
            if let path = options.statusSocket {
                do { try runtime.openStatusSocket(at: path) } catch { throw .configuration(error.description) }
            }
            return try outcomes.files.open(try await outcomes.files.binding(of: source.file))
        } catch {
            await metrics.end()
            await runtime.shutdown(within: .zero)
            throw error
        }
    }

    /// What a run with a journal that has outcomes begins with. A record that has failed has its outcome.
    ///
    /// - Parameter again: The outcomes of records that are pushed again.
    static func resumeLine(_ earlier: Tally, again: Tally = Tally(), input: String, outcomes: String) -> String {
        let records = Figures.grouped(earlier.total)
        var line = "the journal has the outcomes of \(records) records; going on with the others"
        if earlier.total > 0 { line += ". Skipping \(earlier.text)" }
        if again.total > 0 { line += ". Pushing \(Figures.grouped(again.total)) again: \(again.text)" }
        guard earlier.failed > 0 else { return line }
        let advice = "after the last run, bulk \(input) --skip-done \(outcomes) --outcomes NEW pushes them"
        return "\(line). \(Figures.grouped(earlier.failed)) failed, and are not pushed again; \(advice)"
    }

    // MARK: The end

    private func report(
        why: RunEnding?, watch: LinkWatch, outcomes: Outcomes, earlier: Tally, signal: StopSignal?
    ) -> ExitStatus {
        let (reading, remainder) = campaign.finish()
        screen.clear()
        let standing = campaign.standing
        var end = RunEnd()
        end.signal = signal
        end.error = reading.error ?? standing.failure
        end.credentialWasRefused = standing.credentialWasRefused || why == .credentialRefused
        end.attempted = standing.attempted
        end.linkEverUp = watch.wasEverUp
        end.outageExceeded = why == .outage || why == .givenUp || why == .refused(.service)
        end.senderWasRefused = why == .refused(.sender)
        end.rowsWereLost = standing.rowsWereLost
        (end.tally, end.earlier) = (standing.tally, earlier)

        if let leftOut = source.leftOut.text { screen.say("pushctl: \(leftOut)".onOneLine) }
        if let remainder { screen.say("pushctl: \(remainder)".onOneLine) }
        if let loss = standing.lostRows {
            screen.say("pushctl: \(loss.sentence(of: options.outcomesFile, input: source.file.name))".onOneLine)
        }
        if let doubt = clockDoubt(standing) { screen.say("pushctl: \(doubt)") }
        if let why {
            screen.say(stopLine(why, signal: signal, reading: reading, watch: watch))
        } else if reading.error == nil, let line = reading.stoppedAtLine {
            let name = source.file.name
            screen.say("pushctl: --limit is reached. Reading stopped before line \(line) of \(name)".onOneLine)
        }
        if let error = end.error { screen.say(LogLine(error)) }
        screen.finish()
        let summary = Summary(end.tally.adding(earlier), earlier: earlier.total, seconds: stopwatch.seconds)
        end.print(say: { screen.say($0) }) { () throws(CommandError) in try outcomes.write(summary) }
        return end.status
    }

    /// The rows say that provider tokens are refused, but not that the clock may be the cause.
    private func clockDoubt(_ standing: OutcomeBook.Standing) -> String? {
        guard standing.credentialWasRefused else { return nil }
        let reasons = standing.tally.reasons(of: .rejected).map { RejectionReason(rawValue: $0.reason) }
        return reasons.lazy.compactMap(options.connection.clockDoubt).first
    }

    private func stopLine(
        _ why: RunEnding, signal: StopSignal?, reading: RecordSource.Position, watch: LinkWatch
    ) -> String {
        let cause: String? =
            switch why {
            case .stopped: signal.map { "stopped by \($0.name)" }
            case .outage:
                "no link for \(options.connection.maxOutage.defaultValueDescription) s"
                    + (watch.lastFailure.map { ": \(LinkWatch.cause($0, watch.endpoint))" } ?? "")
            case .refused(let subject): PauseLine.cause(subject, options.connection.maxOutage)
            case .givenUp: "the connection failed again and again and was given up"
            // If it came as a message, its sentence stands above.
            case .credentialRefused: watch.refusedCredential ? nil : "the server refuses the credential"
            case .outputLost: "outcomes can't be written any more"
            case .journalLost: "the journal can't be written any more; once it can, the same command goes on"
            }
        let position =
            reading.stoppedAtLine.map { "Reading stopped before line \($0) of \(source.file.name)" }
            ?? "All of \(source.file.name) had been read"
        let advice =
            switch why {
            case .refused: " Run it again with --skip-done, or with its journal, once that is repaired."
            case .outage, .givenUp, .credentialRefused: " pushctl doctor tells which layer fails."
            case .stopped where options.resume.journal == nil:
                reading.stoppedAtLine.map { " --from-line \($0) goes on there." } ?? ""
            case .stopped: " The same command goes on there."
            case .outputLost, .journalLost: ""
            }
        let records = "\(Figures.grouped(reading.records)) records have their outcomes."
        return "pushctl: \(cause.map { $0 + ". " } ?? "")\(position); \(records)\(advice)".onOneLine
    }
}
