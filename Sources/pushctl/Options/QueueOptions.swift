import ArgumentParser
import PushTerminal

/// The flags of the commands of a queue: where it is, or which configuration says so.
struct QueueOptions: ParsableArguments {
    @OptionGroup var place: QueuePlace
    @OptionGroup var settings: ConfigurationOptions
    @OptionGroup var log: LogOptions

    init() {}

    var name: String { place.name }
    var redis: RedisOptions { place.redis }

    /// Where the queue is.
    func location() throws(CommandError) -> QueueLocation { try place.location() }
}

/// The flags that say where a queue is.
struct QueuePlace: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The queue: a file of SQLite, redis://HOST:PORT/DATABASE, or redis+sentinel://HOST:PORT,HOST:PORT/NAME; rediss… for \
            TLS. Without it, PUSHCTL_QUEUE, or queue of the configuration.
            """, valueName: "where"), completion: .file(extensions: ["db"]))
    var queue: String?

    /// The variable of the environment that has its place.
    static let variable = "PUSHCTL_QUEUE"

    /// The name of a queue without `--name`.
    static let usualName = "push"
    /// What is wrong with a name.
    static let nameProblem = "is not a valid queue name; give 1 to 200 bytes without braces"

    @Option(help: "The queue's name there. Workers push each queue through a connection of its own.")
    var name = QueuePlace.usualName

    @OptionGroup
    var redis: RedisOptions

    init() {}

    mutating func validate() throws {
        do { _ = try location() } catch { throw ValidationError(error.message) }
        try Self.check(name: name)
    }

    static func check(name: String) throws {
        guard isName(name) else { throw ValidationError("--name \(nameProblem).") }
    }

    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 200 && !text.contains { $0 == "{" || $0 == "}" }
    }

    /// Where the queue is.
    func location(
        _ variable: (String) -> String? = EnvironmentVariable.value
    ) throws(CommandError) -> QueueLocation { try Self.location(of: queue, redis, variable) }

    /// - Parameter flag: The value of `--queue`.
    static func location(
        of flag: String?, _ redis: RedisOptions, _ variable: (String) -> String? = EnvironmentVariable.value
    ) throws(CommandError) -> QueueLocation {
        guard let place = flag ?? variable(Self.variable) else {
            throw .usage(
                "--queue is missing: name a file, or redis://HOST:PORT/DATABASE, or set \(Self.variable), or queue in a "
                    + "configuration.")
        }
        return try QueueLocation(place, flags: redis.flags, variable: variable)
    }
}
