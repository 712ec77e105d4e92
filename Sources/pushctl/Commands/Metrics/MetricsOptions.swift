import ArgumentParser
import PushCampaign
import PushMetricsExport
import PushTerminal
import PushTransport
import SupervisedPush

/// The arguments that all commands of `pushctl metrics` share.
struct MetricsOptions: ParsableArguments {
    /// The variable that contains the token.
    static let tokenVariable = "PUSHCTL_MANAGEMENT_TOKEN"

    @Option(help: "The team's id.")
    var teamID: String?

    @Option(help: "The app: its bundle id, without the suffix of a push type.")
    var topic: String?

    @Option(
        help: ArgumentHelp(
            "The first day, as 2026-11-21, at most 30 days ago; six days before the last one when left out.",
            valueName: "day"))
    var from: String?

    @Option(help: ArgumentHelp("The last day, in UTC: yesterday, or before.", valueName: "day"))
    var to: String?

    @Option(
        help: """
            The file whose first line is the data export token of Apple's CloudKit Console; else \
            PUSHCTL_MANAGEMENT_TOKEN.
            """, completion: .file())
    var managementTokenFile: String?

    @Option(
        help: ArgumentHelp("For tests: another host than Apple's. The token goes there alone.", valueName: "host:port"))
    var metricsHost: String?

    @Option(help: "Root certificates to trust in place of the system's, a PEM file.", completion: .file())
    var trustRoots: String?

    @Option(
        help: ArgumentHelp(
            "http://host:port, socks5://… or none. When left out: HTTPS_PROXY, ALL_PROXY and NO_PROXY.",
            valueName: "url"))
    var proxy: String?

    @Option(help: "Seconds that the report may take to be made.")
    var maxWait = Seconds(600)

    @Option(help: "Also count the records of this outcomes file.", completion: .file())
    var outcomes: String?

    @Option(help: "Also count the outcomes of this journal of bulk.", completion: .file())
    var journal: String?

    @OptionGroup var settings: ConfigurationOptions

    @OptionGroup var log: LogOptions

    @Flag(help: "The report as CSV on standard output.")
    var csv = false

    @Flag(help: "A JSON line for each row on standard output.")
    var json = false

    init() {}

    mutating func validate() throws {
        guard !csv || !json else { throw ValidationError("--csv and --json exclude each other; give one.") }
        guard teamID != nil else {
            throw ValidationError("--team-id is missing: the ten characters of your team in the developer account.")
        }
        guard topic != nil else { throw ValidationError("--topic is missing: the app's bundle id.") }
        guard outcomes == nil || journal == nil else {
            throw ValidationError("--outcomes and --journal exclude each other; a journal counts its outcomes file.")
        }
        guard maxWait.value > 0 else { throw ValidationError("--max-wait needs more than 0 seconds.") }
        do {
            // A channel is checked by its own command.
            _ = try order(.delivery)
            _ = try host()
            _ = try proxySetting()
        } catch { throw ValidationError(error.message) }
    }

    /// What is asked for.
    func order(
        _ dataset: ExportOrder.Dataset, channel: String? = nil, today: CalendarDay = CalendarDay(unixSeconds: UTC.now)
    ) throws(CommandError) -> ExportOrder {
        do throws(ExportOrder.Problem) {
            return try ExportOrder(
                dataset, teamID: teamID ?? "", appID: topic ?? "", channelID: channel,
                from: try Self.day("--from", from), to: try Self.day("--to", to), today: today)
        } catch {
            throw .usage(Self.sentence(error))
        }
    }

    /// Where the token goes.
    func host() throws(CommandError) -> Endpoint {
        guard let metricsHost else { return ExportRun.appleHost }
        guard let endpoint = Endpoint(webAuthority: metricsHost) else {
            throw .usage(
                "--metrics-host is no host; give HOST or HOST:PORT, without https:// and without a path.")
        }
        return endpoint
    }

    /// The token, from the file or the environment; never from the command line, which every user on the machine can
    /// read.
    func token(_ variable: (String) -> String? = EnvironmentVariable.value) throws(CommandError) -> ManagementToken {
        let text: String
        let place: String
        if let file = managementTokenFile {
            if ByteSource.file(file).isOpenToAll {
                StandardErrorLog.logger { StandardError.write($0) }.warnOfPasswordFile(file)
            }
            do { text = try PasswordFile.password(file, what: "token") } catch {
                throw .configuration("--management-token-file: \(error.description)")
            }
            place = "the first line of \(file)"
        } else if let value = variable(Self.tokenVariable) {
            (text, place) = (value, Self.tokenVariable)
        } else {
            throw .usage(
                "there is no token: give --management-token-file FILE or \(Self.tokenVariable), with a data export token from "
                    + "Apple's CloudKit Console.")
        }
        guard let token = ManagementToken(String(text.trimmingBlanks)) else {
            throw .configuration("\(place) is no token: a token is one word of visible ASCII characters.")
        }
        return token
    }

    /// The proxy that the flag names, otherwise the environment's.
    func proxySetting() throws(CommandError) -> ProxySetting {
        guard let proxy else { return .fromEnvironment }
        if proxy == "none" { return .none }
        do { return try .url(proxy) } catch { throw .usage("--proxy: \(error.description)") }
    }

    // MARK: Errors

    private static func day(_ flag: String, _ text: String?) throws(ExportOrder.Problem) -> CalendarDay? {
        guard let text else { return nil }
        guard let day = CalendarDay(text) else { throw .dayMalformed(flag) }
        return day
    }

    private static func sentence(_ problem: ExportOrder.Problem) -> String {
        switch problem {
        case .teamID: "--team-id is not a team's id; give the ten characters of your team in the developer account."
        case .appID: "--topic is not a bundle id; give letters, digits, hyphens and periods, such as com.example.app."
        case .channelID: "CHANNEL is not a channel's id; give the base64 that pushctl channels list prints."
        case .dayMalformed(let flag): "\(flag) is not a day; give one as 2026-11-21."
        case .lastDayTooLate(let latest):
            "--to is too late: Apple's last day is yesterday, \(latest) in UTC."
        case .firstDayTooEarly(let earliest):
            "--from is too early: Apple's first day is \(ExportOrder.mostDaysBack) days ago, \(earliest) in UTC."
        case .daysNotInOrder: "--from must be earlier than --to: Apple's export has two days at least."
        }
    }
}

extension String {
    /// The text without blanks and line ends at its ends.
    fileprivate var trimmingBlanks: Substring {
        let isBlank = { (character: Character) in character.isWhitespace }
        let rest = drop(while: isBlank)
        return rest.lastIndex { !isBlank($0) }.map { rest[...$0] } ?? ""
    }
}
