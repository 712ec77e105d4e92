import ArgumentParser
import PushSimulator
import PushTerminal

/// The arguments of `pushctl simulate`.
struct SimulateOptions: ParsableArguments {
    /// Addresses at which a program on this machine reaches it as `localhost`.
    private static let localAddresses = ["localhost", "127.0.0.1", "0.0.0.0", "::"]

    @Option(help: ArgumentHelp("The address to listen on; 0.0.0.0 or :: is every address.", valueName: "address"))
    var host = "127.0.0.1"

    @Option(help: "The port; 0 takes a free one.")
    var port = 0

    @Option(
        help: ArgumentHelp("The port for broadcast channels; 0 takes a free one.", valueName: "port"))
    var managementPort = 0

    @Option(
        help: ArgumentHelp(
            "Also play Apple's export of metrics, over HTTPS on this port; 0 takes a free one.", valueName: "port"))
    var metricsPort: Int?

    @Option(
        name: .customLong("san"),
        help: ArgumentHelp(
            """
            A name or an address for its certificate, besides localhost, 127.0.0.1 and ::1; may be repeated. The \
            first is the host in its configuration.
            """, valueName: "name"))
    var names: [String] = []

    @Option(
        name: .customLong("topic"),
        help: ArgumentHelp(
            """
            A topic that it accepts, besides that of its credentials, each with the suffixes of the push types; may be \
            repeated. Others get 400 TopicDisallowed. any is every topic.
            """, valueName: "topic"))
    var topics: [String] = []

    @Option(
        name: .customLong("late-topic"),
        help: ArgumentHelp(
            """
            A topic that it gets with its first push: the connection of that push refuses it with 400 TopicDisallowed, \
            and newer ones accept it; may be repeated.
            """, valueName: "topic"))
    var lateTopics: [String] = []

    @Option(
        help: "A folder for the throw-away root, signing key and certificate; a temporary one when left out.",
        completion: .directory)
    var credentials: String?

    @Option(
        help: ArgumentHelp(
            "Write its configuration to this file, for --config; the file is there while it listens.", valueName: "file"
        ), completion: .file(extensions: ["json"]))
    var writeConfig: String?

    @Option(
        help: """
            A new file for a line per request; - is standard output. An existing file is refused, unless \
            --append or --overwrite says what to do with it. Lines on standard error are JSON with PUSHCTL_LOG=json.
            """, completion: .file())
    var log: String?

    @OptionGroup var metrics: PrometheusOptions

    @OptionGroup var existing: ExistingFileOptions

    @Flag(name: .shortAndLong, help: "A line per request on standard error, with the time in UTC.")
    var verbose = false

    @Option(
        help: "A JSON file that says when the simulator misbehaves, and how: see docs/simulator-script.md.",
        completion: .file(extensions: ["json"]))
    var script: String?

    @OptionGroup var inbox: InboxOptions

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp(
            "After --: a program to run against it, with PUSHCTL_CONFIG. The simulator ends with it and its exit code.",
            valueName: "command"))
    var command: [String] = []

    init() {}

    /// Nil if there is no log, or it goes to standard output.
    var logFile: String? { log == "-" ? nil : log }

    /// The host in its configuration: how a client reaches it.
    var clientHost: String { names.first ?? (Self.localAddresses.contains(host) ? "localhost" : host) }

    /// What its certificate must be valid for. `validate` has checked them.
    var serverNames: [ServerName] { (names + [clientHost]).compactMap { ServerName($0) } }

    /// The topics that it accepts.
    ///
    /// - Parameter credentials: Their topic is always one.
    func topics(with credentials: ThrowAwayCredentials) -> SimulatedTopics {
        topics.contains("any") ? .any : .listed(Set(topics + [credentials.topic]))
    }

    /// The script, with the topics that it gets later.
    func withLateTopics(_ script: FaultScript?) -> FaultScript? {
        guard !lateTopics.isEmpty else { return script }
        var script = script ?? FaultScript(rules: [])
        script.rules += lateTopics.map { FaultRule(.overallPush(1), .addTopic($0), name: "--late-topic \($0)") }
        return script
    }

    private func checkTopics() throws {
        if topics.contains(where: \.isEmpty) { throw ValidationError("--topic is empty; give a bundle id, or any.") }
        for topic in lateTopics {
            do { try FaultRule(.overallPush(1), .addTopic(topic)).check() } catch {
                throw ValidationError(
                    "--late-topic '\(topic)' is not a topic; give letters, digits, dots, hyphens and underscores.")
            }
        }
        guard lateTopics.isEmpty || !topics.contains("any") else {
            throw ValidationError("--topic any takes every topic from the start; leave it out, or --late-topic.")
        }
    }

    mutating func validate() throws {
        try checkTopics()
        if log?.isEmpty == true { throw ValidationError("--log is empty; name a file, or leave it out.") }
        if writeConfig?.isEmpty == true || writeConfig == "-" {
            throw ValidationError(
                "--write-config needs the name of a file; leave it out to read the configuration from standard output.")
        }
        try existing.check("--log", logFile)
        try checkPorts()
        guard host == "localhost" || ServerName(host)?.isAddress == true else {
            throw ValidationError(
                "--host '\(host)' is not an address; give 0.0.0.0, ::, or an address of this machine.")
        }
        for name in names where ServerName(name) == nil {
            throw ValidationError("--san '\(name)' is neither a host name nor an IP address; give one, without a port.")
        }
    }

    private func checkPorts() throws {
        for (name, port) in [
            ("--port", port), ("--management-port", managementPort), ("--metrics-port", metricsPort ?? 0),
        ] where !(0...65535).contains(port) {
            throw ValidationError("\(name) \(port) is not a port; give a number from 0 to 65535.")
        }
        guard port == 0 || port != managementPort else {
            throw ValidationError("--port and --management-port are both \(port); give two, or leave one out.")
        }
        if let metricsPort, metricsPort != 0, [port, managementPort].contains(metricsPort) {
            throw ValidationError("--metrics-port \(metricsPort) is another one's port; give a port of its own.")
        }
    }
}
