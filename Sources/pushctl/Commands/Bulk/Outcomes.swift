/// Where rows and summary go: rows to a file and the summary to standard output, or rows there and the summary to
/// standard error.
struct Outcomes: Sendable {
    private let path: String?
    private let asJSON: Bool

    init(_ options: BulkOptions) {
        path = options.outcomes
        asJSON = options.json
    }

    /// Creating the outcomes would empty the input if both were one file.
    func check(against input: InputFile) throws(CommandError) {
        guard let path, input.isSame(as: path) else { return }
        throw .usage("--outcomes names the input itself; give another file.")
    }

    func writer() throws(CommandError) -> OutcomesWriter {
        guard let path else { return try OutcomesWriter(.standardOutput, format: asJSON ? .json : .csv) }
        return try OutcomesWriter(OutputFile(creating: path))
    }

    func write(_ summary: Summary) throws(CommandError) {
        guard path != nil else { return StandardError.write(summary.text) }
        try OutputFile.standardOutput.write(asJSON ? summary.json : Array((summary.text + "\n").utf8))
    }
}
