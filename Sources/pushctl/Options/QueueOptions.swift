import ArgumentParser
import PushTerminal

/// The flags that say where a queue is.
struct QueueOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The queue: a file of SQLite, redis://HOST:PORT/DATABASE, or redis+sentinel://HOST:PORT,HOST:PORT/NAME; rediss… for \
            TLS. Without it, PUSHCTL_QUEUE.
            """, valueName: "where"), completion: .file(extensions: ["db"]))
    var queue: String?

    /// The variable of the environment that has its place.
    static let variable = "PUSHCTL_QUEUE"

    /// The name of a queue without `--name`.
    static let usualName = "push"
    /// What is wrong with a name.
    static let nameProblem = "is not a valid queue name; give 1 to 200 bytes without braces"

    @Option(help: "The queue's name there. Workers push each queue through a connection of its own.")
    var name = QueueOptions.usualName

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
    ) throws(CommandError) -> QueueLocation {
        guard let place = queue ?? variable(Self.variable) else {
            throw .usage("--queue is missing: name a file, or redis://HOST:PORT/DATABASE, or set \(Self.variable).")
        }
        return try QueueLocation(place, redis.flags, variable)
    }
}
