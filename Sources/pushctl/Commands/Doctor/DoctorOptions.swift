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

    @Option(help: "With --queue: the queue's name there.")
    var name = QueueOptions.usualName

    @OptionGroup(title: "With --queue")
    var redis: RedisOptions

    /// What a script that asks for the exit code wants to hear of.
    enum FailOn: String, ExpressibleByArgument, CaseIterable, Sendable { case failure, warning }

    @OptionGroup(title: "Connection options")
    var connection: ConnectionOptions

    init() {}

    mutating func validate() throws {
        if queue == nil, let flag = redis.flags.first { throw ValidationError("\(flag) goes with --queue.") }
        if queue != nil {
            do { _ = try location() } catch { throw ValidationError(error.message) }
            return try QueueOptions.check(name: name)
        }
        // Without any credential, only the network is tested.
        if connection.namesCredential { try connection.checkTopicForOnePush() }
    }

    /// Where the queue is; nil if the way to APNs is examined.
    func location() throws(CommandError) -> QueueLocation? {
        guard let queue else { return nil }
        return try QueueLocation(queue, redis.flags)
    }
}
