import ArgumentParser

/// The arguments of `pushctl bulk`.
package struct BulkOptions: ParsableArguments {
    @Argument(help: "A CSV or NDJSON file with one push a record; - reads standard input.")
    package var input: String

    @Option(help: "Where the outcome rows go, as CSV; standard output when left out.")
    package var outcomes: String?

    @Option(help: "The input's format. By its name (.ndjson, .jsonl) when left out, else csv.")
    package var format: InputFormat?

    @Option(help: "A JSON file: the payload of every record that has none of its own.")
    package var payload: String?

    @Option(help: ArgumentHelp("Pushes a second at most.", valueName: "n"))
    package var rate: Int?

    @Option(help: "How progress shows on standard error.")
    package var progress = ProgressMode.auto

    @Flag(help: "JSON lines on standard output.")
    package var json = false

    @OptionGroup(title: "Connection options")
    package var connection: ConnectionOptions

    package init() {}

    package var inputFormat: InputFormat { format ?? InputFormat(fileName: input) }

    package mutating func validate() throws {
        if input.isEmpty { throw ValidationError("INPUT is empty; name a file, or - for standard input.") }
        if let rate, !(1...1_000_000).contains(rate) {
            throw ValidationError("--rate \(rate) is out of range; give 1 to 1000000 pushes a second.")
        }
        if payload == "-", input == "-" {
            throw ValidationError("INPUT and --payload can't both be standard input.")
        }
        try connection.requireCredential()
    }
}
