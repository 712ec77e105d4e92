import Dispatch
import PushLocking
import SupervisedPush

/// A run of `bulk`, from the first byte read to the last row written.
///
/// The library's bulk reads the input and applies the window, the rate and the limit of an outage. Here its outcomes
/// become rows, and a timer shows progress and writes buffered rows.
final class Campaign: Sendable {
    private static let name = "bulk"
    /// The number of records read while no link is up, without a rate: as many as one link takes at once, plus the
    /// library's reserve. They are ready when it comes up.
    private static let readAhead = 1_256

    private let options: BulkFlags
    private let source: RecordSource
    private let screen: Screen
    private let runtime = PushRuntime(.init(logger: nil))
    private let stopwatch = Stopwatch()
    private let ending = Locked(Ending())

    private struct Ending {
        /// Why the run ended early.
        var why: RunEnding?
        /// Until when the run waits for pushes under way, in seconds since the start.
        var deadline: Double?
        /// Pushes that have their outcome.
        var settled = 0
        var book: OutcomeBook?
        var bulk: BulkPush?
    }

    init(_ options: BulkFlags) throws(CommandError) {
        self.options = options
        screen = Screen(
            ProgressLine.Style(
                options.progress, isTerminal: StandardError.isSmartTerminal, width: StandardError.width))
        source = try RecordSource(options)
    }

    func run() async throws(CommandError) -> ExitStatus {
        let signals = SignalWatcher.forCommand(
            onFirst: { [self] signal in drain(signal) }, onInsisting: { [self] in leave() })
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
        let (hasBegun, settled) = ending.withLock { ending in
            ending.deadline = stopwatch.seconds + time.value
            return (ending.bulk != nil, ending.settled)
        }
        stop(.signal(signal))
        if !hasBegun { SignalWatcher.endSoon(signal) }
        // Not read from the book, which may be waiting for the reader of its rows.
        let underWay = source.position.pushes - settled
        if let line = StopNotice.line(signal, underWay: underWay, drain: time) { screen.say(line) }
    }

    /// The second signal: every push ends now, with its certainty.
    private func leave() { ending.withLock { $0.bulk }?.stop(within: .zero) }

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
        case .signal, .outputLost: options.connection.drain.duration
        case .outage, .givenUp, .credentialRefused: .zero
        }
    }

    private func run(_ signals: SignalWatcher) async throws(CommandError) -> ExitStatus {
        let say: @Sendable (String) -> Void = { [screen] in screen.say($0) }
        let outcomes = Outcomes(options, source.file)
        try outcomes.check()
        let fields = try await source.open()
        try options.connection.requireTopic(recordsMayNameOne: fields.contains(.topic))
        let pusher = try pusher(fields)
        for name in source.unknownNames {
            say("pushctl: \(source.file.name): the \(source.nameOfColumns) \(name) means nothing here".onOneLine)
        }

        let config = try options.connection.config(StandardErrorLog.logger(say))
        let watch = LinkWatch(
            endpoint: "\(config.effectiveHost):\(config.port)", say: say,
            .init(
                late: { [self] response in ending.withLock { $0.book }?.late(response) },
                credentialRefused: { [self] in stop(.credentialRefused) }))
        let connection = try options.connection.connect(runtime, Self.name, config, watch.mailbox)
        // Only now, so that a key that can't be used does not empty the outcomes of the last run.
        let book = OutcomeBook(
            try await writer(outcomes), inputName: source.file.name, say: say,
            onWriteFailure: { [self] in stop(.outputLost) })
        source.prepare(pusher, book)
        let watching = Task { await watch.run() }
        let ticking = tick(book)

        let failure = await push(book, over: connection)
        // Late windows may still be open; the run does not wait for them.
        await runtime.shutdown(within: .zero)
        ticking.cancel()
        watch.mailbox.close()
        await watching.value
        // If lifecycle messages say that the credential is refused, that is the better reason.
        let why = ending.withLock { $0.why } ?? failure
        return report(why, book, watch, outcomes, signals.first)
    }

    // MARK: Preparation

    private func pusher(_ fields: Set<RecordField>) throws(CommandError) -> RecordPusher {
        guard options.payload != nil || fields.contains(.payload) else {
            throw .usage("no payload: give --payload FILE, or a column payload.")
        }
        let limit = RecordReaders.longestRecord
        let name = options.payload ?? ""
        let payload: [UInt8]? =
            if let path = options.payload { try InputFile.contents(of: path, limit: limit) } else { nil }
        return try RecordPusher(payload: payload, name: name == "-" ? "standard input" : name)
    }

    /// The writer of the outcomes. If it cannot be made, the connection is closed before the run ends.
    private func writer(_ outcomes: Outcomes) async throws(CommandError) -> OutcomesWriter {
        do throws(CommandError) { return try outcomes.writer() } catch {
            await runtime.shutdown(within: .zero)
            throw error
        }
    }

    // MARK: The run

    /// Pushes all records. Returns why the bulk ended before its source, if it did so on its own.
    private func push(_ book: OutcomeBook, over connection: PushConnection) async -> RunEnding? {
        var bulkOptions = BulkOptions(
            rate: options.rate.map { .perSecond($0) }, maxOutage: options.connection.maxOutage.duration,
            readAhead: Self.readAhead)
        bulkOptions.onStop = { [source] in source.file.stop() }
        let bulk = connection.push(contentsOf: source, options: bulkOptions)
        let why = ending.withLock { ending in
            (ending.book, ending.bulk) = (book, bulk)
            return ending.why
        }
        if let why { bulk.stop(within: grace(why)) }
        // Rows may be written to a full pipe, so not on a shared thread.
        let taking = Task(executorPreference: QueueExecutor(label: "pushctl.rows")) { [self] () -> RunEnding? in
            do {
                try await bulk.forEach { outcome in
                    let why = ending.withLock { ending in
                        ending.settled += 1
                        return ending.why
                    }
                    book.settled(outcome, why)
                    if outcome.result.refusesCredential { stop(.credentialRefused) }
                }
                return nil
            } catch {
                return RunEnding(error)
            }
        }
        return await taking.value
    }

    /// Shows progress and writes buffered rows several times a second: the rows of a slow campaign must not wait for a
    /// full buffer.
    private func tick(_ book: OutcomeBook) -> any DispatchSourceTimer {
        let queue = DispatchQueue(label: "pushctl.ticks", target: .global(qos: .userInteractive))
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: .milliseconds(200), leeway: .milliseconds(50))
        timer.setEventHandler { [self] in
            book.flush()
            let standing = book.standing
            var counts = ProgressLine.Counts()
            let read = source.position
            counts.tally = standing.tally
            counts.inFlight = max(0, read.records - standing.tally.total)
            counts.bytesRead = read.bytes
            counts.size = source.file.size
            counts.secondsToStop = ending.withLock { $0.deadline }.map { max(0, $0 - stopwatch.seconds) }
            screen.show(counts, at: stopwatch.seconds)
        }
        timer.activate()
        return timer
    }

    // MARK: The end

    private func report(
        _ why: RunEnding?, _ book: OutcomeBook, _ watch: LinkWatch, _ outcomes: Outcomes, _ signal: StopSignal?
    ) -> ExitStatus {
        let remainder = book.finish()
        screen.clear()
        let standing = book.standing
        let reading = source.end
        var end = RunEnd()
        end.signal = signal
        end.error = reading.error ?? standing.failure
        end.credentialWasRefused = standing.credentialWasRefused || why == .credentialRefused
        end.attempted = standing.attempted
        end.linkEverUp = watch.wasEverUp
        end.outageExceeded = why == .outage || why == .givenUp
        end.rowsWereLost = standing.failure != nil
        end.tally = standing.tally

        if let remainder { screen.say(remainder) }
        if let doubt = clockDoubt(standing) { screen.say("pushctl: \(doubt)") }
        if let why { screen.say(stopLine(why, reading, watch)) }
        if let error = end.error { screen.say(error.line) }
        do throws(CommandError) {
            try outcomes.write(Summary(end.tally, seconds: stopwatch.seconds))
        } catch {
            screen.say(error.line)
            end.error = end.error ?? error
        }
        return end.status
    }

    /// The rows say that provider tokens are refused, but not that the clock may be the cause.
    private func clockDoubt(_ standing: OutcomeBook.Standing) -> String? {
        guard standing.credentialWasRefused else { return nil }
        let reasons = standing.tally.reasons(of: .rejected).map { RejectionReason(rawValue: $0.reason) }
        return reasons.lazy.compactMap(options.connection.clockDoubt).first
    }

    private func stopLine(_ why: RunEnding, _ reading: RecordSource.Position, _ watch: LinkWatch) -> String {
        let cause =
            switch why {
            case .signal(let signal): "stopped by \(signal.name)"
            case .outage:
                "no link for \(options.connection.maxOutage.defaultValueDescription) s"
                    + (watch.lastFailure.map { ": \($0.description)" } ?? ".")
            case .givenUp: "the connection failed again and again and was given up."
            case .credentialRefused: "the server refuses the credential."
            case .outputLost: "outcomes can't be written any more."
            }
        let position =
            reading.stoppedAtLine.map { "Reading stopped before line \($0) of \(source.file.name)" }
            ?? "All of \(source.file.name) had been read"
        let stop = cause.last == "." ? "" : "."
        return "pushctl: \(cause)\(stop) \(position); \(Figures.grouped(reading.records)) records have their outcomes."
            .onOneLine
    }
}

extension RunEnding {
    /// The reason for an error at the end of a bulk.
    fileprivate init(_ error: any Error) {
        switch (error as? PushError)?.code {
        case .timedOut: self = .outage
        case .credentialRefused: self = .credentialRefused
        default: self = .givenUp
        }
    }
}

extension Result<PushResponse, PushError> {
    /// True if no push goes out any more because of the credential.
    fileprivate var refusesCredential: Bool {
        if case .failure(let error) = self { error.code == .credentialRefused } else { false }
    }
}
