import ArgumentParser

/// The arguments of `pushctl bulk`.
struct BulkFlags: ParsableArguments {
    @Argument(help: "A CSV or NDJSON file with one push per record; - reads standard input.")
    var input: String

    @Option(
        help: """
            A new file for the outcome rows, as CSV, readable only by you; - or nothing is standard output. An \
            existing file is refused, unless --append or --overwrite says what to do with it.
            """)
    var outcomes: String?

    @OptionGroup var existing: ExistingFileOptions

    @Option(help: "The input's format. By its name (.ndjson, .jsonl) when left out, else csv.")
    var format: InputFormat?

    @Option(help: "A JSON file: the payload of every record that has none of its own.")
    var payload: String?

    @Option(help: ArgumentHelp("The most pushes per second.", valueName: "n"))
    var rate: Int?

    @Option(help: "How progress shows on standard error.")
    var progress = ProgressMode.auto

    @Flag(help: "JSON lines on standard output.")
    var json = false

    @OptionGroup(title: "Connection options")
    var connection: ConnectionOptions

    init() {}

    /// Nil: rows go to standard output.
    var outcomesFile: String? { outcomes == "-" ? nil : outcomes }

    var inputFormat: InputFormat { format ?? InputFormat(fileName: input) }

    mutating func validate() throws {
        if input.isEmpty { throw ValidationError("INPUT is empty; name a file, or - for standard input.") }
        if outcomes?.isEmpty == true { throw ValidationError("--outcomes is empty; name a file, or leave it out.") }
        try existing.check("--outcomes", outcomesFile)
        if let rate, !(1...1_000_000).contains(rate) {
            throw ValidationError("--rate \(rate) is out of range; give 1 to 1000000 pushes a second.")
        }
        if payload == "-", input == "-" {
            throw ValidationError("INPUT and --payload can't both be standard input.")
        }
        try connection.requireCredential()
    }
}

enum InputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case csv
    case ndjson

    /// The format by the file's name; CSV if the name does not say.
    init(fileName: String) {
        let name = fileName.lowercased()
        self = name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") ? .ndjson : .csv
    }
}

enum ProgressMode: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// A line that updates itself, if standard error is a terminal; otherwise nothing.
    case auto
    /// A line every few seconds, terminal or not.
    case plain
    case none
}
