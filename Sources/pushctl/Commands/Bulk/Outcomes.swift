import PushTerminal

/// Where rows and summary go: either rows to a file and the summary to standard output, or rows to standard output and
/// the summary to standard error.
struct Outcomes: Sendable {
    /// Nil: rows go to standard output.
    private let file: OutputRequest?
    /// The list of `--unregistered`.
    private let unregistered: OutputRequest?
    private let inputs: NamedFiles
    private let asJSON: Bool
    private let input: InputFile
    private let resume: ResumeOptions
    private let pushesAgain: Bool

    init(_ options: BulkFlags, _ input: InputFile) {
        var inputs = options.connection.files
        inputs.add("the input itself", input.identity)
        inputs.add("the file of --payload", path: options.payload)
        for path in options.resume.skipDone { inputs.add("a file of --skip-done", path: path) }
        inputs.add("the file of --redo", path: options.resume.redo.redo)
        self.inputs = inputs
        self.input = input
        resume = options.resume
        pushesAgain = options.connection.resendUnknown
        // None of the three may be another.
        inputs.add("the file of --journal", path: resume.journal)
        let policy = resume.journal == nil ? options.existing.policy : .resume(behind: 0)
        var (others, othersOfList) = (inputs, inputs)
        others.add("the file of --unregistered", path: options.unregistered)
        othersOfList.add("the file of --outcomes", path: options.outcomesFile)
        file = options.outcomesFile.map { path in
            OutputRequest(
                flag: "--outcomes", path: path, policy: policy, beginning: OutcomesWriter.header, inputs: others)
        }
        unregistered = options.unregistered.map { path in
            OutputRequest(
                flag: "--unregistered", path: path, policy: policy, beginning: UnregisteredList.header,
                inputs: othersOfList)
        }
        asJSON = options.json
    }

    /// Refuses files that must not be written, before the run begins.
    func check() throws(CommandError) {
        if resume.journal != nil, input.identity == nil {
            throw .usage("--journal needs an input that can be read again; \(input.name) is not a regular file.")
        }
        try inputs.checkStandardStreams()
        try file?.check()
        try unregistered?.check()
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
            if let line = rows.line(resume.redo.redo ?? "") { say(line) }
        } else if !resume.skipDone.isEmpty {
            var rows = EarlierRows()
            for path in resume.skipDone { try rows.addDone(path) }
            plan.settled = rows.settled
            if let line = rows.line(resume.skipDone.joined(separator: ", ")) { say(line) }
        }
        return plan
    }

    /// The input as a journal is bound to it; nil without a journal.
    func binding() throws(CommandError) -> InputBinding? {
        resume.journal == nil ? nil : try input.binding()
    }

    /// Opens what the run writes.
    func open(_ binding: InputBinding?) throws(CommandError) -> CampaignFiles {
        if let journal = resume.journal, let binding, let file {
            return try CampaignFiles.resuming(
                journal: journal, isDurable: resume.fsync, input: binding, outcomes: file, unregistered: unregistered,
                inputs: inputs, pushesAgain: pushesAgain)
        }
        // What must not be written is refused before either file is made.
        let list = try unregistered?.open()
        let format: OutcomesWriter.Format = file == nil && asJSON ? .json : .csv
        var files = CampaignFiles(try OutcomesWriter(file?.open() ?? .standardOutput, format: format))
        if let list { files.unregistered = try UnregisteredList(list) }
        return files
    }

    func write(_ summary: Summary) throws(CommandError) {
        guard file != nil else { return StandardError.writeRaw(summary.text(.standardError) + "\n") }
        try OutputFile.standardOutput.write(asJSON ? summary.json : Array((summary.text(.standardOutput) + "\n").utf8))
    }
}
