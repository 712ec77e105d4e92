import ArgumentParser

/// The arguments of `pushctl worker`.
struct WorkerOptions: ParsableArguments {
    @OptionGroup(title: "Queue")
    var queue: QueueOptions

    @Option(
        help: ArgumentHelp(
            """
            A JSON file of several queues: {"NAME": {"key": "…", "topic": "…", "connections": 4}, …}, with the \
            names of --config, rate and burst. In place of --name and the connection flags.
            """, valueName: "file"), completion: .file(extensions: ["json"]))
    var queues: String?

    @Flag(help: "Make a file of --queue, or a queue in it, that does not exist yet.")
    var create = false

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
        if connection.namesCredential || connection.topic != nil {
            throw ValidationError("With --queues, credentials and topics are in its file; leave out their flags.")
        }
        if rate != nil {
            throw ValidationError("With --queues, each queue has its rate in the file; leave out --rate.")
        }
    }
}
