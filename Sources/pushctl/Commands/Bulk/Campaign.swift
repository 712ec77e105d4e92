import Dispatch
import PushLocking
import PushTerminal
import SupervisedPush

/// A run of `bulk`, from the first byte read to the last row written.
///
/// The library's bulk reads the input and applies the window, the rate and the limit of an outage. Here its outcomes
/// become rows, and ``CampaignStatus`` shows how it stands.
final class Campaign: Sendable {
    private static let name = "bulk"
    /// The number of records read while no link is up, without a rate: as many as one link takes at once, plus the
    /// library's reserve. They are ready when it comes up.
    private static let readAhead = 1_256

    private let options: BulkFlags
    private let source: RecordSource
    private let screen: StatusScreen
    private let runtime = PushRuntime(.init(logger: nil))
    private let stopwatch = Stopwatch()
    private let ending = Locked(Ending())

    private struct Ending {
        /// Why the run ended early.
        var why: RunEnding?
        /// The signal that asked it to end.
        var signal: StopSignal?
        /// Until when the run waits for pushes under way, in seconds since the start.
        var deadline: Double?
        /// Asked a second time: it waits for nothing.
        var isLeaving = false
        var book: OutcomeBook?
        var bulk: BulkPush?
    }

    init(_ options: BulkFlags) throws(CommandError) {
        self.options = options
        let showsRows = options.outcomesFile == nil && StandardError.sharesTerminal
        screen = StatusScreen(StatusScreen.Style(options.progress, .standardError, showsRows: showsRows))
        source = try RecordSource(options)
    }

    func run() async throws(CommandError) -> ExitStatus {
        let signals = SignalWatcher.forCommand(
            onFirst: { [self] signal in drain(signal) }, onInsisting: { [self] in leave() })
        defer { screen.finish() }
        do throws(CommandError) {
            return try await run(signals)
        } catch {
            // A signal ends the input early, which may look like an error; the signal came first.
            guard let signal = signals.first else { throw error }
            screen.say("pushctl: stopped by \(signal.name) before anything was pushed")
            return signal.status
        }
    }

    /// The first signal: pushes under way have some time to end.
    private func drain(_ signal: StopSignal) {
        let time = options.connection.drain
        let (hasBegun, book) = ending.withLock { ending in
            (ending.signal, ending.deadline) = (signal, stopwatch.seconds + time.value)
            return (ending.bulk != nil, ending.book)
        }
        stop(.signal(signal))
        if !hasBegun { SignalWatcher.endSoon(signal) }
        // The status area says it as well, with a count that goes down.
        guard !hasBegun || !screen.isLive else { return }
        if let line = StopNotice.line(signal, underWay: underWay(book), drain: time.duration) { screen.say(line) }
    }

    private func underWay(_ book: OutcomeBook?) -> Int { source.position.pushes - (book?.settledPushes ?? 0) }

    /// The second signal: every push ends now, with its certainty.
    private func leave() {
        let bulk = ending.withLock { ending in
            ending.isLeaving = true
            return ending.bulk
        }
        bulk?.stop(within: .zero)
    }

    /// What it was asked to do, as far as it is done; nil if it goes on.
    private var stopping: RunStatus.Stopping? {
        let ending = ending.withLock { $0 }
        guard let signal = ending.signal, let deadline = ending.deadline else { return nil }
        return .init(
            signal: signal, underWay: underWay(ending.book), seconds: max(0, deadline - stopwatch.seconds),
            isLeaving: ending.isLeaving)
    }

    /// Ends the reading. The time for pushes under way follows from the first reason.
    private func stop(_ why: RunEnding) {
        let (first, bulk) = ending.withLock { ending in
            ending.why = ending.why ?? why
            return (ending.why ?? why, ending.bulk)
        }
        source.file.stop()
        bulk?.stop(within: grace(first))
    }

    private func grace(_ why: RunEnding) -> Duration {
        switch why {
        case .signal, .outputLost, .journalLost: options.connection.drain.duration
        case .outage, .refused, .givenUp, .credentialRefused: .zero
        }
    }

    private func run(_ signals: SignalWatcher) async throws(CommandError) -> ExitStatus {
        let say: @Sendable (String) -> Void = { [screen] in screen.say($0) }
        let outcomes = Outcomes(options, source.file)
        try outcomes.check()
        let content = try SharedContent(options)
        let fields = try await source.open(naming: content.names)
        try options.connection.requireTopic(recordsMayNameOne: fields.contains(.topic))
        let plan = try outcomes.plan(say: say)
        var config = try options.connection.config(StandardErrorLog.logger(isVerbose: options.connection.verbose, say))
        try options.campaign.set(&config.defaults)
        let before = BeforePushing(options, content, source, say: say)
        try before.check(fields, config.defaults)
        if options.campaign.dryRun { return try await before.dryRun(config, plan) }
        try await before.checkAll(config.defaults, plan)
        let pusher = pusher(content, say)

        let watch = LinkWatch(
            endpoint: "\(config.effectiveHost):\(config.port)", say: { [screen] in screen.sayWithTime($0) },
            .init(credentialRefused: { [self] in stop(.credentialRefused) }))
        let connection = try options.connection.connect(runtime, Self.name, config, watch.mailbox)
        // Only now, so that a key that can't be used does not empty the outcomes of the last run.
        let files = try await open(outcomes)
        let (earlier, journaled, keepsIntents) = (files.earlier, files.plan, files.journal != nil)
        if earlier.total + files.again.total > 0 {
            say(Self.resumeLine(earlier, again: files.again, source.file.name, options.outcomesFile ?? "OUTCOMES"))
        }
        let book = OutcomeBook(
            files, inputName: source.file.name, say: say, onWriteFailure: { [self] why in stop(why) })
        source.prepare(pusher, book, journaled ?? plan, keepsIntents: keepsIntents, say: say)
        let watching = Task { await watch.run() }
        let status = CampaignStatus(
            .init(
                source: source, book: book, watch: watch, connection: connection,
                maxOutage: options.connection.maxOutage.value, limit: options.campaign.limit,
                stopping: { [self] in stopping }), screen, stopwatch)
        let ticking = status.begin()

        let failure = await push(book, over: connection)
        // Late windows may still be open; the run does not wait for them.
        await runtime.shutdown(within: .zero)
        ticking.cancel()
        watch.mailbox.close()
        await watching.value
        // If lifecycle messages say that the credential is refused, that is the better reason.
        let why = ending.withLock { $0.why } ?? failure
        return report(why, book, watch, outcomes, earlier, signals.first)
    }

    // MARK: Preparation

    private func pusher(_ content: SharedContent, _ say: @escaping @Sendable (String) -> Void) -> RecordPusher {
        var pusher = RecordPusher(content, options.campaign)
        pusher.review = RecordReview { [name = source.file.name] line, finding in
            say("pushctl: \(name), line \(line): payload: \(finding)".onOneLine)
        }
        return pusher
    }

    /// Opens what the run writes. If that fails, the connection is closed before the run ends.
    private func open(_ outcomes: Outcomes) async throws(CommandError) -> CampaignFiles {
        do throws(CommandError) {
            if let path = options.statusSocket {
                do { try runtime.openStatusSocket(at: path) } catch { throw .configuration(error.description) }
            }
            let binding = await OwnThread("pushctl.hash").run { () -> Result<InputBinding?, CommandError> in
                do throws(CommandError) { return .success(try outcomes.binding()) } catch { return .failure(error) }
            }
            return try outcomes.open(try binding.get())
        } catch {
            await runtime.shutdown(within: .zero)
            throw error
        }
    }

    /// What a run with a journal that has outcomes begins with. A record that has failed has its outcome.
    ///
    /// - Parameter again: The outcomes of records that are pushed again.
    static func resumeLine(_ earlier: Tally, again: Tally = Tally(), _ input: String, _ outcomes: String) -> String {
        let records = Figures.grouped(earlier.total)
        var line = "pushctl: the journal has the outcomes of \(records) records; going on with the others"
        if earlier.total > 0 { line += ". Skipping \(earlier.text)" }
        if again.total > 0 { line += ". Pushing \(Figures.grouped(again.total)) again: \(again.text)" }
        guard earlier.failed > 0 else { return line }
        let advice = "after the last run, bulk \(input) --skip-done \(outcomes) --outcomes NEW pushes them"
        return "\(line). \(Figures.grouped(earlier.failed)) failed, and are not pushed again; \(advice)".onOneLine
    }

    // MARK: The run

    /// Pushes all records. Returns why the bulk ended before its source, if it did so on its own.
    private func push(_ book: OutcomeBook, over connection: PushConnection) async -> RunEnding? {
        var bulkOptions = BulkOptions(
            rate: options.rate.map { .perSecond($0) }, maxOutage: options.connection.maxOutage.duration,
            readAhead: Self.readAhead, resendsRefused: !options.noResendRefused)
        bulkOptions.onPause = { [screen] pause in screen.sayWithTime(PauseLine.of(pause)) }
        bulkOptions.onStop = { [source] in source.file.stop() }
        let bulk = connection.bulk(numbered: source, options: bulkOptions)
        let why = ending.withLock { ending in
            (ending.book, ending.bulk) = (book, bulk)
            return ending.why
        }
        if let why { bulk.stop(within: grace(why)) }
        // Rows may be written to a full pipe, so not on a shared thread.
        let taking = Task(executorPreference: QueueExecutor(label: "pushctl.rows")) { [self] () -> RunEnding? in
            do {
                try await bulk.forEachBatch { outcomes in
                    let why = ending.withLock { $0.why }
                    if book.settle(&outcomes, why) { stop(.credentialRefused) }
                }
                return nil
            } catch {
                return RunEnding(error)
            }
        }
        return await taking.value
    }

    // MARK: The end

    private func report(
        _ why: RunEnding?, _ book: OutcomeBook, _ watch: LinkWatch, _ outcomes: Outcomes, _ earlier: Tally,
        _ signal: StopSignal?
    ) -> ExitStatus {
        let reading = source.end
        let remainder = book.finish(unoffered: reading.unoffered, records: reading.recordsOfInput)
        screen.clear()
        let standing = book.standing
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

        if let remainder { screen.say(remainder) }
        if let loss = standing.lostRows { screen.say(loss.line(of: options.outcomesFile, input: source.file.name)) }
        if let doubt = clockDoubt(standing) { screen.say("pushctl: \(doubt)") }
        if let why {
            screen.say(stopLine(why, reading, watch))
        } else if reading.error == nil, let line = reading.stoppedAtLine {
            let name = source.file.name
            screen.say("pushctl: --limit is reached. Reading stopped before line \(line) of \(name)".onOneLine)
        }
        if let error = end.error { screen.say(error.line) }
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

    private func stopLine(_ why: RunEnding, _ reading: RecordSource.Position, _ watch: LinkWatch) -> String {
        let cause: String? =
            switch why {
            case .signal(let signal): "stopped by \(signal.name)"
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
            case .signal, .outputLost, .journalLost: ""
            }
        let records = "\(Figures.grouped(reading.records)) records have their outcomes."
        return "pushctl: \(cause.map { $0 + ". " } ?? "")\(position); \(records)\(advice)".onOneLine
    }
}

extension RunEnding {
    /// The reason for an error at the end of a bulk.
    fileprivate init(_ error: any Error) {
        guard let error = error as? PushError else {
            self = .givenUp
            return
        }
        switch error.code {
        case .timedOut: self = error.layer == .apns ? .refused(.service) : .outage
        case .credentialRefused: self = error.deadline == .outage ? .refused(.sender) : .credentialRefused
        default: self = .givenUp
        }
    }
}
