import ArgumentParser
import PushTerminal

/// The arguments of `pushctl doctor`.
struct DoctorOptions: ParsableArguments {
    @Flag(help: "JSON lines on standard output, one per layer and one for the result.")
    var json = false

    @Option(help: "What makes the exit code another one than 0: failure; or warning as well, which is then 1.")
    var failOn = FailOn.failure

    @Option(
        help: ArgumentHelp(
            "Examine this queue in place of the way to APNs: a file of SQLite, redis://…, or redis+sentinel://….",
            valueName: "where"), completion: .file(extensions: ["db"]))
    var queue: String?

    @Option(help: "What is examined: the way to APNs; or the queue of --queue, PUSHCTL_QUEUE or the configuration.")
    var examine: Subject?

    @Option(help: "For a queue: its name there.")
    var name = QueuePlace.usualName

    @OptionGroup(title: "For a queue")
    var redis: RedisOptions

    /// What a script that asks for the exit code wants to hear of.
    enum FailOn: String, ExpressibleByArgument, CaseIterable, Sendable { case failure, warning }

    /// What can be examined.
    enum Subject: String, ExpressibleByArgument, CaseIterable, Sendable { case apns, queue }

    @OptionGroup(title: "Connection options")
    var connection: ConnectionOptions

    init() {}

    mutating func validate() throws {
        guard examine != .apns || queue == nil else { throw ValidationError("--queue goes with --examine queue.") }
        if isOfQueue {
            do { _ = try location() } catch { throw ValidationError(error.message) }
            return try QueuePlace.check(name: name)
        }
        if let flag = redis.flags.first { throw ValidationError("\(flag) goes with --queue or --examine queue.") }
        // Without any credential, only the network is tested.
        if connection.namesCredential { try connection.checkTopicForOnePush() }
    }

    private var isOfQueue: Bool { queue != nil || examine == .queue }

    /// Where the queue is; nil if the way to APNs is examined.
    func location() throws(CommandError) -> QueueLocation? {
        guard isOfQueue else { return nil }
        return try QueuePlace.location(of: queue, redis)
    }
}
