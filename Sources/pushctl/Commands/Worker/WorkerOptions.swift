import ArgumentParser

/// The arguments of `pushctl worker`.
struct WorkerOptions: ParsableArguments {
    @OptionGroup(title: "Queue")
    var queue: QueuePlace

    @Option(
        help: ArgumentHelp(
            """
            A JSON file of several queues: {"NAME": {"key": "…", "topic": "…", "connections": 4}, …}, with the \
            names of --config, rate and burst. In place of --name, --rate, --burst and the connection flags except \
            --drain and --verbose.
            """, valueName: "file"), completion: .file(extensions: ["json"]))
    var queues: String?

    @Flag(help: "Make a file of --queue, or a queue in it, that does not exist yet.")
    var create = false

    @Flag(help: "Try the store, keys, hosts and credentials, print a line for each queue, and push to no device.")
    var check = false

    @Option(
        help: ArgumentHelp(
            "The most pushes a second of all workers of the queue together; each worker must have the same.",
            valueName: "n"))
    var rate: PushesPerSecond?

    @Option(
        help: ArgumentHelp("With --rate: how many may go out at once after a pause. One second's.", valueName: "n"))
    var burst: Int?

    @OptionGroup(title: "How the queue is kept")
    var keeping: KeepingOptions

    @Option(help: "A Unix socket for pushctl top, which then shows the links.", completion: .file(extensions: ["sock"]))
    var statusSocket: String?

    @OptionGroup var metrics: PrometheusOptions

    @Option(
        help: """
            How the queues show on standard error. auto: a table on a terminal, elsewhere a line for each that has changed, \
            every 10 s; plain: those lines; none: neither.
            """)
    var progress = ProgressMode.auto

    @Flag(help: "The totals at the end as a JSON line on standard output.")
    var json = false

    @OptionGroup(title: "Connection options")
    var connection: ConnectionOptions

    init() {}

    /// The rate of the flags.
    var queueRate: RateSetting { RateSetting(perSecond: rate, burst: burst) }

    mutating func validate() throws {
        try keeping.check(queue)
        try queueRate.check("--rate", "--burst")
        guard let queues else { return try connection.requireCredential() }
        if queues.isEmpty { throw ValidationError("--queues is empty; name a file, or leave it out.") }
        if let flag = flagsOfOneQueue.first {
            throw ValidationError(
                "--queues has the settings of each queue in its file, so leave out \(flag). Of the connection flags, it "
                    + "goes with --drain and --verbose.")
        }
    }

    /// The flags that say something of a single queue or its connection, and are given with other values than without.
    private var flagsOfOneQueue: [String] {
        var flags: [(String, isGiven: Bool)] = [
            ("--name", queue.name != QueuePlace.usualName), ("--rate", rate != nil), ("--burst", burst != nil),
        ]
        flags += connection.flagsOfOneConnection
        return flags.filter(\.isGiven).map(\.0)
    }
}

extension ConnectionOptions {
    /// All flags but those that count for the whole command, and whether they are given with other values than without.
    fileprivate var flagsOfOneConnection: [(String, isGiven: Bool)] {
        guard let usual = try? ConnectionOptions.parsed([]) else { return [] }
        return [
            ("--environment", environment != usual.environment), ("--host", host != nil), ("--port", givenPort != nil),
            ("--management-port", managementPort != nil), ("--key", key != nil), ("--key-id", keyID != nil),
            ("--team-id", teamID != nil), ("--certificate", certificate != nil), ("--private-key", privateKey != nil),
            ("--p12", p12 != nil), ("--password-file", passwordFile != nil), ("--trust-roots", trustRoots != nil),
            ("--proxy", proxy != nil), ("--topic", topic != nil), ("--connections", connections != usual.connections),
            ("--timeout", timeout != usual.timeout), ("--connect-timeout", connectTimeout != usual.connectTimeout),
            ("--max-outage", maxOutage != usual.maxOutage), ("--resend-unknown", resendUnknown),
            ("--retry-status", retryStatus != usual.retryStatus),
        ]
    }
}
