import PushCampaign
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
        /// How many records were left out because of their token, up to its end.
        var leftOut = TokenFilter.Counts()
        /// The size of the input up to its end.
        var bytes: UInt64 = 0
        /// Nothing follows.
        var isLast = false
        /// It is the last one because the input has ended.
        var endsInput = false

        var tokens: Int { groups.reduce(0) { $0 + $1.tokens.count } }
    }

    let source: RecordSource
    private let flags: PutFlags
    let review: InputReview
    private let limits: EntryGrouping.Limits
    private let thread = OwnThread("pushctl.input")
    private var check: RecordCheck
    private var headers: PutHeaders
    private var problems: LineProblems
    private var records = 0
    /// The lines that `--redo` takes; nil for all.
    private var only: LineSet?
    /// Which records are left out because of their token; nil for none.
    private var filter: TokenFilter?
    /// The lines of a campaign that are in the queue.
    private var through = 0

    /// Reads the files that the flags name, but not INPUT.
    ///
    /// - Parameter say: Gets lines for a person.
    init(
        _ flags: PutFlags, _ limits: EntryGrouping.Limits = .init(),
        say: @escaping @Sendable (String) -> Void = { StandardError.write($0) }
    ) throws(CommandError) {
        self.flags = flags
        self.limits = limits
        source = try RecordSource(
            flags.input, flags.inputFormat, delimiter: flags.campaign.delimiter.flatMap(RecordDelimiter.byte))
        let content = try RecordContent(flags)
        review = InputReview(
            content: content, source: source, isStrict: flags.campaign.strict, does: "puts",
            say: { say("pushctl: \($0)".onOneLine) })
        problems = LineProblems(inputName: source.file.name)
        headers = try PutHeaders(flags.campaign, topic: flags.topic)
        check = RecordCheck(
            content, defaults: headers.defaults, requiresTopic: false, isStrict: flags.campaign.strict)
    }

    /// Reads up to the first record, and refuses an input of which nothing can be pushed.
    ///
    /// - Parameter isSecond: It was opened before, and all was said then.
    func open(isSecond: Bool = false) async throws(CommandError) {
        var review = review
        if isSecond { review.say = { _ in } }
        let say = review.say
        let fields = try await source.open(naming: review.content.names)
        filter = try flags.campaign.filter()
        if let rows = try flags.redo.rows() {
            only = LineSet(rows.again.keys)
            if let line = rows.line(flags.redo.redo ?? "", does: "putting") { say(line) }
        }
        try review.check(fields, headers.defaults)
        if fields.contains(.apnsID), flags.inputFormat == .csv {
            say("\(source.file.name): the column apns_id is not used: a queue makes its own ids")
        }
        // With --strict, each finding is an error.
        if !review.isStrict { check.review = .ofFirstRecords(source.file.name, say: say) }
    }

    /// Skips the records up to this line. Called before the first batch is read.
    func skip(through line: Int) { through = line }

    /// Reads the next batch, on the input's own thread.
    func next() async throws(CommandError) -> Batch {
        try await thread.run { () throws(CommandError) in try self.read() }
    }

    /// The line about records that are not put and were not named.
    var remainder: String? { problems.remainder.map { "pushctl: \($0)".onOneLine } }

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
            // Also of one that is put already: another one may have its token.
            if try filter?.leavesOut(record) == true { continue }
            guard record.line > through, record.line >= flags.fromLine ?? 1, only?.contains(record.line) != false else {
                continue
            }
            records += 1
            batch.lastLine = record.line
            add(record, to: &batch, &grouping)
        }
        (batch.groups, batch.bytes) = (grouping.groups, source.bytesRead)
        batch.leftOut = filter?.counts ?? .init()
        return batch
    }

    private func add(_ record: InputRecord, to batch: inout Batch, _ grouping: inout EntryGrouping) {
        var record = record
        record.apnsID = nil
        do throws(RecordProblem) {
            let push = try check.push(of: record)
            let notification = try headers.completed(push.notification)
            grouping.add(notification, to: push.deviceToken, line: record.line)
        } catch {
            batch.invalid.append(.notPushed(record, error.reason))
            if let line = problems.report(line: record.line, error.sentence, reason: error.reason) {
                batch.problems.append("pushctl: \(line)".onOneLine)
            }
        }
    }
}
