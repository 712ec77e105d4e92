import ArgumentParser
import SupervisedPush

/// The arguments of `pushctl bench`.
struct BenchOptions: ParsableArguments {
    /// What a connection lets wait: more would be refused at once.
    private static let mostInFlight = 10_000
    private static let mostPerSecond = 1_000_000

    @Option(help: "Seconds to push for.")
    var duration = Seconds(10)

    @Option(
        help: ArgumentHelp("Pushes in flight: each answer makes the next push. 1000 when left out.", valueName: "n"))
    var inFlight: Int?

    @Option(
        help: ArgumentHelp(
            """
            In place of --in-flight: pushes a second, whether answers come or not. Latencies then count from \
            when a push was due.
            """, valueName: "n"))
    var rate: Int?

    @Option(
        help: ArgumentHelp(
            "A file with a device token on each line, pushed to in turn; - is standard input. When left out: made-up ones.",
            valueName: "file"), completion: .file())
    var tokens: String?

    @Option(help: "A JSON file with the payload; a small alert when left out.", completion: .file(extensions: ["json"]))
    var payload: String?

    @Flag(help: "JSON on standard output.")
    var json = false

    @Flag(
        help: "Load Apple's own service. Needs --tokens: Apple blocks providers that push to devices that do not exist."
    )
    var againstApple = false

    @OptionGroup(title: "Connection options")
    var connection: ConnectionOptions

    init() {}

    /// How pushes follow one another.
    var loop: BenchLoop { rate.map { .open(perSecond: $0) } ?? .closed(inFlight: inFlight ?? 1_000) }

    mutating func validate() throws {
        guard duration.value > 0 else { throw ValidationError("--duration needs more than 0 seconds.") }
        guard rate == nil || inFlight == nil else {
            throw ValidationError("--rate and --in-flight are two ways to load a server; give one of them.")
        }
        if let inFlight, !(1...Self.mostInFlight).contains(inFlight) {
            throw ValidationError("--in-flight \(inFlight) is out of range; give 1 to \(Self.mostInFlight).")
        }
        if let rate, !(1...Self.mostPerSecond).contains(rate) {
            throw ValidationError("--rate \(rate) is out of range; give 1 to \(Self.mostPerSecond) pushes a second.")
        }
        if tokens == "-", payload == "-" {
            throw ValidationError("--tokens and --payload can't both be standard input.")
        }
        try checkHost()
        try connection.requireCredential()
    }

    private func checkHost() throws {
        let environment: APNsEnvironment = connection.environment == .production ? .production : .development
        let host = connection.host ?? environment.host
        guard AppleHosts.contain(host) else { return }
        guard againstApple else {
            throw ValidationError(
                """
                \(host) is Apple's own service, which blocks clients that send it load. Give --host with a server of yours, such as \
                pushctl simulate; or --against-apple, if you mean it.
                """)
        }
        guard tokens != nil else {
            throw ValidationError(
                "--against-apple needs --tokens FILE: Apple blocks providers that push to devices that do not exist.")
        }
    }
}

/// When the next push is made.
enum BenchLoop: Equatable, Sendable {
    /// When one has ended: this many are in flight at any time.
    case closed(inFlight: Int)
    /// When the clock says so.
    case open(perSecond: Int)
}
