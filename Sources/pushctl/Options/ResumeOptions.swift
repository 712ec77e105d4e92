import ArgumentParser

/// What a bulk does with records of earlier runs.
struct ResumeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Keep a journal of what is about to be sent and of every outcome, and continue where it ends: the same \
            command again resumes a run that was stopped or killed. Needs --outcomes. See docs/bulk.md.
            """, valueName: "file"))
    var journal: String?

    @Flag(
        help: """
            With --journal: wait for the disk before anything is sent, so that the journal survives a loss of power too.
            """)
    var fsync = false

    @Option(help: ArgumentHelp("Skip records that begin before this line of the input.", valueName: "n"))
    var fromLine: Int?

    @Option(
        help: ArgumentHelp(
            """
            Skip records that are done in an earlier outcomes file: delivered, unknown, or rejected for a reason of \
            their own. Failed ones, and those rejected for a reason of the sender or the service, are pushed. The \
            input must be the same. May be repeated.
            """, valueName: "outcomes"))
    var skipDone: [String] = []

    @OptionGroup var redo: RedoOptions

    init() {}

    /// - Parameters:
    ///   - input: INPUT.
    ///   - outcomes: The outcomes file; nil if rows go to standard output.
    ///   - existing: What to do with it if it exists.
    func check(input: String, outcomes: String?, _ existing: ExistingFileOptions) throws {
        if let fromLine, fromLine < 1 {
            throw ValidationError("--from-line \(fromLine) is out of range; lines start at 1.")
        }
        try redo.check(fromLine: fromLine)
        if redo.redo != nil, !skipDone.isEmpty {
            throw ValidationError("--redo says which records are taken; leave out --skip-done.")
        }
        if skipDone.contains(where: \.isEmpty) { throw ValidationError("--skip-done is empty; name a file.") }
        guard let journal else {
            if fsync { throw ValidationError("--fsync goes with --journal FILE.") }
            return
        }
        if journal.isEmpty { throw ValidationError("--journal is empty; name a file, or leave it out.") }
        if input == "-" {
            throw ValidationError("--journal needs an input that can be read again; INPUT can't be standard input.")
        }
        guard let outcomes else { throw ValidationError("--journal needs --outcomes FILE.") }
        guard outcomes != journal else { throw ValidationError("--journal and --outcomes can't be one file.") }
        if existing.append || existing.overwrite {
            throw ValidationError(
                "--journal continues its own outcomes file; leave out --append and --overwrite.")
        }
        if fromLine != nil || !skipDone.isEmpty || redo.redo != nil {
            throw ValidationError("--journal knows what is done; leave out --from-line, --skip-done and --redo.")
        }
    }
}
