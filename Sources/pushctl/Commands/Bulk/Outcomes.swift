import PushCampaign
import PushTerminal

/// Where rows and summary go: either rows to a file and the summary to standard output, or rows to standard output and
/// the summary to standard error.
struct Outcomes: Sendable {
    let files: CampaignFiles.Request
    private let asJSON: Bool
    private let input: InputFile
    private let resume: ResumeOptions

    init(_ options: BulkFlags, _ input: InputFile) {
        var inputs = options.connection.files
        inputs.add("the input itself", input.identity)
        inputs.add("the file of --payload", path: options.payload)
        for path in options.resume.skipDone { inputs.add("a file of --skip-done", path: path) }
        inputs.add("the file of --redo", path: options.resume.redo.redo)
        for path in options.campaign.exclude { inputs.add("a file of --exclude", path: path) }
        self.input = input
        resume = options.resume
        asJSON = options.json
        var files = CampaignFiles.Request(inputs: inputs)
        (files.journal, files.isDurable) = (resume.journal, resume.fsync)
        files.pushesAgain = options.connection.resendUnknown
        files.format = options.json ? .json : .csv
        // None of the three may be another.
        inputs.add("the file of --journal", path: resume.journal)
        let policy = resume.journal == nil ? options.existing.policy : .resume(behind: 0)
        var (others, othersOfList) = (inputs, inputs)
        others.add("the file of --unregistered", path: options.unregistered)
        othersOfList.add("the file of --outcomes", path: options.outcomesFile)
        files.outcomes = options.outcomesFile.map { path in
            OutputRequest(
                flag: "--outcomes", path: path, policy: policy, beginning: OutcomesWriter.header, inputs: others,
                ifExists: ExistingFileOptions.remedy)
        }
        files.unregistered = options.unregistered.map { path in
            OutputRequest(
                flag: "--unregistered", path: path, policy: policy, beginning: UnregisteredList.header,
                inputs: othersOfList, ifExists: ExistingFileOptions.remedy)
        }
        self.files = files
    }

    /// Refuses files that must not be written, before the run begins.
    func check() throws(CommandError) {
        try files.inputs.checkStandardStreams()
        try files.check(input)
    }

    /// What the flags say of each record. Reads the files of `--skip-done` and `--redo`.
    ///
    /// - Parameter say: Receives a line about what they skip.
    func plan(say: (String) -> Void) throws(CommandError) -> RecordPlan? {
        guard resume.fromLine != nil || !resume.skipDone.isEmpty || resume.redo.redo != nil else { return nil }
        var plan = RecordPlan()
        plan.firstLine = resume.fromLine ?? 1
        if let rows = try resume.redo.rows() {
            plan.only = LineSet(rows.again.keys)
            if let line = rows.line(resume.redo.redo ?? "", does: "pushing") { say(line) }
        } else if !resume.skipDone.isEmpty {
            var rows = EarlierRows()
            for path in resume.skipDone { try rows.addDone(path) }
            plan.settled = rows.settled
            if let line = rows.line(resume.skipDone.joined(separator: ", "), does: "pushing") { say(line) }
        }
        return plan
    }

    func write(_ summary: Summary) throws(CommandError) {
        guard files.outcomes != nil else {
            return StandardError.writeTotals(summary.text(.standardError), json: summary.json)
        }
        try OutputFile.standardOutput.write(asJSON ? summary.json : Array((summary.text(.standardOutput) + "\n").utf8))
    }
}
