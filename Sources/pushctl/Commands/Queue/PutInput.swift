import PushQueue
import PushTerminal
import SupervisedPush

/// Reads the input of `queue put` in batches.
final class PutInput: @unchecked Sendable {
    // Sendable: after `open`, what changes is used on the input's own thread alone.

    /// The records between two lines.
    struct Batch: Sendable {
        var groups: [EntryGrouping.Group] = []
        /// Rows of records that cannot be pushed.
        var invalid: [OutcomeRow] = []
        /// What to say about them.
        var problems: [String] = []
        /// The line of the last record.
        var lastLine: Int?
        /// Nothing follows.
        var isLast = false
        /// It is the last one because the input has ended.
        var endsInput = false

        var tokens: Int { groups.reduce(0) { $0 + $1.tokens.count } }
    }

    let source: RecordSource
    private let flags: PutFlags
    private let content: SharedContent
    private let limits: EntryGrouping.Limits
    private let thread = OwnThread("pushctl.input")
    private var pusher: RecordPusher
    private var review: StrictReview?
    private var headers = PutHeaders()
    private var problems: LineProblems
    private var records = 0
    /// The lines that `--redo` takes; nil for all.
    private var only: LineSet?

    /// Reads the files that the flags name, but not INPUT.
    init(_ flags: PutFlags, _ limits: EntryGrouping.Limits = .init()) throws(CommandError) {
        self.flags = flags
        self.limits = limits
        source = try RecordSource(flags.input, flags.inputFormat)
        content = try SharedContent(flags)
        pusher = RecordPusher(content, flags.campaign)
        review = StrictReview(content, flags.campaign)
        problems = LineProblems(inputName: source.file.name)
        headers = try PutHeaders(flags.campaign, topic: flags.topic)
    }

    /// Reads up to the first record, and refuses an input of which nothing can be pushed.
    func open(_ say: @escaping @Sendable (String) -> Void) async throws(CommandError) {
        let fields = try await source.open(naming: content.names)
        guard content.payload != nil || fields.contains(.payload) else {
            throw .usage("no payload: give --payload FILE, --body TEXT, or a column payload.")
        }
        if let rows = try flags.redo.rows() {
            only = LineSet(rows.again.keys)
            if let line = rows.line(flags.redo.redo ?? "", "putting") { say(line) }
        }
        for finding in content.findings.prefix(5) {
            if flags.campaign.strict { throw .usage("the payload: \(finding.asSentence) --strict puts nothing then.") }
            say("pushctl: the payload: \(finding)".onOneLine)
        }
        for line in source.takeUnknown() {
            if flags.campaign.strict { throw .input("\(line.asSentence) --strict puts nothing then") }
            say("pushctl: \(line)".onOneLine)
        }
        if fields.contains(.apnsID), flags.inputFormat == .csv {
            say("pushctl: \(source.file.name): the column apns_id is not used: a queue makes its own ids".onOneLine)
        }
        // With --strict, each finding is an error.
        guard review == nil else { return }
        pusher.review = RecordReview { [name = source.file.name] line, finding in
            say("pushctl: \(name), line \(line): payload: \(finding)".onOneLine)
        }
    }

    /// Reads the next batch, on the input's own thread.
    func next() async throws(CommandError) -> Batch {
        let result = await thread.run { () -> Result<Batch, CommandError> in
            do throws(CommandError) { return .success(try self.read()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// The line about records that are not put and were not named.
    var remainder: String? { problems.remainder }

    private func read() throws(CommandError) -> Batch {
        var (batch, grouping) = (Batch(), EntryGrouping(limits))
        while !grouping.isFull, batch.invalid.count < limits.tokens {
            guard records < flags.campaign.limit ?? .max else {
                batch.isLast = true
                // A pipe is not asked whether more follows: it may say nothing for a long time.
                if source.file.size != nil {
                    batch.endsInput = try source.nextRecord() == nil && !source.file.isStopped
                }
                break
            }
            guard let record = try source.nextRecord(), !source.file.isStopped else {
                // A stopped reader sees the end of its input, perhaps in the middle of a record.
                batch.isLast = true
                batch.endsInput = !source.file.isStopped
                break
            }
            guard record.line >= flags.fromLine ?? 1, only?.contains(record.line) != false else { continue }
            records += 1
            batch.lastLine = record.line
            add(record, to: &batch, &grouping)
        }
        batch.groups = grouping.groups
        return batch
    }

    private func add(_ record: InputRecord, to batch: inout Batch, _ grouping: inout EntryGrouping) {
        var record = record
        record.apnsID = nil
        do throws(RecordPusher.Problem) {
            let push = try pusher.push(of: record)
            try review?.check(push, of: record)
            let notification = headers.completed(push.notification)
            if !grouping.has(notification) { try PutHeaders.check(notification) }
            grouping.add(notification, to: push.deviceToken, line: record.line)
        } catch {
            batch.invalid.append(.notPushed(record, error.reason))
            if let line = problems.report(line: record.line, error.sentence, reason: error.reason) {
                batch.problems.append(line)
            }
        }
    }
}
