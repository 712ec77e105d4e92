import PushTerminal
import SupervisedPush

/// What is found wrong with a campaign before its first push: warnings, or errors with `--strict`.
struct BeforePushing: Sendable {
    private let options: BulkFlags
    private let content: SharedContent
    private let source: RecordSource
    private let say: @Sendable (String) -> Void

    init(
        _ options: BulkFlags, _ content: SharedContent, _ source: RecordSource,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.options = options
        self.content = content
        self.source = source
        self.say = say
    }

    private var isStrict: Bool { options.campaign.strict }

    /// Checks what concerns all records.
    ///
    /// - Parameters:
    ///   - fields: Those that records may have.
    ///   - defaults: Those of the connection.
    func check(_ fields: Set<RecordField>, _ defaults: RequestDefaults) throws(CommandError) {
        guard content.payload != nil || fields.contains(.payload) else {
            throw .usage("no payload: give --payload FILE, --body TEXT, or a column payload.")
        }
        try checkThatOneCanGo(fields, defaults)
        for finding in content.findings.prefix(5) {
            let line = "the payload: \(finding)"
            if isStrict { throw .usage("\(line.asSentence) --strict pushes nothing then.") }
            say("pushctl: \(line)".onOneLine)
        }
        let unknown = source.takeUnknown()
        if isStrict, let first = unknown.first {
            throw .input("\(first.asSentence) --strict pushes nothing then")
        }
        for line in unknown { say("pushctl: \(line)".onOneLine) }
    }

    /// A payload that no record can change, and that breaks a rule, is refused before a million rows say so.
    private func checkThatOneCanGo(_ fields: Set<RecordField>, _ defaults: RequestDefaults) throws(CommandError) {
        let changing: Set<RecordField> = [.payload, .pushType, .topic, .priority, .expiration, .collapseID]
        guard let example = content.example, fields.isDisjoint(with: changing) else { return }
        do throws(InvalidPush) {
            try example.validate(defaults: defaults, requiresTopic: options.connection.key != nil)
        } catch {
            throw .usage("no record can be pushed: \(error).")
        }
    }

    /// `--strict`: checks all records of the file, which stays where it is read.
    func checkAll(_ defaults: RequestDefaults, _ plan: RecordPlan?) async throws(CommandError) {
        // A campaign that has begun was checked before its first push.
        guard isStrict, try options.resume.journal.map(Journal.hasBegun) != true else { return }
        guard source.file.identity != nil else {
            throw .usage("--strict reads INPUT twice, but \(source.file.name) is not a regular file.")
        }
        let (file, format) = (source.file, options.inputFormat)
        let findings = try await onOwnThread { [self] () throws(CommandError) in
            var position: UInt64 = 0
            var reader = try RecordReaders.open(format, name: file.name) { buffer throws(CommandError) in
                let count = try file.read(at: position, into: buffer)
                position += UInt64(count)
                return count
            }
            try reader.find(content.names)
            return try self.findings(defaults, plan) { () throws(CommandError) in try reader.next() }
        }
        if findings.invalid.total > 0 { throw refusal(findings) }
    }

    /// `--dry-run`: checks all records, and prints what would be pushed.
    func dryRun(_ config: PushConnection.Configuration, _ plan: RecordPlan?) async throws(CommandError) -> ExitStatus {
        let source = source
        let findings = try await onOwnThread { [self] () throws(CommandError) in
            try self.findings(config.defaults, plan) { () throws(CommandError) in try source.nextRecord() }
        }
        try BulkDryRun(config, findings).report(isJSON: options.json)
        if isStrict, findings.invalid.total > 0 { throw refusal(findings) }
        return findings.invalid.total > 0 ? .rejectedOrFailed : .success
    }

    private func findings(
        _ defaults: RequestDefaults, _ plan: RecordPlan?, _ next: () throws(CommandError) -> InputRecord?
    ) throws(CommandError) -> CampaignCheck.Findings {
        let file = source.file
        var check = CampaignCheck(options, content, defaults, plan, inputName: file.name, say: say)
        let findings = try check.run { () throws(CommandError) in
            let record = try next()
            // A stopped reader sees the end of its input, perhaps in the middle of a record.
            guard !file.isStopped else { throw .input("\(file.name) was not read: the run was stopped") }
            return record
        }
        if let remainder = findings.remainder { say(remainder) }
        return findings
    }

    private func refusal(_ findings: CampaignCheck.Findings) -> CommandError {
        let (invalid, records) = (findings.invalid.total, findings.records)
        return .input(
            "\(Figures.grouped(invalid)) of \(Figures.grouped(records)) records of \(source.file.name) are not valid; "
                + "--strict pushes nothing then")
    }

    private func onOwnThread<Value: Sendable>(
        _ work: @escaping @Sendable () throws(CommandError) -> Value
    ) async throws(CommandError) -> Value {
        let result = await OwnThread("pushctl.check").run { () -> Result<Value, CommandError> in
            do throws(CommandError) { return .success(try work()) } catch { return .failure(error) }
        }
        return try result.get()
    }
}
