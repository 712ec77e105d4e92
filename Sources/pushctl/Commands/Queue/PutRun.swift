import Dispatch
import FoundationEssentials
import PushCampaign
import PushLocking
import PushQueue
import PushTerminal
import SupervisedPush

/// A run of `queue put`: reads batches of records, and puts each into the queue as a whole.
final class PutRun: Sendable {
    private struct Progress {
        var tally = PutTally()
        var signal: StopSignal?
        var hasBegun = false
        var room: OutcomeRoom?
        /// What is said once something was put.
        var creation: String?
        /// Nothing is put any more.
        var isOver = false
        var campaign: PutCampaign?
        /// Why nothing is put now.
        var hindrance: String?
    }

    private let flags: PutFlags
    let input: PutInput
    /// Prints the lines of `--ids`.
    private let printIDs: @Sendable (String) throws -> Void
    private let pause: @Sendable (Duration) async throws -> Void
    private let stopwatch = Stopwatch()
    private let history = Locked(RateHistory())
    private let screen: StatusScreen
    private let progress = Locked(Progress())
    /// How far it is.
    var tally: PutTally { progress.withLock { $0.tally } }
    private let now = Date()

    init(
        _ flags: PutFlags,
        printIDs: @escaping @Sendable (String) throws -> Void = { try OutputFile.standardOutput.write(Array($0.utf8)) },
        pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) throws(CommandError) {
        self.flags = flags
        self.pause = pause
        self.printIDs = printIDs
        let showsRows = flags.hasOutput && StandardError.sharesTerminal
        let screen = StatusScreen(StatusScreen.Style(flags.progress, .standardError, showsRows: showsRows))
        self.screen = screen
        input = try PutInput(flags) { screen.say($0) }
    }

    func run() async throws -> ExitStatus {
        let file = input.source.file
        let signals = SignalWatcher.forCommand(
            onFirst: { [progress] signal in
                let hasBegun = progress.withLock { progress in
                    progress.signal = signal
                    return progress.hasBegun
                }
                file.stop()
                if !hasBegun { SignalWatcher.endSoon(signal) }
            }, onInsisting: {})
        defer {
            screen.clear()
            screen.finish()
        }
        do {
            return try await begin()
        } catch {
            if progress.withLock({ $0.hasBegun }) { throw error }
            return try signals.status(insteadOf: error, before: "anything was put", say: say)
        }
    }

    private func begin() async throws -> ExitStatus {
        let outcomes = try outcomesRequest()
        try outcomes?.check()
        try await input.open()
        if flags.campaign.dryRun { return try await PutCheck(flags, input).dryRun() }
        if flags.campaign.strict { try await PutCheck.again(flags).refuseInvalid() }
        if let deadline = flags.deadline?.date(now), deadline <= max(now, flags.notBefore?.date(now) ?? now) {
            throw CommandError.usage("--deadline is past, or not after --not-before; nothing could be pushed.")
        }
        return try await OpenQueue.making(flags, say: { say($0) }) { [self] queue, status, creation in
            progress.withLock { ($0.room, $0.creation) = (OutcomeRoom(status), creation) }
            let book = try flags.wait ? book(outcomes) : nil
            return try await put(into: queue, book)
        }
    }

    // MARK: Files

    private func outcomesRequest() throws(CommandError) -> OutputRequest? {
        var inputs = NamedFiles()
        inputs.add("INPUT", input.source.file.identity)
        inputs.add("the file of --payload", path: flags.payload)
        inputs.add("the file of --redo", path: flags.redo.redo)
        for path in flags.campaign.exclude { inputs.add("a file of --exclude", path: path) }
        for file in flags.queue.redis.flags.files { inputs.add(file.name, path: file.path) }
        if let source = try flags.queue.settings.source() {
            inputs.add("the file of \(source.flag)", path: source.path)
        }
        if case .file(let path) = try flags.queue.location() { inputs.add("the file of --queue", path: path) }
        try inputs.checkStandardStreams()
        return flags.outcomesFile.map { path in
            OutputRequest(
                flag: "--outcomes", path: path, policy: flags.existing.policy, beginning: OutcomesWriter.header,
                inputs: inputs, ifExists: ExistingFileOptions.remedy)
        }
    }

    private func book(_ request: OutputRequest?) throws(CommandError) -> WaitBook {
        let format: OutcomesWriter.Format = request == nil && flags.json ? .json : .csv
        return WaitBook(try OutcomesWriter(request?.open() ?? .standardOutput, format: format))
    }

    // MARK: The run

    /// The input is open.
    func put(into queue: OpenQueue, _ book: WaitBook?) async throws -> ExitStatus {
        if let campaign = try await PutCampaign.begin(flags, input.source.file, in: queue) {
            progress.withLock { $0.campaign = campaign }
            input.skip(through: campaign.place.line)
            if let line = campaign.beginning { say(line) }
        }
        // What was stored before is not read.
        let position = book == nil ? nil : try await queue.store.lastPosition(of: .all)
        progress.withLock { $0.hasBegun = true }
        let showing = show(queue.place, book)
        defer { showing.cancel() }
        let waiting = book.map { book in Task { try await wait(queue, book, after: position) } }
        var failure: CommandError?
        do {
            if flags.ids, !flags.json { try printIDs("id,tokens,line\n") }
            if progress.withLock({ $0.campaign?.place.isWhole }) == true {
                progress.withLock { $0.tally.isInQueue() }
            } else {
                try await putAll(into: queue, book)
            }
        } catch {
            failure = .ending(error, queue.place)
        }
        progress.withLock { $0.isOver = true }
        do { try await waiting?.value } catch { failure = failure ?? .ending(error, queue.place) }
        return report(failure, book)
    }

    private func putAll(into queue: OpenQueue, _ book: WaitBook?) async throws {
        var batch = try await input.next()
        while true {
            for line in batch.problems { say(line) }
            let (current, isLast) = (batch, batch.isLast)
            // The next one is read at the same time.
            async let next = isLast ? nil : input.next()
            try await put(current, into: queue, book)
            guard let following = try await next else { break }
            batch = following
        }
        if let remainder = input.remainder { say(remainder) }
    }

    /// Puts a batch as a whole; nothing of it if it throws, unless the store did not answer.
    private func put(_ batch: PutInput.Batch, into queue: OpenQueue, _ book: WaitBook?) async throws {
        let part = progress.withLock { $0.campaign?.batch(batch) }
        var entries: [QueueEntry] = []
        entries.reserveCapacity(batch.groups.count)
        for group in batch.groups {
            let id = part?.id(ofLine: group.lines.first ?? 0) ?? EntryID()
            let entry = try QueueEntry(
                group.notification, to: group.tokens, id: id, notBefore: flags.notBefore?.date(now),
                deadline: flags.deadline?.date(now), neverRepeats: flags.once, isUrgent: flags.urgent)
            entries.append(entry)
            book?.expect(entry.id, group.lines)
        }
        do {
            try await enqueue(entries, of: batch, as: part, queue)
        } catch {
            for entry in entries { book?.forget(entry.id) }
            throw error
        }
        for row in batch.invalid { book?.write(row) }
        // Before anything else can fail: the batch is in the queue.
        let lines = progress.withLock { progress in
            progress.tally.add(batch)
            progress.hindrance = nil
            if let part { progress.campaign?.put(part) }
            defer { progress.creation = nil }
            return [progress.creation, progress.room?.warning(tokens: progress.tally.tokens)]
        }
        for line in lines { if let line { say(line) } }
        if flags.ids { try writeIDs(entries, batch) }
    }

    /// Repeats the call while the queue is full, and for a while if it does not answer: what the queue has already, it
    /// does not take twice.
    private func enqueue(
        _ entries: [QueueEntry], of batch: PutInput.Batch, as part: CampaignBatch?, _ queue: OpenQueue
    ) async throws {
        var patience = PutPatience(maxWait: flags.maxWait.value, start: stopwatch.seconds)
        while true {
            let calledAt = stopwatch.seconds
            do throws(QueueError) {
                guard let part else { return try await queue.store.enqueue(entries) }
                return try await queue.store.enqueue(entries, as: part)
            } catch {
                let step = patience.failed(error.code, calledAt: calledAt, now: stopwatch.seconds)
                let isStopped = progress.withLock { progress in
                    progress.tally.mayHold = patience.mayHold ? batch.lastLine : nil
                    progress.hindrance = PutPatience.hindrance(error.code)
                    return progress.signal != nil
                }
                guard !isStopped, case .again(let left) = step else { throw error }
                if let left { say(PutPatience.line(error, queue.place, left: left)) }
            }
            try await pause(.milliseconds(200))
        }
    }

    private func writeIDs(_ entries: [QueueEntry], _ batch: PutInput.Batch) throws {
        var text = ""
        for (entry, group) in zip(entries, batch.groups) {
            let (tokens, line) = (entry.tokens.count, group.lines.first ?? 0)
            text +=
                flags.json
                ? #"{"id":"\#(entry.id)","tokens":\#(tokens),"line":\#(line)}"# : "\(entry.id),\(tokens),\(line)"
            text += "\n"
        }
        try printIDs(text)
    }

    // MARK: Outcomes

    private func wait(_ queue: OpenQueue, _ book: WaitBook, after position: String?) async throws(QueueError) {
        var wait = OutcomeWait(
            queue.store, book, after: position, limit: flags.maxWait.value,
            start: flags.notBefore?.date(now).timeIntervalSince(now) ?? 0,
            standing: { [progress] in
                progress.withLock { OutcomeWait.Standing(isOver: $0.isOver, isStopped: $0.signal != nil) }
            }, say: { [self] in say($0) }, now: { [stopwatch] in stopwatch.seconds })
        try await wait.run()
    }

    // MARK: The end

    private func report(_ failure: CommandError?, _ book: WaitBook?) -> ExitStatus {
        screen.clear()
        let standing = progress.withLock { $0 }
        var end = RunEnd()
        end.signal = standing.signal
        end.error = failure ?? book?.failure
        end.rowsWereLost = book?.failure != nil
        if let signal = standing.signal { say("pushctl: stopped by \(signal.name)") }
        if let loss = book?.loss {
            say("pushctl: \(loss.sentence(of: flags.outcomesFile, input: input.source.file.name))".onOneLine)
        }
        if let leftOut = standing.tally.leftOut.text { say("pushctl: \(leftOut)".onOneLine) }
        if let error = end.error { screen.say(LogLine(error)) }
        let (name, firstLine) = (input.source.file.name, flags.fromLine ?? 1)
        let advice = standing.campaign?.advice(name) ?? standing.tally.advice(name, firstLine: firstLine)
        if !standing.tally.isWhole, let advice { say(advice) }
        if let book {
            end.tally = book.tally
            if book.open > 0 { say("pushctl: \(Figures.grouped(book.open)) tokens have no outcome yet") }
        } else {
            end.tally.count(.failed, times: standing.tally.invalid)
        }
        screen.finish()
        end.print { () throws(CommandError) in try write(standing.tally, book) }
        return end.status
    }

    private func write(_ tally: PutTally, _ book: WaitBook?) throws(CommandError) {
        let text = tally.text(book?.tally, seconds: stopwatch.seconds)
        let json = tally.json(book?.tally, seconds: stopwatch.seconds)
        if flags.hasOutput { return StandardError.writeTotals(text, json: json) }
        try OutputFile.standardOutput.write(flags.json ? json : Array((text + "\n").utf8))
    }

    private func say(_ line: String) { screen.say(line) }

    // MARK: Progress

    /// Shows how the run stands. Cancel the timer at the end.
    private func show(_ place: String, _ book: WaitBook?) -> any DispatchSourceTimer {
        screen.answerSnapshots { [self] in StatusText.record(status(place, book)) }
        screen.leaveRoomWhileStopped()
        return screen.showing { [self] in status(place, book) }
    }

    private func status(_ place: String, _ book: WaitBook?) -> RunStatus {
        let standing = progress.withLock { $0 }
        var (status, put) = (RunStatus(), PutStanding())
        (put.place, put.tokens, put.entries) = (place, standing.tally.tokens, standing.tally.entries)
        (put.invalid, put.hindrance) = (standing.tally.invalid, standing.hindrance)
        (put.awaitsOutcomes, put.isOver) = (book != nil, standing.isOver)
        status.put = put
        status.seconds = stopwatch.seconds
        if let book { status.tally = book.tally }
        status.share = standing.tally.share(ofSize: input.source.file.size, limit: flags.campaign.limit).map { share in
            book == nil ? share : share * Double(status.done) / Double(max(1, put.tokens + put.invalid))
        }
        (status.rate, status.rates, status.secondsLeft) = history.withLock { history in
            history.note(settled: status.done, share: status.share, at: status.seconds)
            return (history.rate(), history.rates, history.secondsLeft)
        }
        status.stopping = standing.signal.map { .init(signal: $0, underWay: 0, seconds: 0) }
        return status
    }
}
