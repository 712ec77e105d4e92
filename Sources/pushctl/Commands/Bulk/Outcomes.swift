/// Where rows and summary go: either rows to a file and the summary to standard output, or rows to standard output and
/// the summary to standard error.
struct Outcomes: Sendable {
    /// Nil: rows go to standard output.
    private let file: OutputRequest?
    private let inputs: NamedFiles
    private let asJSON: Bool

    init(_ options: BulkFlags, _ input: InputFile) {
        var inputs = options.connection.files
        inputs.add("the input itself", input.identity)
        inputs.add("the file of --payload", path: options.payload)
        self.inputs = inputs
        file = options.outcomesFile.map { path in
            OutputRequest(
                flag: "--outcomes", path: path, policy: options.existing.policy, beginning: OutcomesWriter.header,
                inputs: inputs)
        }
        asJSON = options.json
    }

    /// Refuses files that must not be written, before the run begins.
    func check() throws(CommandError) {
        try inputs.checkStandardStreams()
        try file?.check()
    }

    func writer() throws(CommandError) -> OutcomesWriter {
        guard let file else { return try OutcomesWriter(.standardOutput, format: asJSON ? .json : .csv) }
        return try OutcomesWriter(file.open())
    }

    func write(_ summary: Summary) throws(CommandError) {
        guard file != nil else { return StandardError.write(summary.text) }
        try OutputFile.standardOutput.write(asJSON ? summary.json : Array((summary.text + "\n").utf8))
    }
}
