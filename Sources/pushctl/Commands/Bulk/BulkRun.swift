import Dispatch
import Locking
import SupervisedPush

/// A run of `bulk`, from the first byte read to the last row written.
///
/// Three hands work on it: a thread that reads and pushes as long as there is room, the connection's delivery queue that
/// turns outcomes into rows, and a timer that shows progress and writes what waits.
final class BulkRun: Sendable {
    private static let name = "bulk"
    /// Under way at most, for each link: what APNs takes at a time, and enough behind it that the pipe never runs dry. Before
    /// the first is up, and while none is, what is read for one of them waits – but where a rate is to be kept, nothing does.
    private static let window = 1_512
    private static let batch = 256

    private let options: BulkOptions
    private let reader: BulkReader
    private let screen: Screen
    private let window: PushWindow
    private let pacer: Pacer?
    private let runtime = PushRuntime()
    private let stopwatch = Stopwatch()
    private let ending = Locked(Ending())

    private struct Ending {
        /// Why the run was ended before its work was done.
        var why: RunEnding?
        /// When the pushes under way are not waited for any more, in seconds since the start.
        var deadline: Double?
        /// A second signal: nothing is waited for.
        var isLeaving = false
        var book: OutcomeBook?
    }

    init(_ options: BulkOptions) throws(CommandError) {
        self.options = options
        pacer = options.rate.map { Pacer(.perSecond($0)) }
        window = PushWindow(size: options.rate == nil ? Self.window : 0, batch: Self.batch)
        screen = Screen(
            ProgressLine.Style(
                options.progress, isTerminal: StandardError.isSmartTerminal, width: StandardError.width))
        reader = try BulkReader(options)
    }

    func run() async throws(CommandError) -> ExitStatus {
        let signals = SignalWatcher.forCommand(
            onFirst: { [self] signal in drain(signal) }, onInsisting: { [self] in leave() })
        do throws(CommandError) {
            return try await run(signals)
        } catch {
            // A signal makes an input end early, which may look like an error; the signal came first.
            guard let signal = signals.first else { throw error }
            screen.say("pushctl: stopped by \(signal.name) before anything was pushed")
            return signal.status
        }
    }

    /// The first signal: what is under way has a while to end.
    private func drain(_ signal: StopSignal) {
        let time = options.connection.drain
        let hasBegun = ending.withLock { ending in
            ending.deadline = stopwatch.seconds + time.value
            return ending.book != nil
        }
        stop(.signal(signal))
        if !hasBegun { SignalWatcher.endSoon(signal) }
        if let line = StopNotice.line(signal, underWay: window.taken, drain: time) { screen.say(line) }
    }

    /// The second signal: every push ends now, with what is known of it.
    private func leave() {
        let (why, book) = ending.withLock { ending in
            ending.isLeaving = true
            return (ending.why, ending.book)
        }
        if let why { book?.note(why) }
        Task { await runtime.close(name: Self.name, within: .zero) }
    }

    /// Ends the reading; the pushes under way go on.
    private func stop(_ why: RunEnding) {
        ending.withLock { $0.why = $0.why ?? why }
        reader.file.stop()
        pacer?.stop()
        window.stop()
    }

    private func run(_ signals: SignalWatcher) async throws(CommandError) -> ExitStatus {
        let say: @Sendable (String) -> Void = { [screen] in screen.say($0) }
        let outcomes = Outcomes(options, reader.file)
        try outcomes.check()
        let fields = try await reader.open()
        try options.connection.requireTopic(recordsMayNameOne: fields.contains(.topic))
        let pusher = try pusher(fields)
        for name in await reader.unknownNames() {
            say("pushctl: \(reader.file.name): the \(reader.nameOfColumns) \(name) means nothing here".onOneLine)
        }

        let config = try options.connection.config(StandardErrorLog.logger(say))
        let watch = LinkWatch(
            endpoint: "\(config.effectiveHost):\(config.port)", maxOutage: options.connection.maxOutage.duration,
            say: say,
            .init(
                late: { [self] response in ending.withLock { $0.book }?.late(response) },
                outage: { [self] in stop(.outage) },
                givenUp: { [self] in stop(.givenUp) },
                credentialRefused: { [self] in stop(.credentialRefused) }))
        try options.connection.connect(runtime, Self.name, config, watch.mailbox)
        // Only now: a key that can't be used must not empty the outcomes of the last run.
        let book = OutcomeBook(
            try await writer(outcomes), inputName: reader.file.name, say: say,
            onWriteFailure: { [self] in stop(.outputLost) })
        ending.withLock { $0.book = book }
        let watching = Task { await watch.run() }
        let ticking = tick(book)

        let end = await reader.read { [self] in take($0, pusher, book) }
        await finishPushes(book)
        ticking.cancel()
        watch.mailbox.close()
        await watching.value
        return report(end, book, watch, outcomes, signals.first)
    }

    // MARK: Setting out

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

    /// The outcomes' writer; where there can be none, the connection ends before the run does.
    private func writer(_ outcomes: Outcomes) async throws(CommandError) -> OutcomesWriter {
        do throws(CommandError) { return try outcomes.writer() } catch {
            await runtime.shutdown(within: .zero)
            throw error
        }
    }

    // MARK: Under way

    /// Pushes a record, once there is room. False: the run ends, and the record was not taken.
    private func take(_ record: InputRecord, _ pusher: RecordPusher, _ book: OutcomeBook) -> Bool {
        switch pusher.push(of: record) {
        case .failure(let problem):
            var record = record
            record.problem = problem.sentence
            book.notPushed(record, problem.reason)
        case .success(let push):
            guard pacer?.enter() ?? true, window.enter() else { return false }
            let flight = Flight(line: record.line, token: record.token)
            let handle = runtime.push(
                name: Self.name, push.notification, to: push.deviceToken, context: flight,
                options: PushOptions(timeoutStart: .write)
            ) { [self] outcome in
                book.settled(flight, outcome)
                if outcome.refusesCredential { stop(.credentialRefused) }
                window.leave()
            }
            book.departed(flight, handle)
        }
        return true
    }

    /// Shows progress and writes what waits, several times a second: a slow campaign's rows must not wait for a full
    /// buffer.
    private func tick(_ book: OutcomeBook) -> any DispatchSourceTimer {
        let queue = DispatchQueue(label: "pushctl.ticks", target: .global(qos: .userInteractive))
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: .milliseconds(200), leeway: .milliseconds(50))
        timer.setEventHandler { [self] in
            fitWindow()
            book.flush()
            let standing = book.standing
            var counts = ProgressLine.Counts()
            let read = reader.progress
            counts.tally = standing.tally
            counts.inFlight = max(0, read.records - standing.tally.total)
            counts.bytesRead = read.bytes
            counts.size = reader.file.size
            counts.secondsToStop = ending.withLock { $0.deadline }.map { max(0, $0 - stopwatch.seconds) }
            screen.show(counts, at: stopwatch.seconds)
        }
        timer.activate()
        return timer
    }

    /// Makes the window as large as the links that are up need it: what is read for others would find no room.
    private func fitWindow() {
        let links = ((try? runtime.members(name: Self.name)) ?? []).count { $0.phase == .up }
        window.resize(Self.window * max(links, pacer == nil ? 1 : 0))
    }

    /// Returns once every push has its outcome: by itself, or because the connection is closed under it.
    private func finishPushes(_ book: OutcomeBook) async {
        await window.empty(orStopped: true)
        if let why = ending.withLock({ $0.why }) {
            book.note(why)
            await runtime.close(name: Self.name, within: grace(why))
        }
        await window.empty()
        // Late windows may be open still: the run does not wait for them.
        await runtime.shutdown(within: .zero)
    }

    private func grace(_ why: RunEnding) -> Duration {
        if ending.withLock({ $0.isLeaving }) { return .zero }
        return switch why {
        case .signal, .outputLost: options.connection.drain.duration
        case .outage, .givenUp, .credentialRefused: .zero
        }
    }

    // MARK: The end

    private func report(
        _ reading: BulkReader.End, _ book: OutcomeBook, _ watch: LinkWatch, _ outcomes: Outcomes, _ signal: StopSignal?
    ) -> ExitStatus {
        let remainder = book.finish()
        screen.clear()
        let standing = book.standing
        let why = ending.withLock { $0.why }
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

    /// The rows say that provider tokens are refused, and not that the clock may be why.
    private func clockDoubt(_ standing: OutcomeBook.Standing) -> String? {
        guard standing.credentialWasRefused else { return nil }
        let reasons = standing.tally.reasons(of: .rejected).map { RejectionReason(rawValue: $0.reason) }
        return reasons.lazy.compactMap(options.connection.clockDoubt).first
    }

    private func stopLine(_ why: RunEnding, _ reading: BulkReader.End, _ watch: LinkWatch) -> String {
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
            reading.stoppedAtLine.map { "Reading stopped before line \($0) of \(reader.file.name)" }
            ?? "All of \(reader.file.name) had been read"
        let stop = cause.last == "." ? "" : "."
        return "pushctl: \(cause)\(stop) \(position); \(Figures.grouped(reading.records)) records have their outcomes."
            .onOneLine
    }
}

extension Result<PushResponse, PushError> {
    /// True if it says that no push goes out any more because of the credential.
    fileprivate var refusesCredential: Bool {
        if case .failure(let error) = self { error.code == .credentialRefused } else { false }
    }
}
