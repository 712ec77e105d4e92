import PushLocking
import PushTerminal
import SupervisedPush

/// Pushes to every record of a file, and gives each its row.
///
/// ```swift
/// var configuration = Campaign.Configuration()
/// (configuration.journal, configuration.outcomes) = ("sale.journal", "sale-outcomes.csv")
/// let sale = Campaign(
///     records: "devices.csv", content: .notification(.alert(title: "Hello {{name}}", body: "Everything must go")),
///     over: orders, configuration: configuration)
/// for try await row in sale.run() where row.outcome.kind == .rejected { print(row) }
/// ```
/// A record is a row of a CSV file with a header, or a line of JSON: `token`, and if wanted `topic`, `collapse_id`,
/// `apns_id`, `expiration`, `priority`, `push_type` and `payload`. Other columns fill the placeholders of the content.
///
/// - **Each record has exactly one row**: delivered, rejected, failed (safe to push again), or unknown. One that cannot be
///   pushed as it is has failed.
/// - **It is read in constant memory**, and no faster than pushes end and rows are taken.
/// - **With a journal** a campaign that was stopped or killed goes on where it ended. A push of which the earlier run
///   does not know what became is not pushed twice, unless you ask for it.
/// - **It pauses** while no link is up, and while APNs refuses the sender or does not serve.
///
/// It is what `pushctl bulk` runs, with the same files. All calls may be made from any thread or task.
public final class Campaign: Sendable {
    private struct State {
        var hasBegun = false
        var run: CampaignRun?
        var source: RecordSource?
        /// How long pushes under way may take, if it was stopped.
        var stopped: Duration?
        var earlier = Tally()
        /// How far it was at its end.
        var end: Progress?
    }

    private let records: String
    private let format: RecordFormat
    private let content: Content?
    private let connection: PushConnection
    private let configuration: Configuration
    private let state = Locked(State())

    /// A campaign that has not begun.
    ///
    /// - Parameters:
    ///   - records: The path of the file.
    ///   - format: Nil: by the file's name, which is NDJSON with `.ndjson` and `.jsonl`, and CSV otherwise.
    ///   - content: What records get that have no payload; nil if each has one.
    ///   - connection: A connection or a pool. Its defaults are those of the pushes.
    ///   - configuration: How it runs.
    public init(
        records: String, format: RecordFormat? = nil, content: Content? = nil, over connection: PushConnection,
        configuration: Configuration = Configuration()
    ) {
        self.records = records
        self.format = format ?? RecordFormat(fileName: records)
        self.content = content
        self.connection = connection
        self.configuration = configuration
    }

    /// The rows, as records end. The campaign begins with the first `next()`, and can be run once.
    public func run() -> Rows { Rows(self) }

    /// Ends the campaign in order: no record is read any more, and pushes under way have some time to end. Then the rows
    /// end without an error.
    ///
    /// - Parameter time: How long to wait. What has no answer then ends with its certainty.
    public func stop(within time: Duration) {
        let (run, source) = state.withLock { state in
            state.stopped = min(state.stopped ?? time, time)
            return (state.run, state.source)
        }
        // Before it pushes, it only reads.
        if let run { run.stop(.stopped, within: time) } else { source?.file.stop() }
    }

    /// How far it is.
    public var progress: Progress {
        let state = state.withLock { $0 }
        if let end = state.end { return end }
        guard let run = state.run, let source = state.source else { return Progress() }
        return Progress(
            records: source.position.records, underWay: run.underWay, tally: run.standing.tally, earlier: state.earlier)
    }

    // MARK: The run

    /// Runs it, and passes its rows to a channel, which it ends.
    func run(into channel: RowChannel) async {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        guard isFirst else {
            return channel.finish(CampaignError(.configuration, "A campaign can be run once; make another one."))
        }
        do throws(CampaignError) {
            try configuration.check()
            channel.finish(try await push(into: channel))
        } catch {
            // What was stopped before it pushed has nothing to complain of.
            let wasStopped = state.withLock { $0.run == nil && $0.stopped != nil }
            channel.finish(wasStopped ? nil : error)
        }
        let end = progress
        state.withLock { state in (state.end, state.run, state.source) = (end, nil, nil) }
    }

    /// Returns why it ended early.
    private func push(into channel: RowChannel) async throws(CampaignError) -> CampaignError? {
        let content = try attempt(unreadable: .configuration) { () throws(CommandError) in try recordContent() }
        let plan = try attempt(unreadable: .configuration) { () throws(CommandError) in try self.plan() }
        let source = try attempt { () throws(CommandError) in
            try RecordSource(
                records, format, delimiter: RecordDelimiter.byte(String(configuration.delimiter)),
                limit: configuration.limit)
        }
        let isStopped = state.withLock { state in
            state.source = source
            return state.stopped != nil
        }
        if isStopped { source.file.stop() }
        channel.onAbandon { source.file.stop() }
        do throws(CommandError) { try await prepare(source, content: content, plan: plan) } catch {
            throw CampaignError(error)
        }
        let request = self.files(source.file)
        let files: CampaignFiles
        do throws(CommandError) {
            try request.check(source.file)
            let binding = try await request.binding(of: source.file)
            // Nothing is made for a campaign that is over.
            guard !source.file.isStopped else { return nil }
            files = try request.open(binding)
        } catch {
            throw CampaignError(error, unreadable: .files)
        }
        return try await push(source, content: content, files: files, plan: plan, into: channel)
    }

    private func push(
        _ source: RecordSource, content: RecordContent, files: consuming sending CampaignFiles, plan: RecordPlan?,
        into channel: RowChannel
    ) async throws(CampaignError) -> CampaignError? {
        let (run, earlier) = (CampaignRun(source, pace, say: say), files.earlier)
        let stopped = state.withLock { state in
            (state.run, state.earlier) = (run, earlier)
            return state.stopped
        }
        if let stopped { run.stop(.stopped, within: stopped) }
        channel.onAbandon { run.stop(.stopped, within: .zero) }
        let why = await run.run(content, over: connection, files: files, plan: plan) { channel.send($0) }
        let end = run.finish()
        if let remainder = end.remainder { say(remainder) }
        if let failure = end.reading.error { throw CampaignError(failure) }
        if let failure = run.standing.failure { throw CampaignError(failure, unreadable: .files) }
        return why.flatMap { CampaignError($0) }
    }

    // MARK: Preparation

    private var say: @Sendable (String) -> Void { configuration.onRemark ?? { _ in } }

    private func attempt<Value>(
        unreadable: CampaignError.Code = .records, _ body: () throws(CommandError) -> Value
    ) throws(CampaignError) -> Value {
        do throws(CommandError) { return try body() } catch { throw CampaignError(error, unreadable: unreadable) }
    }

    /// Reads the first record, and checks what concerns all of them.
    private func prepare(
        _ source: RecordSource, content: RecordContent, plan: RecordPlan?
    ) async throws(CommandError) {
        let fields = try await source.open(naming: content.names)
        guard content.payload != nil || fields.contains(.payload) else {
            throw .usage("There is no payload: give the campaign a content, or the records a column payload.")
        }
        try content.requireAPS(connection.defaults)
        if configuration.isStrict {
            if let finding = content.findings.first {
                throw .usage("\("the payload: \(finding)".asSentence) A strict campaign pushes nothing then.")
            }
            try await checkAll(source, content: content, plan: plan)
        }
        for line in content.findings + source.takeUnknown() { say(line) }
    }

    private func recordContent() throws(CommandError) -> RecordContent {
        var headers = RecordContent.Headers()
        headers.timeToLive = configuration.timeToLive?.components.seconds
        switch content?.source {
        case .notification(let notification):
            headers.pushType = notification.pushType?.rawValue
            headers.collapseID = notification.collapseID?.description
            headers.waived = notification.waived
            return try RecordContent(.init(notification), headers: headers)
        case .json(let json, let type):
            headers.pushType = type?.rawValue
            return try RecordContent(
                .init(json: json, name: "the payload", pushType: type, isForAll: true), headers: headers)
        case .file(let path, let type):
            headers.pushType = type?.rawValue
            let json = try InputFile.contents(of: path, limit: RecordReaders.longestRecord)
            return try RecordContent(
                .init(json: json, name: path, pushType: type, isForAll: true), headers: headers)
        case nil: return try RecordContent(nil, headers: headers)
        }
    }

    private func plan() throws(CommandError) -> RecordPlan? {
        guard !configuration.skipDone.isEmpty else { return nil }
        var (plan, rows) = (RecordPlan(), EarlierRows())
        for path in configuration.skipDone { try rows.addDone(path) }
        plan.settled = rows.settled
        return plan
    }

    private func checkAll(
        _ source: RecordSource, content: RecordContent, plan: RecordPlan?
    ) async throws(CommandError) {
        // A campaign that has begun was checked before its first push.
        if let journal = configuration.journal, try Journal.hasBegun(journal) { return }
        guard source.file.identity != nil else {
            throw .usage("A strict campaign reads its records twice, but \(source.file.name) is not a regular file.")
        }
        let check = RecordCheck(
            content, defaults: connection.defaults, requiresTopic: connection.requiresTopic, isStrict: true)
        let limit = configuration.journal == nil ? configuration.limit : nil
        let say = say
        let findings = try await OwnThread("push.check").run { () throws(CommandError) in
            var check = CampaignCheck(check, plan: plan, limit: limit, inputName: source.file.name, say: say)
            return try check.run(again: source, naming: content.names)
        }
        let invalid = findings.invalid.total
        guard invalid > 0 else { return }
        throw .input(
            "\(invalid) of \(findings.records) records of \(source.file.name) are not valid; nothing was pushed")
    }

    private func files(_ input: InputFile) -> CampaignFiles.Request {
        var inputs = NamedFiles()
        inputs.add("the file of the records", input.identity)
        if case .file(let path, _) = content?.source { inputs.add("the file of the payload", path: path) }
        for path in configuration.skipDone { inputs.add("a file of skipDone", path: path) }
        var request = CampaignFiles.Request(inputs: inputs)
        (request.journal, request.isDurable) = (configuration.journal, configuration.isDurable)
        request.pushesAgain = configuration.resendsUnknown
        inputs.add("the journal", path: configuration.journal)
        let policy = configuration.journal == nil ? OutputRequest.Policy.refuse : .resume(behind: 0)
        request.outcomes = configuration.outcomes.map { path in
            OutputRequest(
                flag: "outcomes", path: path, policy: policy, beginning: OutcomesWriter.header, inputs: inputs)
        }
        request.unregistered = configuration.unregistered.map { path in
            OutputRequest(
                flag: "unregistered", path: path, policy: policy, beginning: UnregisteredList.header, inputs: inputs)
        }
        return request
    }

    private var pace: CampaignRun.Pace {
        var pace = CampaignRun.Pace()
        (pace.rate, pace.maxOutage) = (configuration.rate, configuration.maxOutage)
        (pace.resendsRefused, pace.onPause) = (configuration.resendsRefused, configuration.onPause)
        return pace
    }
}
