import ArgumentParser

/// The arguments of `pushctl worker`.
struct WorkerOptions: ParsableArguments {
    @OptionGroup(title: "Queue")
    var queue: QueueOptions

    @Option(
        help: ArgumentHelp(
            """
            A JSON file of several queues: {"NAME": {"key": "…", "topic": "…", "connections": 4}, …}, with the \
            names of --config. In place of --name and the connection flags.
            """, valueName: "file"), completion: .file(extensions: ["json"]))
    var queues: String?

    @Option(help: "A Unix socket for pushctl top, which then shows the links.", completion: .file(extensions: ["sock"]))
    var statusSocket: String?

    @Flag(help: "The totals at the end as a JSON line on standard output.")
    var json = false

    @OptionGroup(title: "Connection options")
    var connection: ConnectionOptions

    init() {}

    mutating func validate() throws {
        guard let queues else { return try connection.requireCredential() }
        if queues.isEmpty { throw ValidationError("--queues is empty; name a file, or leave it out.") }
        if connection.namesCredential || connection.topic != nil {
            throw ValidationError("With --queues, credentials and topics are in its file; leave out their flags.")
        }
    }
}
