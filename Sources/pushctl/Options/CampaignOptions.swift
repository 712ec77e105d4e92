import ArgumentParser
import PushCampaign
import PushTerminal
import SupervisedPush

/// The flags of `pushctl bulk` for what all pushes have in common. A record's own fields win.
struct CampaignOptions: ParsableArguments {
    @OptionGroup(title: "Headers of records that have none")
    var headers: PushHeaderOptions

    @OptionGroup(title: "Header fields of all pushes")
    var own: OwnHeaders

    @Option(
        help: ArgumentHelp(
            "In place of --expiration: how long APNs keeps a push, from when it is read. Seconds, or 90m, 12h, 2d.",
            valueName: "time"), transform: TimeToLive.init)
    var ttl: TimeToLive?

    @Option(
        help: ArgumentHelp(
            "What separates the columns of a CSV file: one character, or tab. Default a comma.", valueName: "char"))
    var delimiter: String?

    @Option(help: ArgumentHelp("Read this many records, and no more.", valueName: "n"))
    var limit: Int?

    @Flag(help: "Take only the first record of each device token. A million tokens take about 40 MB.")
    var dedupe = false

    @Option(
        help: ArgumentHelp(
            """
            Leave out the device tokens of a file: CSV with a column token, as --unregistered writes it, or NDJSON. May \
            be repeated.
            """, valueName: "file"), completion: .file(extensions: ["csv", "ndjson", "jsonl"]))
    var exclude: [String] = []

    @Flag(help: "Read and check all records first, and push nothing if one is not valid. INPUT is a file.")
    var strict = false

    @Flag(help: "Check all records, and print the first request and the counts; push nothing and use no network.")
    var dryRun = false

    @OptionGroup(title: "Alert of records without a payload")
    var alert: AlertOptions

    init() {}

    /// Whether these flags make a payload.
    var makesPayload: Bool { alert.isGiven || headers.makesPayload }

    mutating func validate() throws {
        if let delimiter, RecordDelimiter.byte(delimiter) == nil {
            throw ValidationError("--delimiter is not valid; \(RecordDelimiter.rule).")
        }
        if let limit, limit < 1 { throw ValidationError("--limit \(limit) is below 1.") }
        if exclude.contains(where: { $0.isEmpty || $0 == "-" }) {
            throw ValidationError("--exclude needs the name of a file.")
        }
        if ttl != nil, headers.expiration != nil {
            throw ValidationError("--ttl and --expiration are two ways to say the same; give one of them.")
        }
    }

    /// Which records are left out because of their token; nil for none. Reads the files of `--exclude`.
    func filter() throws(CommandError) -> TokenFilter? {
        guard dedupe || !exclude.isEmpty else { return nil }
        return try TokenFilter(leavesOutDuplicates: dedupe, excluding: exclude)
    }

    /// The delimiter fits the format.
    func check(_ format: RecordFormat) throws {
        if delimiter != nil, format != .csv { throw ValidationError("--delimiter goes with CSV, not with NDJSON.") }
    }

    /// Sets the headers as a connection's defaults.
    func set(_ defaults: inout RequestDefaults) throws(CommandError) {
        if let type = headers.pushType { defaults.pushType = PushType(rawValue: type) }
        if let priority = headers.priority { defaults.priority = PushPriority(rawValue: priority) }
        if let expiration = headers.expiration { defaults.expiration = Expiration(unixSeconds: expiration) }
        if let text = headers.collapseID, !PushHeaderOptions.mayHavePlaceholders(text) {
            do { defaults.collapseID = try CollapseID(text, maxBytes: headers.maxCollapseIDBytes) } catch {
                throw .usage("--collapse-id: \(error)")
            }
        }
        own.set(&defaults.headers)
        defaults.waived.formUnion(headers.waived)
    }
}

/// The flags of a command that pushes to the records of an input, as far as they make what the pushes share.
protocol CampaignFlags {
    /// The file of a payload.
    var payload: String? { get }
    var campaign: CampaignOptions { get }
    /// The topic of all pushes, if it is known: a website's pushes have another shape.
    var siteTopic: String? { get }
}

/// A time in seconds, or with a unit: `90`, `90s`, `15m`, `12h`, `2d`.
struct TimeToLive: Equatable, Sendable {
    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    /// APNs keeps a push for at most 30 days.
    private static let most: Int64 = 30 * 86_400

    let seconds: Int64

    /// - Throws: An error for people, unless it is from 1 second to 30 days.
    init(_ text: String) throws {
        let unit = text.last.flatMap { Self.units[$0] }
        guard let number = Int64(unit == nil ? text : String(text.dropLast())), number > 0,
            case let (seconds, isTooMuch) = number.multipliedReportingOverflow(by: unit ?? 1), !isTooMuch,
            seconds <= Self.most
        else {
            throw ValidationError(
                "--ttl is out of range; give 1 to 2592000 seconds, or 90m, 12h, 2d.")
        }
        self.seconds = seconds
    }
}
