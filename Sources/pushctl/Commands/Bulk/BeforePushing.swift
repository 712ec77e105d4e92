import PushCampaign
import PushTerminal
import SupervisedPush

/// What is checked of a campaign before its first push.
struct BeforePushing: Sendable {
    private let options: BulkFlags
    private let content: RecordContent
    private let source: RecordSource
    private let filter: TokenFilter?
    private let say: @Sendable (String) -> Void

    init(
        _ options: BulkFlags, content: RecordContent, source: RecordSource, filter: TokenFilter?,
        say: @escaping @Sendable (String) -> Void
    ) {
        self.options = options
        self.content = content
        self.source = source
        self.filter = filter
        self.say = say
    }

    private var isStrict: Bool { options.campaign.strict }

    private var review: InputReview {
        InputReview(content: content, source: source, isStrict: isStrict, does: "pushes", say: say)
    }

    /// Checks what concerns all records.
    ///
    /// - Parameters:
    ///   - fields: Those that records may have.
    ///   - defaults: Those of the connection.
    func check(_ fields: Set<RecordField>, _ defaults: RequestDefaults) throws(CommandError) {
        try checkThatOneCanGo(fields, defaults)
        try review.check(fields, defaults)
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
        let (source, names) = (source, content.names)
        let findings = try await findings(defaults: defaults, plan: plan) { (check) throws(CommandError) in
            try check.run(again: source, naming: names)
        }
        if findings.invalid.total > 0 { throw refusal(findings) }
    }

    /// `--dry-run`: checks all records, and prints what would be pushed.
    func dryRun(_ config: PushConnection.Configuration, _ plan: RecordPlan?) async throws(CommandError) -> ExitStatus {
        let source = source
        let findings = try await findings(defaults: config.defaults, plan: plan) { (check) throws(CommandError) in
            try check.run(of: source.file) { () throws(CommandError) in try source.nextRecord() }
        }
        try BulkDryRun(config, findings).report(isJSON: options.json)
        if isStrict, findings.invalid.total > 0 { throw refusal(findings) }
        return findings.invalid.total > 0 ? .rejectedOrFailed : .success
    }

    private func findings(
        defaults: RequestDefaults, plan: RecordPlan?,
        run: @escaping @Sendable (inout CampaignCheck) throws(CommandError) -> CampaignCheck.Findings
    ) async throws(CommandError) -> CampaignCheck.Findings {
        let records = RecordCheck(
            content, defaults: defaults, requiresTopic: options.connection.key != nil, isStrict: isStrict)
        // A run with a journal goes on behind the limit of the one before.
        let limit = isStrict && options.resume.journal != nil ? nil : options.campaign.limit
        let (name, filter, say) = (source.file.name, filter, say)
        let seen = options.campaign.dryRun ? SeenTokens() : nil
        let findings = try await OwnThread("pushctl.check").run { () throws(CommandError) in
            var check = CampaignCheck(records, plan: plan, limit: limit, inputName: name, say: say)
            (check.filter, check.seen) = (filter, seen)
            return try run(&check)
        }
        if let remainder = findings.remainder { say(remainder) }
        return findings
    }

    private func refusal(_ findings: CampaignCheck.Findings) -> CommandError {
        review.refusal(invalid: findings.invalid.total, of: findings.records)
    }
}
