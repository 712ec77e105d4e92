import ArgumentParser
import PushCampaign
import PushQueue

/// The arguments of `pushctl queue put`.
struct PutFlags: ParsableArguments, CampaignFlags {
    @Argument(
        help: ArgumentHelp(
            "A CSV or NDJSON file with one push per record, as bulk takes it; - reads standard input.",
            discussion: """
                Examples:
                  pushctl queue put tokens.csv --queue pushes.db --title Hello --body World
                  pushctl queue put pushes.ndjson --queue redis://localhost --wait --outcomes outcomes.csv
                """), completion: .file(extensions: ["csv", "ndjson", "jsonl"]))
    var input: String

    @OptionGroup(title: "Queue")
    var queue: QueueOptions

    @OptionGroup(title: "How the queue is kept")
    var keeping: KeepingOptions

    @Option(help: "The apns-topic of records that have none. When left out, the worker's.")
    var topic: String?

    @Option(help: "The input's format. By its name (.ndjson, .jsonl) when left out, else csv.")
    var format: RecordFormat?

    @Option(
        help: "A JSON file: the payload of every record that has none of its own.",
        completion: .file(extensions: ["json"]))
    var payload: String?

    @Option(
        help: ArgumentHelp(
            "Push not before this time: 90s, 15m, 2h or 1d from now, UNIX seconds, or 2026-11-23T18:00:00Z.",
            valueName: "time"), transform: QueueTime.init)
    var notBefore: QueueTime?

    @Option(
        help: ArgumentHelp(
            "Push not after this time, which has the same forms: what is left then has failed.", valueName: "time"),
        transform: QueueTime.init)
    var deadline: QueueTime?

    @Flag(help: "Never push again what may have been sent when its worker died: it is unknown then.")
    var once = false

    @Flag(help: "Push it before what waits and is not urgent. Of each eight tokens, one is still of the others.")
    var urgent = false

    @Option(
        name: .customLong("campaign"),
        help: ArgumentHelp(
            "A name for what is put. Put again under it, also after a kill, the same file adds nothing twice.",
            valueName: "name"),
        transform: CampaignChoice.name)
    var campaignName: CampaignName?

    @Option(help: ArgumentHelp("Skip records that begin before this line of the input.", valueName: "n"))
    var fromLine: Int?

    @OptionGroup var redo: RedoOptions

    @Option(
        help: ArgumentHelp(
            "The most entries the queue may hold; put waits while it is full. Default 1000000.", valueName: "n"))
    var maxEntries: Int?

    @Option(help: "Seconds to wait for a full queue, and with --wait for a next outcome.")
    var maxWait = Seconds(300)

    @Flag(help: "Print a row for each entry: its id, its tokens and the line of the first one.")
    var ids = false

    @Flag(help: "Wait for the outcome of each token, and write the rows that bulk writes.")
    var wait = false

    @Option(
        help: "With --wait: a new file for the outcome rows, as CSV, readable only by you; else standard output.",
        completion: .file(extensions: ["csv"]))
    var outcomes: String?

    @OptionGroup var existing: ExistingFileOptions

    @Option(
        help: """
            How progress shows on standard error. auto: a status area on a terminal, elsewhere a line every 10 s; \
            plain: those lines; none: neither.
            """)
    var progress = ProgressMode.auto

    @Flag(help: "JSON lines on standard output.")
    var json = false

    @OptionGroup var campaign: CampaignOptions

    init() {}

    var inputFormat: RecordFormat { format ?? RecordFormat(fileName: input) }

    /// When left out, the connection of the worker has it.
    var siteTopic: String? { topic }

    /// Whether rows or ids go to standard output.
    var hasOutput: Bool { ids || wait && outcomesFile == nil }

    /// Nil: rows go to standard output.
    var outcomesFile: String? { outcomes == "-" ? nil : outcomes }

    mutating func validate() throws {
        try campaign.check(inputFormat)
        if input.isEmpty { throw ValidationError("INPUT is empty; name a file, or - for standard input.") }
        if let topic {
            if topic.isEmpty { throw ValidationError("--topic is empty; give the app's bundle id or leave it out.") }
            if topic.contains("{{") { throw ValidationError("--topic takes no placeholder; use a column topic.") }
        }
        try keeping.check(queue.place)
        if let maxEntries, maxEntries < 1 { throw ValidationError("--max-entries \(maxEntries) is below 1.") }
        if outcomes?.isEmpty == true { throw ValidationError("--outcomes is empty; name a file, or leave it out.") }
        if outcomes != nil, !wait { throw ValidationError("--outcomes goes with --wait.") }
        if ids, wait, outcomesFile == nil {
            throw ValidationError(
                "--ids and the rows of --wait can't both go to standard output; give --outcomes FILE.")
        }
        try existing.check("--outcomes", outcomesFile)
        if let fromLine, fromLine < 1 {
            throw ValidationError("--from-line \(fromLine) is out of range; lines start at 1.")
        }
        try redo.check(fromLine: fromLine)
        if campaignName != nil {
            guard fromLine == nil else {
                throw ValidationError("--campaign goes on by itself where it ended; leave out --from-line.")
            }
            guard input != "-" else {
                throw ValidationError("--campaign reads INPUT twice, so it can't be standard input; name a file.")
            }
        }
        if campaign.strict, input == "-" {
            throw ValidationError("--strict reads INPUT twice, so it can't be standard input; name a file.")
        }
        if payload == "-", input == "-" {
            throw ValidationError("INPUT and --payload can't both be standard input.")
        }
        if payload != nil, campaign.alert.isGiven {
            throw ValidationError("--payload is the whole payload; leave out --title, --body and the like.")
        }
        if wait, campaign.dryRun { throw ValidationError("--dry-run puts nothing, so there is nothing to wait for.") }
    }
}
