import ArgumentParser
import PushCampaign

/// The arguments of `pushctl bulk`.
struct BulkFlags: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A CSV or NDJSON file with one push per record; - reads standard input.",
            discussion: """
                Examples:
                  pushctl bulk tokens.csv --payload payload.json --profile orders
                  pushctl bulk pushes.ndjson --outcomes outcomes.csv --rate 500
                  pushctl simulate -v -- pushctl bulk tokens.csv --payload payload.json
                """), completion: .file(extensions: ["csv", "ndjson", "jsonl"]))
    var input: String

    @Option(
        help: """
            A new file for the outcome rows, as CSV, readable only by you; - or nothing is standard output. An \
            existing file is refused, unless --append or --overwrite says what to do with it.
            """, completion: .file(extensions: ["csv"]))
    var outcomes: String?

    @Option(
        help: """
            A file for the device tokens that APNs answers 410 for, with the time: what to delete. The same rules as \
            for --outcomes.
            """, completion: .file(extensions: ["csv"]))
    var unregistered: String?

    @OptionGroup var existing: ExistingFileOptions

    @OptionGroup var resume: ResumeOptions

    @Option(help: "The input's format. By its name (.ndjson, .jsonl) when left out, else csv.")
    var format: RecordFormat?

    @Option(
        help: "A JSON file: the payload of every record that has none of its own.",
        completion: .file(extensions: ["json"]))
    var payload: String?

    @Option(help: ArgumentHelp("The most pushes per second.", valueName: "n"))
    var rate: Int?

    @Flag(
        help: """
            Do not push again what APNs refused for a reason of the sender or the service; that answer is its row. The \
            run pauses all the same.
            """)
    var noResendRefused = false

    @Option(
        help: """
            How progress shows on standard error. auto: a status area on a terminal, elsewhere a line every 10 s with \
            the time; plain: the line, on a terminal too; none: neither. SIGUSR1 prints a snapshot with each.
            """)
    var progress = ProgressMode.auto

    @Option(help: "A Unix socket for pushctl top, which then shows this run.", completion: .file(extensions: ["sock"]))
    var statusSocket: String?

    @OptionGroup var metrics: PrometheusOptions

    @Flag(help: "JSON lines on standard output.")
    var json = false

    @OptionGroup var campaign: CampaignOptions

    @OptionGroup(title: "Connection options")
    var connection: ConnectionOptions

    init() {}

    /// Nil: rows go to standard output.
    var outcomesFile: String? { outcomes == "-" ? nil : outcomes }

    var inputFormat: RecordFormat { format ?? RecordFormat(fileName: input) }

    mutating func validate() throws {
        try campaign.check(inputFormat)
        if input.isEmpty { throw ValidationError("INPUT is empty; name a file, or - for standard input.") }
        if outcomes?.isEmpty == true { throw ValidationError("--outcomes is empty; name a file, or leave it out.") }
        if unregistered?.isEmpty == true || unregistered == "-" {
            throw ValidationError("--unregistered needs the name of a file.")
        }
        try existing.check("--outcomes", outcomesFile ?? unregistered)
        try resume.check(input: input, outcomes: outcomesFile, existing)
        try checkThatFilesDiffer()
        if let rate, !(1...1_000_000).contains(rate) {
            throw ValidationError("--rate \(rate) is out of range; give 1 to 1000000 pushes a second.")
        }
        if campaign.strict, input == "-" {
            throw ValidationError("--strict reads INPUT twice, so it can't be standard input; name a file.")
        }
        if let topic = connection.topic, topic.contains("{{") {
            throw ValidationError("--topic takes no placeholder; use a column topic.")
        }
        if payload == "-", input == "-" {
            throw ValidationError("INPUT and --payload can't both be standard input.")
        }
        if payload != nil, campaign.alert.isGiven {
            throw ValidationError("--payload is the whole payload; leave out --title, --body and the like.")
        }
        try connection.requireCredential()
    }

    private func checkThatFilesDiffer() throws {
        let files = [
            ("--outcomes", outcomesFile), ("--unregistered", unregistered), ("--journal", resume.journal),
            ("--metrics-file", metrics.file),
        ]
        .compactMap { name, path in path.map { (name, AbsolutePath.of($0)) } }
        for (index, (name, path)) in files.enumerated() {
            guard let other = files[..<index].first(where: { $0.1 == path }) else { continue }
            throw ValidationError("\(other.0) and \(name) can't be one file.")
        }
    }
}

extension BulkFlags: CampaignFlags {
    var siteTopic: String? { connection.topic }
}

extension RecordFormat: ExpressibleByArgument {}

enum ProgressMode: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// A status area, if standard error is a terminal; elsewhere as `plain`.
    case auto
    /// A line every ten seconds, terminal or not.
    case plain
    case none
}
